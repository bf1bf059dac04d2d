//go:build js && wasm

// Command wasm is the engine as a WebAssembly module. Its exports and imports
// are those of package jsbridge (docs/protocol.md, §1); main only keeps the
// program from ending.
package main

import _ "millrace.dev/millrace/jsbridge"

func main() {
	select {}
}
