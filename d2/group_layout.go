package d2

// GroupLayout tells where the words of a [Group]'s rows are: first the classes
// of key and results, eight to a word, then the bits of key and results, one
// word each.
type GroupLayout struct{ Results int }

// Width returns the number of words of a row.
func (l GroupLayout) Width() int { return l.classes() + 1 + l.Results }

func (l GroupLayout) classes() int { return l.Results/8 + 1 }

// Key returns the key of a row of table.
func (l GroupLayout) Key(table *Table, row uint32) (class uint8, bits uint64) {
	return l.cell(table, row, 0)
}

// Result returns result i of a row of table.
func (l GroupLayout) Result(table *Table, row uint32, i int) (class uint8, bits uint64) {
	return l.cell(table, row, i+1)
}

func (l GroupLayout) cell(table *Table, row uint32, i int) (class uint8, bits uint64) {
	return uint8(table.Word(row, i/8) >> (i % 8 * 8)), table.Word(row, l.classes()+i)
}

// put writes a cell into words whose classes were 0.
func (l GroupLayout) put(words []uint64, i int, class uint8, bits uint64) {
	words[i/8] |= uint64(class) << (i % 8 * 8)
	words[l.classes()+i] = bits
}

// get reads a cell of words.
func (l GroupLayout) get(words []uint64, i int) (class uint8, bits uint64) {
	return uint8(words[i/8] >> (i % 8 * 8)), words[l.classes()+i]
}

// GroupKeys is the [Keyer] of the rows of a group operator: their group key.
type GroupKeys struct {
	Table  *Table
	Layout GroupLayout
}

// Key returns the key of a row; every group has one.
func (k GroupKeys) Key(row uint32) (class uint8, bits uint64, ok bool) {
	class, bits = k.Layout.Key(k.Table, row)
	return class, bits, true
}
