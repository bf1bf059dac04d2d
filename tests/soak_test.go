//go:build soak

package tests

import "flag"

// Under the soak tag every property is tried for minutes instead of a second.
// Flags on the command line win.
func init() {
	histories = 200
	for name, value := range map[string]string{"rapid.checks": "20000", "rapid.steps": "50"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}
