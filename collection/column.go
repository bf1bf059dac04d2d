package collection

import (
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
)

// Column is one path of a root's rows that something refers to.
type Column struct {
	query.Column
	Index uint32
	Path  []string
	Text  bool // texts in it come with their bytes

	derived *query.Program // not carried by the shell: computed from other columns
	expr    *query.Expr    // what it is computed from
	id      string         // of the expression
	lease   *Lease         // on the columns it is computed from
	res     *resource
	texts   int   // cells that hold a text id
	virtual uint8 // filled by the engine where the row has no value of its own
}

// grow makes room for slot.
func (c *Column) grow(slots int) {
	if n := slots - len(c.Kinds); n > 0 {
		c.Kinds = append(c.Kinds, make([]uint8, n)...)
		c.Vals = append(c.Vals, make([]float64, n)...)
	}
}

func (c *Column) set(d *Dict, slot uint32, cell value.Cell) {
	if IsText(c.Kinds[slot]) {
		d.Unref(c.At(slot))
		c.texts--
	}
	if IsText(cell.Kind) {
		d.Ref(cell)
		c.texts++
	}
	c.Kinds[slot], c.Vals[slot] = cell.Kind, cell.Val
}

// clear forgets the cell of a slot that is freed. Without texts the stale cell
// does no harm: a slot is written before it is read again.
func (c *Column) clear(d *Dict, slot uint32) {
	if c.texts > 0 && int(slot) < len(c.Kinds) {
		c.set(d, slot, value.Cell{})
	}
}

func (c *Column) drop(d *Dict) {
	if c.texts > 0 {
		for slot, k := range c.Kinds {
			if IsText(k) {
				d.Unref(value.Cell{Kind: k, Val: c.Vals[slot]})
			}
		}
	}
	c.Kinds, c.Vals, c.texts = nil, nil, 0
}
