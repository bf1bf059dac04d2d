package shell

import (
	"context"

	"millrace.dev/millrace/jsbridge"
	"millrace.dev/millrace/jsbridge/wazerohost"
)

// OpenWasm starts the engine module under wazero. Compiling it takes seconds;
// Wasm with a cache directory does it once per machine.
func OpenWasm(ctx context.Context, module []byte) (*DB, error) {
	return OpenWith(Wasm(ctx, module, wazerohost.Options{}))
}

// Wasm starts engines as instances of the module.
func Wasm(ctx context.Context, module []byte, options wazerohost.Options) Opener {
	return func(host jsbridge.Host) (Engine, error) {
		instance, err := wazerohost.Open(ctx, module, host, options)
		if err != nil {
			return nil, err
		}
		return instance, nil
	}
}
