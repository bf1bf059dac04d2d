// Package wazerohost runs the engine's WebAssembly module inside a Go program,
// on the wazero runtime.
//
// It is the host side of docs/protocol.md, §1: it starts the module, carries
// commands in and effects out, and serves the module's pulls from a
// jsbridge.Host. It knows nothing of what the messages say.
//
// Costs: compiling the module takes seconds, from a cache directory a tenth of
// one; an instance starts in milliseconds. A command costs some microseconds
// more than in process, and the engine runs about two to four times slower than
// native code.
//
// An Instance is for one goroutine at a time. Effects and requests lie in the
// module's memory and are copied out, because that memory moves when it grows.
package wazerohost
