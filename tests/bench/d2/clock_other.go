//go:build !linux && !js

package main

import "time"

const clockName = "wall time (no thread CPU time here: take ratios with care)"

func cpuNow() time.Duration { return time.Duration(wallNow()) }
