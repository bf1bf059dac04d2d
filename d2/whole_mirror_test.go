package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// mirror is a sink that knows what it has been told, and nothing else.
type mirror struct {
	w      *whole
	lens   lens
	keys   d2.Keys
	rows   map[uint32]int
	facts  map[uint32]fact
	seq    []uint32
	fails  int
	echoes bool
	bad    string
}

func (m *mirror) complain(format string, args ...any) {
	if m.bad == "" {
		m.bad = fmt.Sprintf(format, args...)
	}
}

func (m *mirror) Fail(err error) {
	if m.fails++; m.fails > 1 || err == nil {
		m.complain("told of failure %d times, %v", m.fails, err)
	}
}

func (m *mirror) Receive(r *d2.Result) {
	if m.fails > 0 {
		m.complain("told something after a failure")
	}
	if r.Fresh || m.rows == nil {
		m.rows, m.facts = map[uint32]int{}, map[uint32]fact{}
	}
	if r.Fresh {
		m.seq = nil
	}
	sum := map[uint32]int{}
	for _, d := range r.Diffs {
		if _, twice := sum[d.Row]; twice || d.Weight == 0 {
			m.complain("batch is not consolidated: %v", r.Diffs)
		}
		sum[d.Row] = int(d.Weight)
		f := m.lens.see(d.Row)
		if was, ok := m.facts[d.Row]; ok && was != f {
			m.complain("row %d was %v and is %v", d.Row, was, f)
		}
		m.facts[d.Row] = f
		if m.rows[d.Row] += int(d.Weight); m.rows[d.Row] == 0 {
			delete(m.rows, d.Row)
			delete(m.facts, d.Row)
		}
	}
	if m.keys != nil {
		seen := map[uint32]bool{}
		for _, c := range r.Changes {
			if seen[c.Key] {
				m.complain("key %d changes twice", c.Key)
			}
			seen[c.Key] = true
			if c.Old != d2.None {
				sum[c.Old]++
			}
			if c.New != d2.None {
				sum[c.New]--
			}
		}
		for row, n := range sum {
			if n != 0 {
				m.complain("changes %v are not batch %v: row %d", r.Changes, r.Diffs, row)
			}
		}
	}
	if r.Delta != nil {
		m.apply(r.Delta)
	}
	if m.echoes && m.w.echo > 0 {
		m.w.echo--
		left := m.w.fuse.left
		m.w.fuse.left = 0
		m.w.change(2, m.w.echo%3)
		m.w.fuse.left = left
	}
}

// apply takes the sequence through a delta, as its definition says.
func (m *mirror) apply(d *d2.Delta) {
	if d.OldLen == 0 {
		m.seq = nil
	}
	if int(d.OldLen) != len(m.seq) {
		m.complain("delta %+v counts from %d rows, there are %d", *d, d.OldLen, len(m.seq))
		return
	}
	gone := map[int]bool{}
	for _, l := range d.Leaves {
		if m.seq[l.At] != l.Old {
			m.complain("row %d leaves at %d in %v", l.Old, l.At, m.seq)
		}
		gone[int(l.At)] = true
	}
	put := map[int]uint32{}
	for _, v := range d.Moves {
		if m.seq[v.From] != v.Old {
			m.complain("row %d moves from %d in %v", v.Old, v.From, m.seq)
		}
		gone[int(v.From)], put[int(v.To)] = true, v.New
	}
	for _, e := range d.Enters {
		put[int(e.At)] = e.New
	}
	var rest, out []uint32
	for i, row := range m.seq {
		if !gone[i] {
			rest = append(rest, row)
		}
	}
	for len(rest)+len(put) > 0 {
		if row, ok := put[len(out)]; ok {
			delete(put, len(out))
			out = append(out, row)
		} else if len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		} else {
			m.complain("delta %+v leaves gaps", *d)
			return
		}
	}
	for _, u := range append(append([]d2.Update(nil), d.Updates...), d.Rebinds...) {
		if out[u.At] != u.Old {
			m.complain("row %d is updated at %d of %v", u.Old, u.At, out)
		}
		out[u.At] = u.New
	}
	if len(out) != int(d.NewLen) {
		m.complain("delta %+v ends with %d rows", *d, len(out))
	}
	m.seq = out
}
