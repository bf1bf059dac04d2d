package jsbridge

import (
	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
	"millrace.dev/millrace/includes"
	"millrace.dev/millrace/jsbridge/msgpack"
)

// The effects.
const (
	effError = 1 + iota
	effFreeTexts
	effFreeKeys
	effFreeSlots
	effInstall
	effLayout
	effRows
	effStatus
	effEmit
	effDropColumn
	effTruncated
	effStats
	effEmpty
	effRebind
	effBelow
	effLocal
	effParked
	effApplied
	effFound
	effAlone
)

// effects writes the effects of a command as they arise. It implements
// collection.Effects.
type effects struct {
	w     msgpack.Writer
	n     int
	words []uint32
	ids   []uint32
	kept  []dropped // column drops, which outlive a refusal
	fixed place     // what lies before it outlives a refusal
}

// place is a point in the effects of a command.
type place struct{ bytes, n, kept int }

type dropped struct{ col, index uint32 }

// begin starts the effects of a command. The array's length is set at the end.
func (f *effects) begin() {
	f.w.Release(1 << 20)
	f.w.Reset()
	f.w.OpenArray()
	f.n = 0
	f.kept = f.kept[:0]
	f.mark()
}

// mark makes what was written so far outlive a refusal.
func (f *effects) mark() { f.fixed = place{f.w.Len(), f.n, len(f.kept)} }

func (f *effects) end() []byte {
	f.w.CloseArray(1, f.n)
	return f.w.Bytes()
}

// retract takes back what was written and says why the command was refused.
// Columns that were dropped to make room are dropped all the same.
func (f *effects) retract(err error) {
	kept := f.kept[f.fixed.kept:]
	f.w.Truncate(f.fixed.bytes)
	f.n = f.fixed.n
	f.kept = nil
	f.failWith(err)
	for _, d := range kept {
		f.DropColumn(d.col, d.index)
	}
}

func (f *effects) open(op, items int) {
	f.n++
	f.w.Array(items + 1)
	f.w.Uint(uint64(op))
}

func (f *effects) u(v uint32) { f.w.Uint(uint64(v)) }

func (f *effects) fail(code uint32, path, text string) {
	f.open(effError, 3)
	f.u(code)
	f.w.Str(path)
	f.w.Str(text)
}

// failWith writes the Error effect of a refusal.
func (f *effects) failWith(err error) {
	for cause := err; cause != nil; {
		switch x := cause.(type) {
		case *includes.Refusal:
			f.fail(uint32(x.Code), x.Path, x.Text)
			return
		case *query.Error:
			f.fail(uint32(x.Code), x.Path, x.Text)
			return
		case *collection.SyncError:
			code := includes.CodeBadMessage
			if x.Duplicate {
				code = includes.CodeDuplicateKeySync
			}
			f.fail(uint32(code), x.Path, x.Text)
			return
		case *pullError:
			f.fail(uint32(includes.CodePullFailed), "", x.text)
			return
		case interface{ Unwrap() error }:
			cause = x.Unwrap()
			continue
		default:
			cause = nil
		}
	}
	f.fail(uint32(includes.CodeQueryFailed), "", err.Error())
}

func (f *effects) triples(changes []d2.Change) {
	dst := f.w.BlockU32Space(3 * len(changes))
	for i, c := range changes {
		dst[3*i], dst[3*i+1], dst[3*i+2] = c.Key, c.Old, c.New
	}
}

// parts writes the computed fields of rows, a byte each: 0 false, 1 true, 2 null.
func (f *effects) parts(p *collection.Parts) {
	if p == nil {
		f.w.Nil()
		return
	}
	b := make([]byte, 0, p.N*len(p.Cells))
	for i := range p.N {
		for j := range p.Cells {
			switch c := p.Cells[j].At(i); {
			case c.Kind != value.KindBool:
				b = append(b, 2)
			default:
				b = append(b, byte(c.Val))
			}
		}
	}
	f.w.BlockBytes(b)
}

// Install implements collection.Effects.
func (f *effects) Install(col uint32, changes []d2.Change, parts *collection.Parts) {
	f.open(effInstall, 3)
	f.u(col)
	f.triples(changes)
	f.parts(parts)
}

// Rebind implements collection.Effects.
func (f *effects) Rebind(col uint32, changes []d2.Change, parts *collection.Parts) {
	if parts == nil {
		f.open(effRebind, 2)
	} else {
		f.open(effRebind, 3)
	}
	f.u(col)
	f.triples(changes)
	if parts != nil {
		f.parts(parts)
	}
}

// changedBit marks the new position of a moved row whose value changed.
const changedBit = 1 << 31

// Layout implements collection.Effects.
func (f *effects) Layout(col uint32, d *d2.Delta) {
	w := append(f.words[:0], d.OldLen, d.NewLen,
		uint32(len(d.Leaves)), uint32(len(d.Moves)), uint32(len(d.Enters)), uint32(len(d.Updates)))
	for _, x := range d.Leaves {
		w = append(w, x.At)
	}
	for _, x := range d.Moves {
		to := x.To
		if x.Changed {
			to |= changedBit
		}
		w = append(w, x.From, to)
	}
	for _, x := range d.Enters {
		w = append(w, x.At, x.Key, x.New)
	}
	for _, x := range d.Updates {
		w = append(w, x.At, x.New)
	}
	f.words = w
	f.open(effLayout, 2)
	f.u(col)
	f.w.BlockU32(w)
}

// Rows implements collection.Effects.
func (f *effects) Rows(col uint32, pairs []uint32, parts *collection.Parts) {
	f.open(effRows, 3)
	f.u(col)
	f.w.BlockU32(pairs)
	f.parts(parts)
}

// Status implements collection.Effects.
func (f *effects) Status(col uint32, from, to collection.Status, message string) {
	f.open(effStatus, 4)
	f.u(col)
	f.u(uint32(from))
	f.u(uint32(to))
	if message == "" {
		f.w.Nil()
	} else {
		f.w.Str(message)
	}
}

// Emit implements collection.Effects.
func (f *effects) Emit(col, sub uint32, what collection.What, given []d2.Change) {
	f.open(effEmit, 4)
	f.u(col)
	f.u(sub)
	f.u(uint32(what))
	if what == collection.EmitGiven {
		f.triples(given)
	} else {
		f.w.Nil()
	}
}

// Empty implements collection.Effects.
func (f *effects) Empty(col uint32) {
	f.open(effEmpty, 1)
	f.u(col)
}

// Truncated implements collection.Effects.
func (f *effects) Truncated(col uint32) {
	f.open(effTruncated, 1)
	f.u(col)
}

// DropColumn implements collection.Effects.
func (f *effects) DropColumn(col, index uint32) {
	f.kept = append(f.kept, dropped{col, index})
	f.open(effDropColumn, 2)
	f.u(col)
	f.u(index)
}

// FreeKeys implements collection.Effects.
func (f *effects) FreeKeys(col uint32, ids []uint32) {
	f.blockOf(effFreeKeys, col, ids)
}

// FreeSlots implements collection.Effects.
func (f *effects) FreeSlots(col uint32, slots []uint32) {
	f.blockOf(effFreeSlots, col, slots)
}

// Below implements collection.Effects.
func (f *effects) Below(col uint32, pairs []uint32) { f.blockOf(effBelow, col, pairs) }

// Local implements collection.Effects.
func (f *effects) Local(col uint32, slots []uint32) { f.blockOf(effLocal, col, slots) }

// Applied implements collection.Effects.
func (f *effects) Applied(col uint32, txs []uint32) { f.blockOf(effApplied, col, txs) }

// Alone implements collection.Effects.
func (f *effects) Alone(col uint32) {
	f.open(effAlone, 1)
	f.u(col)
}

// Found implements collection.Effects.
func (f *effects) Found(col uint32, pairs []uint32) { f.blockOf(effFound, col, pairs) }

func (f *effects) blockOf(op int, col uint32, words []uint32) {
	f.open(op, 2)
	f.u(col)
	f.w.BlockU32(words)
}

// Parked implements collection.Effects.
func (f *effects) Parked(col, tx uint32) {
	f.open(effParked, 2)
	f.u(col)
	f.u(tx)
}

func (f *effects) freeTexts(d *collection.Dict) {
	f.ids = d.Sweep(f.ids[:0])
	if len(f.ids) > 0 {
		f.open(effFreeTexts, 1)
		f.w.BlockU32(f.ids)
	}
}

func (f *effects) stats(s includes.Stats, commands, pulls uint64) {
	f.open(effStats, 1)
	entries := [...]struct {
		name string
		n    int
	}{
		{"roots", s.Roots},
		{"lives", s.Lives},
		{"rows", s.Rows},
		{"columns", s.Columns},
		{"arrangements", s.Arrangements},
		{"nodes", s.Nodes},
		{"retained", s.Retained},
		{"pinned", s.Pinned},
		{"texts", s.Texts},
		{"bytes", s.Bytes},
		{"layers", s.Layers},
		{"parked", s.Parked},
		{"visits", s.Visits},
		{"scanned", s.Scanned},
		{"refills", s.Refills},
		{"commands", int(commands)},
		{"pulls", int(pulls)},
	}
	f.w.Map(len(entries))
	for _, e := range entries {
		f.w.Str(e.name)
		f.w.Int(int64(e.n))
	}
}
