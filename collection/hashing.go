package collection

import "millrace.dev/millrace/d2"

// Rows returns the arrangement: slots by value.
func (h *Hashing) Rows() *d2.Hash { return h.hash }
