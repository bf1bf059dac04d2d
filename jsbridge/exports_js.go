//go:build js && wasm

package jsbridge

import (
	"runtime"

	"millrace.dev/millrace/jsbridge/msgpack"
)

// Places in the header that mr_header returns (docs/protocol.md, §1).
const (
	headerInPtr = iota
	headerInCap
	headerOutPtr
	headerOutLen
	headerAskPtr
	headerAskLen
	headerAnswerPtr
	headerAnswerCap
	headerWords
)

var (
	header [headerWords]uint32
	input  buffer
	host   moduleHost
	// session is made by the first command: starting the module does no work.
	session *Session
	running bool
	// commands counts them, for the sake of collection.
	commands uint
	broken   bool
	// aligned holds effects that do not lie where the host's views can read their blocks.
	aligned msgpack.Writer
)

//go:wasmexport mr_version
func exportVersion() int32 { return ProtocolVersion }

//go:wasmexport mr_header
func exportHeader() *uint32 { return &header[0] }

// exportReserve returns 0 also while a command runs, for the engine may be
// reading the message in the buffer.
//
//go:wasmexport mr_reserve
func exportReserve(n int32) (ptr uint32) {
	defer recoverTo(&ptr, 0)
	if n < 0 || n > maxMessage || running {
		return 0
	}
	input.reserve(int(n))
	header[headerInPtr], header[headerInCap] = input.address(), uint32(input.size())
	return input.address()
}

// exportAnswer returns 0 when no pull is waiting for an answer or n is over the limit.
//
//go:wasmexport mr_answer
func exportAnswer(n int32) (ptr uint32) {
	defer recoverTo(&ptr, 0)
	if n < 0 || n > maxMessage || !host.pulling {
		return 0
	}
	host.answer.reserve(int(n))
	header[headerAnswerPtr], header[headerAnswerCap] = host.answer.address(), uint32(host.answer.size())
	return host.answer.address()
}

//go:wasmexport mr_command
func exportCommand(n int32) (status int32) {
	switch {
	case broken:
		return Broken
	case running:
		return Nested
	}
	defer func() {
		running = false
		if p := recover(); p != nil {
			status = breakDown(p)
		}
	}()
	running = true
	if session == nil {
		session = NewSession(&host)
	}
	if n < 0 || int(n) > input.size() {
		n = 0 // an empty message is refused as any other that is no command
	}
	status, out := session.Command(input.bytes(int(n)))
	publish(out)
	broken = status == Broken
	if commands++; commands%collectEvery == 0 {
		// Marking goes on only when something allocates, or the scheduler gets a
		// turn. A cycle left open would make every write of a pointer slow for as
		// long as commands allocate nothing, which is most of the time.
		runtime.Gosched()
	}
	return status
}

// collectEvery is how many commands share the cost of a scheduler's turn, some
// ten microseconds.
const collectEvery = 128

// exportGC does nothing while a command runs.
//
//go:wasmexport mr_gc
func exportGC() {
	defer func() {
		if p := recover(); p != nil {
			breakDown(p)
		}
	}()
	if !running {
		runtime.GC()
	}
}

// publish shows effects in the header, aligned as the host's views need them.
func publish(out []byte) {
	if address(out)%8 != 0 {
		aligned.Release(idleBytes)
		out = aligned.Raw(out)
	}
	header[headerOutPtr], header[headerOutLen] = address(out), uint32(len(out))
}

// breakDown ends the engine's life after a panic: the effects say why.
func breakDown(p any) int32 {
	broken, host.pulling = true, false
	trace := make([]byte, 4<<10)
	trace = trace[:runtime.Stack(trace, false)]
	var report effects
	report.begin()
	report.fail(codeEngineBroken, "", brokenText(p)+"\n"+string(trace))
	publish(report.end())
	return Broken
}

// recoverTo lets a failed export return value.
func recoverTo(result *uint32, value uint32) {
	if p := recover(); p != nil {
		breakDown(p)
		*result = value
	}
}
