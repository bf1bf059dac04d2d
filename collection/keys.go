package collection

// LoadKeys pulls the keys themselves, unless they are here: CompareKeys needs
// them.
func (r *Root) LoadKeys() error { return r.loadKeys() }

// CompareKeys orders two key ids by their public keys: strings before numbers,
// strings by code unit.
func (r *Root) CompareKeys(a, b uint32) int { return r.compareKeys(a, b) }
