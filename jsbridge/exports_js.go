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

// The statuses that the exports themselves give.
const (
	exportNested = 3
	exportBroken = 4
)

// The effect and the code that tell of a broken engine.
const (
	exportErrorEffect = 1
	exportBrokenCode  = 13
)

var (
	header [headerWords]uint32
	input  buffer
	host   moduleHost
	// session is made by the first command: starting the module does no work.
	session *Session
	running bool
	broken  bool
	// output holds effects that the session did not write: of a broken engine, or not aligned.
	output msgpack.Writer
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
		return exportBroken
	case running:
		return exportNested
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
	status, effects := session.Command(input.bytes(int(n)))
	publish(effects)
	broken = status == exportBroken
	return status
}

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
func publish(effects []byte) {
	if address(effects)%8 != 0 {
		output.Release(idleBytes)
		effects = output.Raw(effects)
	}
	header[headerOutPtr], header[headerOutLen] = address(effects), uint32(len(effects))
}

// breakDown ends the engine's life after a panic: the effects say why.
func breakDown(p any) int32 {
	broken, host.pulling = true, false
	trace := make([]byte, 4<<10)
	trace = trace[:runtime.Stack(trace, false)]
	output.Release(0)
	output.Array(1)
	output.Array(4)
	output.Int(exportErrorEffect)
	output.Int(exportBrokenCode)
	output.Nil()
	output.Str(panicText(p) + "\n" + string(trace))
	publish(output.Bytes())
	return exportBroken
}

func panicText(p any) string {
	switch p := p.(type) {
	case error:
		return p.Error()
	case string:
		return p
	}
	return "a panic that says nothing"
}

// recoverTo lets a failed export return value.
func recoverTo(result *uint32, value uint32) {
	if p := recover(); p != nil {
		breakDown(p)
		*result = value
	}
}
