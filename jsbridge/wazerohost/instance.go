package wazerohost

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"millrace.dev/millrace/jsbridge"
)

// Options say how an instance runs. The zero value is usable.
type Options struct {
	// CacheDir is a directory that keeps compiled modules between processes.
	// Empty: compiled anew by every process, which takes seconds.
	CacheDir string
	// Interpret runs the module without compiling it: it starts at once and
	// runs some fifty times slower.
	Interpret bool
}

// An Instance is a running engine.
type Instance struct {
	ctx     context.Context
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	module  api.Module
	gojs    gojs
	pulls   pulls
	reserve api.Function
	command api.Function
	header  uint32
	stack   [1]uint64
	effects []byte
	crashed *EngineCrashed
}

// Words of the header that mr_header returns.
const (
	headerOutPtr = 2
	headerOutLen = 3
	headerAskPtr = 4
	headerAskLen = 5
)

// Open compiles and starts the module and lets host answer its pulls. Errors:
// *EngineVersion, *EngineCrashed when it dies while starting, or the runtime's
// own when the bytes are no module it can run.
func Open(ctx context.Context, wasm []byte, host jsbridge.Host, opts Options) (*Instance, error) {
	in := &Instance{ctx: ctx, gojs: gojs{started: time.Now()}}
	if err := in.open(wasm, host, opts); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

func (in *Instance) open(wasm []byte, host jsbridge.Host, opts Options) error {
	config := wazero.NewRuntimeConfigCompiler()
	if opts.Interpret {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	if opts.CacheDir != "" && !opts.Interpret {
		cache, err := wazero.NewCompilationCacheWithDir(opts.CacheDir)
		if err != nil {
			return fmt.Errorf("open compilation cache: %w", err)
		}
		in.cache, config = cache, config.WithCompilationCache(cache)
	}
	in.runtime = wazero.NewRuntimeWithConfig(in.ctx, config)
	if err := in.gojs.register(in.ctx, in.runtime); err != nil {
		return fmt.Errorf("register runtime imports: %w", err)
	}
	in.pulls = pulls{host: host, in: in}
	if err := in.pulls.register(in.ctx, in.runtime); err != nil {
		return fmt.Errorf("register engine imports: %w", err)
	}
	compiled, err := in.runtime.CompileModule(in.ctx, wasm)
	if err != nil {
		return fmt.Errorf("compile module: %w", err)
	}
	in.module, err = in.runtime.InstantiateModule(in.ctx, compiled, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		return fmt.Errorf("instantiate module: %w", err)
	}
	for _, name := range []string{"run", "mr_version", "mr_header", "mr_reserve", "mr_command", "mr_answer", "mr_gc"} {
		if in.module.ExportedFunction(name) == nil {
			return fmt.Errorf("module does not export %s", name)
		}
	}
	if err := in.gojs.run(in.ctx, in.module); err != nil {
		return in.die(err)
	}
	version, err := in.call(in.module.ExportedFunction("mr_version"))
	if err != nil {
		return err
	}
	if version != jsbridge.ProtocolVersion {
		return &EngineVersion{Want: jsbridge.ProtocolVersion, Got: version}
	}
	in.reserve = in.module.ExportedFunction("mr_reserve")
	in.command = in.module.ExportedFunction("mr_command")
	in.header, err = in.call(in.module.ExportedFunction("mr_header"))
	return err
}

// Command runs one command. The effects are valid until the next command.
// Errors: *EngineCrashed; a message over the limit.
func (in *Instance) Command(msg []byte) (status int32, effects []byte, err error) {
	if in.crashed != nil {
		return 0, nil, in.crashed
	}
	if in.pulls.pulling {
		return statusNested, nil, nil
	}
	if len(msg) > math.MaxInt32 {
		return 0, nil, fmt.Errorf("a command of %d bytes is over the limit of 1 GiB", len(msg))
	}
	at, err := in.call(in.reserve, uint32(len(msg)))
	if err != nil {
		return 0, nil, err
	}
	if at == 0 {
		return 0, nil, fmt.Errorf("a command of %d bytes is over the limit of 1 GiB", len(msg))
	}
	in.module.Memory().Write(at, msg)
	result, err := in.call(in.command, uint32(len(msg)))
	if err != nil {
		return 0, nil, err
	}
	out, err := in.span(headerOutPtr)
	if err != nil {
		return 0, nil, err
	}
	in.effects = append(in.effects[:0], out...)
	return int32(result), in.effects, nil
}

// statusNested answers a command that is issued from inside a pull.
const statusNested = 3

// GC lets the module collect its garbage. Error: *EngineCrashed.
func (in *Instance) GC() error {
	if in.crashed != nil {
		return in.crashed
	}
	if _, err := in.module.ExportedFunction("mr_gc").Call(in.ctx); err != nil {
		return in.die(err)
	}
	return nil
}

// MemorySize returns the size of the module's memory in bytes. It never shrinks.
func (in *Instance) MemorySize() uint32 { return in.module.Memory().Size() }

// Close stops the instance and frees its memory.
func (in *Instance) Close() error {
	var err error
	if in.runtime != nil {
		err = in.runtime.Close(in.ctx)
	}
	if in.cache != nil {
		err = errors.Join(err, in.cache.Close(in.ctx))
	}
	return err
}

// call calls an export with at most one parameter and with one result. Any
// error is the end of the instance.
func (in *Instance) call(fn api.Function, params ...uint32) (uint32, error) {
	for i, p := range params {
		in.stack[i] = uint64(p)
	}
	if err := fn.CallWithStack(in.ctx, in.stack[:]); err != nil {
		return 0, in.die(err)
	}
	return uint32(in.stack[0]), nil
}

// span returns the bytes whose address and length stand at a word of the
// header, in place.
func (in *Instance) span(word uint32) ([]byte, error) {
	mem := in.module.Memory()
	ptr, _ := mem.ReadUint32Le(in.header + 4*word)
	n, _ := mem.ReadUint32Le(in.header + 4*word + 4)
	b, ok := mem.Read(ptr, n)
	if !ok {
		return nil, in.die(fmt.Errorf("the header names %d bytes at %#x, outside of memory", n, ptr))
	}
	return b, nil
}

// die records that the module is dead.
func (in *Instance) die(cause error) error {
	in.crashed = &EngineCrashed{Output: string(in.gojs.output), Cause: cause}
	if e := (exit{}); errors.As(cause, &e) {
		in.crashed.Code = e.code
	}
	return in.crashed
}
