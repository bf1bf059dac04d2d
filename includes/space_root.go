package includes

import "millrace.dev/millrace/d2"

// A root's rows are slots, which live until what has left is published.

func (r *rootNode) ref(uint32)   {}
func (r *rootNode) unref(uint32) {}

func (r *rootNode) ready() error { return r.LoadKeys() }

func (r *rootNode) compareKeys(a, b uint32) int { return r.CompareKeys(r.KeyOf(a), r.KeyOf(b)) }

func (r *rootNode) leaves() []leaf { return []leaf{{root: r}} }

// Everything in a graph that keeps rows of a root's may pin them.
var _ d2.Pins = (*rootNode)(nil)
