package main

// hostNow is the clock of the process that loaded the module, in milliseconds:
// package time would need more of the host than the engine does.
//
//go:wasmimport bench now
func hostNow() float64

func wallNow() int64 { return int64(hostNow() * 1e6) }
