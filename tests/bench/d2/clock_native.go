//go:build !js

package main

import "time"

var start = time.Now()

// wallNow is a clock for parts of a run, which may be shorter than it takes to
// ask for CPU time. Nanoseconds.
func wallNow() int64 { return int64(time.Since(start)) }
