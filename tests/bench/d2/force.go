//go:build d2bench

package main

import "millrace.dev/millrace/d2"

// forcing tells whether a window can be held to one strategy in this build.
const forcing = true

// force holds a window to a strategy, whatever it would choose.
func force(w *d2.Window, how strategy) {
	switch how {
	case windowed:
		w.NeverReread()
	case reread:
		w.AlwaysReread()
	}
}
