package shell

import (
	"bytes"
	"errors"
	"strings"
)

// pulls answers what the engine asks; it implements jsbridge.Host.
type pulls struct{ db *DB }

// The requests.
const (
	askColumn = 1
	askKeys   = 3
	askRows   = 4
)

var errNoOrder = errors.New("millrace: values of this type have no order")

// guard runs a pull during which no command may be issued, and keeps what it
// fails with.
func (p *pulls) guard(where string, f func() error) error {
	p.db.pulling = true
	defer func() { p.db.pulling = false }()
	var err error
	if caught := contained(where, func() { err = f() }); caught != nil {
		err = caught
	}
	if err != nil && p.db.cause == nil {
		p.db.cause = err
	}
	return err
}

// Ask implements jsbridge.Host.
func (p *pulls) Ask(request []byte) (answer []byte, err error) {
	err = p.guard("a row while its values were read", func() error {
		in := newReader(request)
		in.array()
		switch kind := in.u32(); kind {
		case askColumn:
			answer, err = p.column(in)
		case askKeys:
			answer, err = p.keys(in)
		case askRows:
			answer, err = p.rows(in)
		default:
			err = &Error{Code: CodeBadMessage, Message: "the engine asks for something unknown"}
		}
		return err
	})
	return answer, err
}

func (p *pulls) root(in *reader) (*Collection, error) {
	col := in.u32()
	if r := p.db.relations[col]; r != nil && r.source == nil {
		return r.root, nil
	}
	return nil, &Error{Code: CodeUnknownCollection, Message: "the engine asks about a collection that is none"}
}

func (p *pulls) column(in *reader) ([]byte, error) {
	root, err := p.root(in)
	if err != nil {
		return nil, err
	}
	c := column{index: in.u32()}
	for range in.array() {
		c.path = append(c.path, in.str())
	}
	flags := in.u32()
	slots := in.blockU32()
	if in.err != nil {
		return nil, in.err
	}
	c.text = flags&1 != 0
	m := newMessage()
	m.array(2)
	var values cells
	var ids []uint32
	for _, s := range slots {
		root.extract(&c, s, &values, &ids)
	}
	values.write(m)
	p.db.texts.write(m, ids)
	if flags&2 != 0 {
		root.columns = append(root.columns, c)
	}
	return m.buf.Bytes(), nil
}

func (p *pulls) keys(in *reader) ([]byte, error) {
	root, err := p.root(in)
	ids := in.blockU32()
	if err == nil {
		err = in.err
	}
	if err != nil {
		return nil, err
	}
	m := newMessage()
	m.array(2)
	root.writeKeys(m, ids)
	root.keysCarried = true
	return m.buf.Bytes(), nil
}

// rows lays patches over rows.
func (p *pulls) rows(in *reader) ([]byte, error) {
	root, err := p.root(in)
	words := in.blockU32()
	if err == nil {
		err = in.err
	}
	if err != nil {
		return nil, err
	}
	var slots []uint32
	for len(words) >= 4 {
		key, base, flags, n := words[0], words[1], words[2], int(words[3])
		var row any
		if base != none {
			row = root.slots[base].row
		}
		for _, s := range words[4 : 4+n] {
			over, ok := root.slots[s].row.(patch)
			if !ok {
				return nil, &Error{Code: CodeBadMessage, Message: "the engine lays a row over a row"}
			}
			if row, err = root.patched(row, over.changes); err != nil {
				return nil, err
			}
		}
		slot := root.takeSlot(row, key)
		if flags&1 != 0 {
			root.slots[slot].standing = pendingRow
		}
		slots = append(slots, slot)
		words = words[4+n:]
	}
	m := newMessage()
	m.array(3)
	m.blockU32(slots)
	var ids []uint32
	if err := root.writeColumns(m, slots, &ids); err != nil {
		return nil, err
	}
	p.db.texts.write(m, ids)
	return m.buf.Bytes(), nil
}

// Equal implements jsbridge.Host.
func (p *pulls) Equal(col, tmpl, a, b uint32) (equal bool, err error) {
	err = p.guard("a row while it was compared", func() error {
		if tmpl == 0 {
			tmpl = col
		}
		r := p.db.relations[tmpl]
		if r == nil {
			return &Error{Code: CodeUnknownCollection, Message: "the engine asks about a collection that is none"}
		}
		equal = deepEqual(r.essence(a), r.essence(b))
		return nil
	})
	return equal, err
}

// Compare implements jsbridge.Host.
func (p *pulls) Compare(collation, a, b uint32) (order int, err error) {
	err = p.guard("a comparison of texts", func() error {
		keys := p.db.texts.keys
		if int(a) >= len(keys) || int(b) >= len(keys) {
			return &Error{Code: CodeBadMessage, Message: "the engine compares texts that are none"}
		}
		if collation == 1 {
			order, err = compareTemporals(keys[a].text, keys[b].text)
			return err
		}
		c := p.db.collators[collation]
		if c == nil {
			return &Error{Code: CodeBadMessage, Message: "the engine compares under a collation that is none"}
		}
		order = c.CompareString(keys[a].text, keys[b].text)
		return nil
	})
	return order, err
}

// compareTemporals orders two temporals of one type; month and day without a year
// have no order.
func compareTemporals(a, b string) (int, error) {
	if strings.HasPrefix(a, "PlainMonthDay\x00") {
		return 0, errNoOrder
	}
	return bytes.Compare([]byte(a), []byte(b)), nil
}
