package wazerohost

import "strconv"

// EngineCrashed is returned by the call during which the module died and by
// every later one. Nothing of the instance can be used any more.
type EngineCrashed struct {
	Code   uint32 // exit status; 0 when the module trapped
	Output string // what the module wrote before it died: usually a panic and its trace
	Cause  error  // the runtime's error
}

// Error implements error.
func (e *EngineCrashed) Error() string {
	text := "engine crashed, open another instance"
	if e.Code != 0 {
		text += ": exit status " + strconv.Itoa(int(e.Code))
	} else if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	if e.Output != "" {
		text += "\n" + e.Output
	}
	return text
}

// Unwrap returns the runtime's error.
func (e *EngineCrashed) Unwrap() error { return e.Cause }

// EngineVersion says that the module speaks another protocol version.
type EngineVersion struct {
	Want, Got uint32
}

// Error implements error.
func (e *EngineVersion) Error() string {
	return "engine speaks protocol version " + strconv.Itoa(int(e.Got)) + ", this program needs " +
		strconv.Itoa(int(e.Want)) + ": build both from one source tree"
}
