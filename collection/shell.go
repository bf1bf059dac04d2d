package collection

import "millrace.dev/millrace/collection/value"

// Cells is a run of cell values as they come from the shell: Kinds (nil: all
// are of kind Uniform) and Vals (nil: all zero). The slices belong to the
// message and are valid until the next pull or the end of the command.
type Cells struct {
	N       int
	Uniform uint8
	Kinds   []uint8
	Vals    []float64
}

// At returns cell i in normal form: no NaN but KindNaN, no -0.
func (c *Cells) At(i int) value.Cell {
	k := c.Uniform
	if c.Kinds != nil {
		k = c.Kinds[i]
	}
	if c.Vals == nil || k == value.KindUndefined || k == value.KindNull || k == value.KindNaN {
		return value.Cell{Kind: k}
	}
	v := c.Vals[i]
	switch {
	case v != v:
		return value.Cell{Kind: value.KindNaN}
	case v == 0:
		v = 0 // drops the sign
	}
	return value.Cell{Kind: k, Val: v}
}

// Valid tells whether every cell has a kind there is, and every text id is a
// whole number below limit.
func (c *Cells) Valid(limit uint32) bool {
	if c.Kinds != nil && len(c.Kinds) < c.N || c.Vals != nil && len(c.Vals) < c.N {
		return false
	}
	if c.Kinds == nil && (c.Uniform < value.KindString || c.Uniform > value.KindTemporal) {
		return c.Uniform <= value.KindRef
	}
	for i := 0; i < c.N; i++ {
		k := c.Uniform
		if c.Kinds != nil {
			k = c.Kinds[i]
		}
		if k > value.KindRef {
			return false
		}
		if IsText(k) {
			var v float64
			if c.Vals != nil {
				v = c.Vals[i]
			}
			if !(v >= 0 && v < float64(limit)) || v != float64(uint32(v)) {
				return false
			}
		}
	}
	return true
}

// IsText tells whether a cell of kind k holds a text id.
func IsText(k uint8) bool { return k >= value.KindString && k <= value.KindTemporal }

// Shell answers pulls. Every method may run the shell's foreign code; an error
// is the shell's refusal, the cause of which stays outside. No method may lead
// to a command.
type Shell interface {
	// ReadColumn returns the values at path of the rows in slots of root col,
	// and from now on carries them as column index in every sync transaction. With text the
	// bytes of the texts in them are put into the dictionary first.
	ReadColumn(col, index uint32, path []string, text bool, slots []uint32) (Cells, error)
	// ReadKeys returns the keys behind ids of root col, as numbers or strings
	// with their texts, and carries new keys from now on.
	ReadKeys(col uint32, ids []uint32) (Cells, error)
	// Equal tells whether two rows of root col are deeply equal as template
	// tmpl shows them; 0 is the whole row.
	Equal(col, tmpl, a, b uint32) (bool, error)
	// Compose lays patches over rows of root col. words holds, for each of n rows, key
	// id, base slot or d2.None, flags (bit 0: pending), the number of patches and their slots, in order. It returns
	// the rows' slots and the cells of the carried columns, of which there are as many as columns.
	Compose(col uint32, words []uint32, n, columns int) ([]uint32, []Cells, error)
	// Compare orders two texts under a collation.
	Compare(collation, a, b uint32) (int, error)
}

// Foreign is a Shell that evaluates what is its own: callbacks, functions of
// texts and objects. Whatever texts are in the answers nobody refers to yet;
// the cells are valid until the next pull.
type Foreign interface {
	// Call returns, for each of n rows given by their parts, the value at path of
	// what callback id says of it (kind 0) or of the row live collection id shows
	// (kind 1). flags: CallText, CallContent.
	Call(kind, id uint32, path []string, flags uint32, n int, slots []uint32, cells []Cells) (Cells, error)
	// Apply applies the named function to n rows of operands. The answer comes with
	// the bytes of its texts.
	Apply(name string, n int, cells []Cells) (Cells, error)
	// SameRows tells whether two rows of live collection col, given by their parts
	// one after the other, look the same. Their values have been compared.
	SameRows(col uint32, slots []uint32, cells []Cells) (bool, error)
}

// Keyed is a Shell that can tell where rows have their keys.
type Keyed interface {
	// KeyPath returns the path at which every row of root col has its key, nil if
	// it has none or nobody knows: the key is then a function of the value at
	// path, and no two rows have the same.
	KeyPath(col uint32) ([]string, error)
}

// What Call asks about, and its flags.
const (
	CallFunction = 0
	CallRow      = 1
	CallText     = 1 // with the bytes of texts
	CallContent  = 2 // an object is stood for by one that is deeply equal
)

// mute is the error of a shell that is asked for what only a Foreign one can
// tell.
type mute struct{ what string }

func (m mute) Error() string { return "the shell cannot be asked to " + m.what }

// ForeignOf returns a shell as one that can be asked for what is its own; one that
// cannot refuses everything.
func ForeignOf(s Shell) Foreign {
	if f, ok := s.(Foreign); ok {
		return f
	}
	return deaf{}
}

// deaf answers nothing.
type deaf struct{}

func (deaf) Call(uint32, uint32, []string, uint32, int, []uint32, []Cells) (Cells, error) {
	return Cells{}, mute{"call a function"}
}

func (deaf) Apply(name string, _ int, _ []Cells) (Cells, error) {
	return Cells{}, mute{"apply " + name}
}

func (deaf) SameRows(uint32, []uint32, []Cells) (bool, error) { return false, mute{"compare rows"} }
