// Package jsbridge is the engine's side of the protocol that docs/protocol.md
// describes: it decodes commands, drives the engine of package includes, and
// encodes what comes out as effects; pulls go the other way in the middle of a
// command.
//
// A Session is one engine. It is a deterministic state machine: the same
// commands with the same answers to its pulls give the same effect bytes on any
// host. Under GOOS=js the package also holds the module's exports and imports;
// elsewhere a Go program drives the Session in process. Package
// jsbridge/shell is the Go shell for both.
//
// Buffers: effects are valid until the next command, requests until the pull
// returns, answers until the next pull.
package jsbridge
