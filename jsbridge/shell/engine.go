package shell

import (
	"millrace.dev/millrace/jsbridge"
)

// Engine carries out commands. Status and effects are those of
// docs/protocol.md; effects are valid until the next command. err is for a host
// that lost its engine.
type Engine interface {
	Command(msg []byte) (status int32, effects []byte, err error)
	Close() error
}

// Opener starts an engine that pulls from host.
type Opener func(host jsbridge.Host) (Engine, error)

// Native starts engines in this process.
func Native(host jsbridge.Host) (Engine, error) {
	return nativeEngine{jsbridge.NewSession(host)}, nil
}

type nativeEngine struct{ session *jsbridge.Session }

func (e nativeEngine) Command(msg []byte) (int32, []byte, error) {
	status, effects := e.session.Command(msg)
	return status, effects, nil
}

func (e nativeEngine) Close() error { return nil }
