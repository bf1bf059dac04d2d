package jsbridge

import (
	"strconv"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/jsbridge/msgpack"
)

// The requests.
const (
	askColumn = 1
	askKeys   = 3
	askRows   = 4
)

// Flags of a column request.
const (
	flagText  = 1
	flagCarry = 2
)

// pullError is a pull the shell refused or answered with nonsense.
type pullError struct{ text string }

func (e *pullError) Error() string { return e.text }

var errRefused = &pullError{"the shell threw while answering a pull"}

// pulls turns what the engine wants to know into requests. It implements
// collection.Shell.
type pulls struct {
	host   Host
	dict   *collection.Dict
	out    msgpack.Writer
	in     msgpack.Reader
	vals   []float64
	cols   [][]float64 // of composed rows
	slots  []uint32
	failed bool // a pull failed since the command began
	count  uint64
}

func (p *pulls) refused(err error) error {
	p.failed = true
	if err == nil {
		return errRefused
	}
	return err
}

// ReadColumn implements collection.Shell.
func (p *pulls) ReadColumn(col, index uint32, path []string, text bool, slots []uint32) (collection.Cells, error) {
	w := &p.out
	w.Reset()
	w.Array(6)
	w.Uint(askColumn)
	w.Uint(uint64(col))
	w.Uint(uint64(index))
	w.Array(len(path))
	for _, name := range path {
		w.Str(name)
	}
	flags := uint64(flagCarry)
	if text {
		flags |= flagText
	}
	w.Uint(flags)
	w.BlockU32(slots)
	return p.ask(len(slots), text, "column "+strconv.Itoa(int(index)))
}

// ReadKeys implements collection.Shell.
func (p *pulls) ReadKeys(col uint32, ids []uint32) (collection.Cells, error) {
	w := &p.out
	w.Reset()
	w.Array(3)
	w.Uint(askKeys)
	w.Uint(uint64(col))
	w.BlockU32(ids)
	return p.ask(len(ids), true, "keys")
}

// ask sends the request and reads an answer of n cells and, with text, the
// bytes of their texts.
func (p *pulls) ask(n int, text bool, what string) (collection.Cells, error) {
	p.count++
	answer, err := p.host.Ask(p.out.Bytes())
	if err != nil {
		return collection.Cells{}, p.refused(nil)
	}
	p.in.Reset(answer)
	p.in.ArrayOf(2)
	cells := readCells(&p.in, n, &p.vals)
	p.texts(&p.in)
	if err := p.in.Err(); err != nil {
		return collection.Cells{}, p.refused(&pullError{"answer to the pull of " + what + ": " + err.Error()})
	}
	if !cells.Valid(p.dict.Limit(n)) {
		return collection.Cells{}, p.refused(&pullError{"answer to the pull of " + what + " holds cells that are none"})
	}
	if text && !p.dict.KnowsAll(&cells) {
		return collection.Cells{}, p.refused(&pullError{"answer to the pull of " + what + " lacks the bytes of its texts"})
	}
	return cells, nil
}

// Compose implements collection.Shell.
func (p *pulls) Compose(col uint32, words []uint32, n, columns int) ([]uint32, []collection.Cells, error) {
	w := &p.out
	w.Reset()
	w.Array(3)
	w.Uint(askRows)
	w.Uint(uint64(col))
	w.BlockU32(words)
	p.count++
	answer, err := p.host.Ask(w.Bytes())
	if err != nil {
		return nil, nil, p.refused(nil)
	}
	in := &p.in
	in.Reset(answer)
	in.ArrayOf(3)
	p.slots = in.BlockU32(p.slots[:0])
	for len(p.cols) < columns {
		p.cols = append(p.cols, nil)
	}
	at := in.Pos()
	cells := make([]collection.Cells, 0, columns)
	m := in.Array()
	if m != columns || len(p.slots) != n {
		in.Fail(at, strconv.Itoa(n)+" rows of "+strconv.Itoa(columns)+" columns", strconv.Itoa(len(p.slots))+" of "+strconv.Itoa(m))
	}
	for i := 0; i < columns && !in.Failed(); i++ {
		cells = append(cells, readCells(in, n, &p.cols[i]))
	}
	p.texts(in)
	if err := in.Err(); err != nil {
		return nil, nil, p.refused(&pullError{"answer to the pull of composed rows: " + err.Error()})
	}
	return p.slots, cells, nil
}

// texts reads a texts item into the dictionary.
func (p *pulls) texts(in *msgpack.Reader) {
	if in.Nil() {
		return
	}
	n := in.Array()
	if n > 256 {
		// What is left of the message is little more than the texts.
		p.dict.Expect(n/2, in.Left())
	}
	for i := 0; i < n && !in.Failed(); i += 2 {
		at := in.Pos()
		id := in.U32()
		text, _ := in.Text()
		if id >= p.dict.Limit(n/2) {
			in.Fail(at, "a text id without gaps", strconv.FormatUint(uint64(id), 10))
		}
		if !in.Failed() {
			p.dict.Put(id, text)
		}
	}
}

// Equal implements collection.Shell.
func (p *pulls) Equal(col, tmpl, a, b uint32) (bool, error) {
	p.count++
	equal, err := p.host.Equal(col, tmpl, a, b)
	if err != nil {
		return false, p.refused(nil)
	}
	return equal, nil
}

// Compare implements collection.Shell.
func (p *pulls) Compare(collation, a, b uint32) (int, error) {
	p.count++
	c, err := p.host.Compare(collation, a, b)
	if err != nil {
		return 0, p.refused(nil)
	}
	return c, nil
}

var (
	_ collection.Shell = (*pulls)(nil)
	_ value.Texts      = (*collection.Dict)(nil)
)
