package wazerohost

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// maxOutput is how much of what the module writes is kept for the crash report.
const maxOutput = 64 << 10

// argvAt is where the Go runtime expects the program's arguments.
const argvAt = 4096

// exit is what wasmExit panics with, to unwind the module's frames.
type exit struct {
	code uint32
}

// Error implements error, so that the runtime passes the panic on as one.
func (exit) Error() string { return "the module called exit" }

// gojs is what a Go program compiled for js/wasm needs of its host, as far as
// the engine imports it: eight functions, each given the address of its
// argument frame.
type gojs struct {
	started time.Time
	output  []byte
}

// register adds the functions to the runtime as the module namespace "gojs".
func (g *gojs) register(ctx context.Context, rt wazero.Runtime) error {
	b := rt.NewHostModuleBuilder("gojs")
	for name, fn := range map[string]func(frame uint32, mem api.Memory){
		"runtime.wasmExit": func(frame uint32, mem api.Memory) {
			code, _ := mem.ReadUint32Le(frame + 8)
			panic(exit{code})
		},
		"runtime.wasmWrite": func(frame uint32, mem api.Memory) {
			ptr, _ := mem.ReadUint32Le(frame + 16)
			n, _ := mem.ReadUint32Le(frame + 24)
			if text, ok := mem.Read(ptr, n); ok && len(g.output) < maxOutput {
				g.output = append(g.output, text...)
			}
		},
		"runtime.resetMemoryDataView": func(uint32, api.Memory) {},
		"runtime.nanotime1": func(frame uint32, mem api.Memory) {
			mem.WriteUint64Le(frame+8, uint64(time.Since(g.started)+1))
		},
		"runtime.walltime": func(frame uint32, mem api.Memory) {
			now := time.Now()
			mem.WriteUint64Le(frame+8, uint64(now.Unix()))
			mem.WriteUint32Le(frame+16, uint32(now.Nanosecond()))
		},
		// The engine owns no timer; one that the runtime asks for never fires.
		"runtime.scheduleTimeoutEvent": func(frame uint32, mem api.Memory) {
			mem.WriteUint32Le(frame+16, 1)
		},
		"runtime.clearTimeoutEvent": func(uint32, api.Memory) {},
		"runtime.getRandomData": func(frame uint32, mem api.Memory) {
			ptr, _ := mem.ReadUint32Le(frame + 8)
			n, _ := mem.ReadUint32Le(frame + 16)
			if b, ok := mem.Read(ptr, n); ok {
				_, _ = rand.Read(b) // never fails
			}
		},
	} {
		call := func(_ context.Context, m api.Module, stack []uint64) { fn(uint32(stack[0]), m.Memory()) }
		b.NewFunctionBuilder().
			WithGoModuleFunction(api.GoModuleFunc(call), []api.ValueType{api.ValueTypeI32}, nil).
			Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// run starts the program and returns when it waits for calls.
func (g *gojs) run(ctx context.Context, m api.Module) error {
	// argv, then the environment: two zero-terminated vectors of 64-bit pointers.
	start := binary.LittleEndian.AppendUint64(nil, uint64('j'|'s'<<8))
	for _, word := range []uint64{argvAt, 0, 0} {
		start = binary.LittleEndian.AppendUint64(start, word)
	}
	m.Memory().Write(argvAt, start)
	_, err := m.ExportedFunction("run").Call(ctx, 1, argvAt+8)
	return err
}
