package collection

import (
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// Rows returns the arrangement: slots by value.
func (h *Hashing) Rows() *d2.Hash { return h.hash }

// Unique tells whether no two rows have the same value now. Cost: O(1).
func (h *Hashing) Unique() bool { return h.hash.Len() == h.hash.Values() }

// IsKey tells whether the values are the rows' public keys, as far as most of the
// rows show; of no rows it tells nothing, and so false.
func (h *Hashing) IsKey(most int) (bool, error) {
	r := h.lease.root
	if err := r.loadKeys(); err != nil {
		return false, err
	}
	looked := 0
	for key, slot := range r.slotOf {
		if slot == none {
			continue
		}
		if !value.Same(r.keys.At(uint32(key)), h.col.At(slot)) {
			return false, nil
		}
		if looked++; looked == most {
			break
		}
	}
	return looked > 0, nil
}
