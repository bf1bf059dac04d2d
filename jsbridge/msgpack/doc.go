// Package msgpack reads and writes the MessagePack subset of the engine's
// protocol: nil, bool, integers, floats, strings, bytes, arrays, maps, and one
// extension, the block (docs/protocol.md, §2).
//
// It is not a general codec. It maps no Go types, allocates nothing but the
// growth of buffers, uses no reflection, and links nothing that would bring
// host calls into the WebAssembly module.
//
// Ownership: what a Writer returns is valid until its next write; what a Reader
// returns as []byte lies in the message it reads.
//
// Any bytes may be read: a Reader never panics, never reads outside the message
// and never allocates more than the message's length justifies.
package msgpack
