package collection

import (
	"slices"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
)

// MaxText bounds text ids, and so the memory a message can make the dictionary
// take.
const MaxText = 1 << 27

// Dict is the session's dictionary of texts: it counts the cells that refer to
// an id and keeps the bytes of those ids whose bytes are known. The ids are the
// shell's. Bytes live in one arena, which is compacted when more than half of
// it is dead.
type Dict struct {
	shell Shell
	refs  []uint32
	off   []uint32
	len   []int32 // -1: bytes not known
	arena []byte
	dead  int
	// ids that may have come to nothing; looked at when a command ends
	loose []uint32
	ascii []bool // by collation: printable ASCII follows the root collation

	scratch query.Scratch
}

// Scratch implements query.Sharer.
func (d *Dict) Scratch() *query.Scratch { return &d.scratch }

// reserved are the texts both sides know from the start.
var reserved = [...]string{value.EmptyText: "", query.TextRemote: "remote", query.TextLocal: "local"}

// NewDict returns a dictionary with the reserved texts.
func NewDict(shell Shell) *Dict {
	d := &Dict{shell: shell}
	for id, s := range reserved {
		d.grow(uint32(id))
		d.refs[id] = 1
		d.Put(uint32(id), []byte(s))
	}
	return d
}

// Limit is one more than the largest id a message of n cells may mention.
func (d *Dict) Limit(n int) uint32 {
	limit := uint64(len(d.refs)) + uint64(n) + 1<<16
	return uint32(min(limit, MaxText))
}

func (d *Dict) grow(id uint32) {
	for uint32(len(d.refs)) <= id {
		d.refs = append(d.refs, 0)
		d.off = append(d.off, 0)
		d.len = append(d.len, -1)
	}
}

// Expect makes room for n more texts of size bytes in all.
func (d *Dict) Expect(n, size int) {
	d.arena = slices.Grow(d.arena, size)
	if more := n - (cap(d.refs) - len(d.refs)); more > 0 {
		d.refs, d.off, d.len = slices.Grow(d.refs, n), slices.Grow(d.off, n), slices.Grow(d.len, n)
	}
}

// Put stores the bytes of id.
func (d *Dict) Put(id uint32, text []byte) {
	d.grow(id)
	if d.len[id] >= 0 {
		return
	}
	d.off[id] = uint32(len(d.arena))
	d.len[id] = int32(len(text))
	d.arena = append(d.arena, text...)
	if d.refs[id] == 0 {
		d.loose = append(d.loose, id)
	}
}

// Known tells whether the bytes of id are here.
func (d *Dict) Known(id uint32) bool { return id < uint32(len(d.len)) && d.len[id] >= 0 }

// KnowsAll tells whether the bytes of every text in cells are here. An order
// over texts whose bytes come later would change under the arrangement's feet.
func (d *Dict) KnowsAll(cells *Cells) bool {
	if cells.Kinds == nil && !IsText(cells.Uniform) {
		return true
	}
	for i := range cells.N {
		if c := cells.At(i); IsText(c.Kind) && !d.Known(c.ID()) {
			return false
		}
	}
	return true
}

// Ref counts one more cell that refers to c, if c is a text.
func (d *Dict) Ref(c value.Cell) {
	if IsText(c.Kind) {
		id := uint32(c.Val)
		d.grow(id)
		d.refs[id]++
	}
}

// Unref counts one cell less.
func (d *Dict) Unref(c value.Cell) {
	if IsText(c.Kind) {
		id := uint32(c.Val)
		d.refs[id]--
		if d.refs[id] == 0 {
			d.loose = append(d.loose, id)
		}
	}
}

// Touch notes a cell that came in a message: should nothing keep it, its text
// is freed when the command ends.
func (d *Dict) Touch(c value.Cell) {
	if IsText(c.Kind) {
		id := uint32(c.Val)
		d.grow(id)
		if d.refs[id] == 0 {
			d.loose = append(d.loose, id)
		}
	}
}

// Text returns the bytes of id, nil when they are not known. The slice is valid
// until the command ends.
func (d *Dict) Text(id uint32) []byte {
	if !d.Known(id) {
		return nil
	}
	return d.arena[d.off[id] : d.off[id]+uint32(d.len[id])]
}

// SetCollation declares a collation. ascii: strings of printable ASCII sort as
// the root collation's table says.
func (d *Dict) SetCollation(id uint32, ascii bool) bool {
	if id > 1<<16 {
		return false
	}
	for uint32(len(d.ascii)) <= id {
		d.ascii = append(d.ascii, false)
	}
	d.ascii[id] = ascii
	return true
}

// HasCollation tells whether a collation may be named in an order.
func (d *Dict) HasCollation(id uint32) bool {
	return id == value.CollationLexical || id >= 2 && id < uint32(len(d.ascii))
}

// Compare orders two texts under a collation, from the table where it covers
// both and by asking the shell otherwise.
func (d *Dict) Compare(collation, a, b uint32) (int, error) {
	if a == b {
		return 0, nil
	}
	if collation >= 2 && collation < uint32(len(d.ascii)) && d.ascii[collation] {
		if c, ok := value.CompareASCII(d.Text(a), d.Text(b)); ok {
			return c, nil
		}
	}
	return d.shell.Compare(collation, a, b)
}

// Sweep returns the ids nothing refers to any more, in ascending order, and
// forgets them.
func (d *Dict) Sweep(into []uint32) []uint32 {
	for _, id := range d.loose {
		if d.refs[id] != 0 || d.len[id] == -2 {
			continue
		}
		if d.len[id] > 0 {
			d.dead += int(d.len[id])
		}
		d.len[id] = -2 // listed once
		into = append(into, id)
	}
	for _, id := range into {
		d.len[id] = -1
	}
	d.loose = d.loose[:0]
	if d.dead > 1<<16 && d.dead > len(d.arena)/2 {
		d.compact()
	}
	return into
}

func (d *Dict) compact() {
	fresh := make([]byte, 0, len(d.arena)-d.dead)
	for id, n := range d.len {
		if n > 0 {
			at := uint32(len(fresh))
			fresh = append(fresh, d.arena[d.off[id]:d.off[id]+uint32(n)]...)
			d.off[id] = at
		}
	}
	d.arena, d.dead = fresh, 0
}

// Live counts the texts that are referred to, the reserved ones aside.
func (d *Dict) Live() int {
	n := -len(reserved)
	for _, r := range d.refs {
		if r > 0 {
			n++
		}
	}
	return n
}

// Bytes is the memory the dictionary takes.
func (d *Dict) Bytes() int { return cap(d.arena) + 4*(cap(d.refs)+cap(d.off)+cap(d.len)) }
