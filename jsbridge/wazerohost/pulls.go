package wazerohost

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"millrace.dev/millrace/jsbridge"
)

// failed is what an import returns when the host could not answer.
const failed = -1

// pulls serves the module's imports from a jsbridge.Host. A host's error
// becomes -1; a host's panic passes through the module and kills it, as a
// broken invariant should.
type pulls struct {
	host    jsbridge.Host
	in      *Instance
	pulling bool
	request []byte
}

// register adds the imports to the runtime as the module namespace "millrace".
func (p *pulls) register(ctx context.Context, rt wazero.Runtime) error {
	b := rt.NewHostModuleBuilder("millrace")
	for name, f := range map[string]struct {
		params int
		call   func(args []uint64) int32
	}{
		"ask": {1, p.ask},
		"equal": {4, func(args []uint64) int32 {
			equal, err := p.host.Equal(uint32(args[0]), uint32(args[1]), uint32(args[2]), uint32(args[3]))
			switch {
			case err != nil:
				return failed
			case equal:
				return 1
			}
			return 0
		}},
		"compare": {3, func(args []uint64) int32 {
			order, err := p.host.Compare(uint32(args[0]), uint32(args[1]), uint32(args[2]))
			if err != nil {
				return failed
			}
			return 1 + int32(min(max(order, -1), 1))
		}},
	} {
		params := make([]api.ValueType, f.params)
		for i := range params {
			params[i] = api.ValueTypeI32
		}
		call := func(_ context.Context, _ api.Module, stack []uint64) {
			p.pulling = true
			defer func() { p.pulling = false }()
			stack[0] = api.EncodeI32(f.call(stack))
		}
		b.NewFunctionBuilder().
			WithGoModuleFunction(api.GoModuleFunc(call), params, []api.ValueType{api.ValueTypeI32}).
			Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// ask passes a request to the host and its answer to the module.
func (p *pulls) ask([]uint64) int32 {
	request, err := p.in.span(headerAskPtr)
	if err != nil {
		return failed
	}
	p.request = append(p.request[:0], request...)
	answer, err := p.host.Ask(p.request)
	if err != nil {
		return failed
	}
	// A function object is bound to one call at a time, and mr_command's is in use.
	at, err := p.in.module.ExportedFunction("mr_answer").Call(p.in.ctx, uint64(len(answer)))
	if err != nil {
		panic(err)
	}
	if at[0] == 0 || !p.in.module.Memory().Write(uint32(at[0]), answer) {
		return failed
	}
	return int32(len(answer))
}
