package collection

import (
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// What says which changes an Emit effect delivers. The numbers are the wire's.
type What uint8

// The kinds of batches.
const (
	EmitInstall What = iota // those of the Install of the same command
	EmitGiven               // the ones that come with it
	EmitContent             // the whole content, as inserts
	EmitEmpty               // none
)

// Parts is what rows of a live collection are made of (docs/queries.md): of N rows the slots, row
// by row, each with as many, d2.None where there is none; and the cells of every
// value. A nil Parts says nothing but the rows' ids.
type Parts struct {
	N     int
	Slots []uint32
	Cells []Cells
}

// Effects takes what a command leads to, in the order in which it is to be
// executed.
type Effects interface {
	// Install is the net changes, with the parts of the new rows in order.
	Install(col uint32, changes []d2.Change, parts *Parts)
	// Rebind is rows that look as before under other slots, with their parts if the
	// collection installs its rows with any.
	Rebind(col uint32, changes []d2.Change, parts *Parts)
	Layout(col uint32, delta *d2.Delta)
	// Rows is the whole content: pairs of key id and slot, with their parts.
	Rows(col uint32, pairs []uint32, parts *Parts)
	Status(col uint32, from, to Status, message string)
	Emit(col, sub uint32, what What, given []d2.Change)
	Empty(col uint32)
	Truncated(col uint32)
	DropColumn(col, index uint32)
	FreeKeys(col uint32, ids []uint32)
	FreeSlots(col uint32, slots []uint32)
	// Below tells the confirmed versions of covered keys: pairs of key id and slot.
	Below(col uint32, pairs []uint32)
	// Local tells which confirmed rows stand as local.
	Local(col uint32, slots []uint32)
	// Parked tells that a sync transaction waits.
	Parked(col, tx uint32)
	// Applied tells which sync transactions have waited and are applied.
	Applied(col uint32, txs []uint32)
	// Alone tells that no query reads the root, as far as it has been asked for.
	Alone(col uint32)
	// Found is the answer to Find: pairs of key id and slot in order.
	Found(col uint32, pairs []uint32)
}

// Base is what root and live collections have in common: identity, status and
// subscriptions.
type Base struct {
	ID     uint32
	Name   value.Cell // the public id, a text
	Status Status
	subs   []*Subscription
}

// Go sets the status and tells the shell. The caller has checked that it may.
func (b *Base) Go(to Status, message string, out Effects) {
	from := b.Status
	b.Status = to
	out.Status(b.ID, from, to, message)
}

// Subscribe adds a subscription. It reports nil if the id is taken.
func (b *Base) Subscribe(id uint32, mode Mode, where []*query.Expr) *Subscription {
	for _, s := range b.subs {
		if s.ID == id {
			return nil
		}
	}
	s := &Subscription{ID: id, Mode: mode, Where: where}
	b.subs = append(b.subs, s)
	return s
}

// EachSubscription calls visit with every subscription.
func (b *Base) EachSubscription(visit func(s *Subscription)) {
	for _, s := range b.subs {
		visit(s)
	}
}

// Find returns a subscription, or nil if there is none of the id.
func (b *Base) Find(id uint32) *Subscription {
	for _, s := range b.subs {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Unsubscribe removes a subscription and returns it, or nil if there is none.
func (b *Base) Unsubscribe(id uint32) *Subscription {
	for i, s := range b.subs {
		if s.ID == id {
			b.subs = append(b.subs[:i:i], b.subs[i+1:]...)
			return s
		}
	}
	return nil
}

// Subscriptions counts the subscriptions.
func (b *Base) Subscriptions() int { return len(b.subs) }

// Emit tells every subscription of net changes. With moved, an empty batch
// tells that only the order changed.
func (b *Base) Emit(changes []d2.Change, moved bool, out Effects) {
	if len(changes) == 0 && !moved {
		return
	}
	for _, s := range b.subs {
		if len(changes) == 0 {
			out.Emit(b.ID, s.ID, EmitEmpty, nil)
			continue
		}
		given, same := s.Filter(changes)
		switch {
		case same:
			out.Emit(b.ID, s.ID, EmitInstall, nil)
		case given != nil || len(s.Where) == 0:
			out.Emit(b.ID, s.ID, EmitGiven, given)
		}
	}
}

// EmitThese tells every subscription of net changes that were installed by
// earlier commands.
func (b *Base) EmitThese(changes []d2.Change, out Effects) {
	for _, s := range b.subs {
		given, same := s.Filter(changes)
		if same {
			given = changes
		}
		if given != nil || len(s.Where) == 0 {
			out.Emit(b.ID, s.ID, EmitGiven, given)
		}
	}
}

// EmitEmpty sends every subscription an empty batch: the collection is ready.
func (b *Base) EmitEmpty(out Effects) {
	for _, s := range b.subs {
		out.Emit(b.ID, s.ID, EmitEmpty, nil)
	}
}

// Forget makes the subscriptions forget what they were told: the collection is
// empty again.
func (b *Base) Forget() {
	for _, s := range b.subs {
		s.forget()
	}
}

// EmitAll tells every subscription of the whole content as inserts; all lists
// it.
func (b *Base) EmitAll(all []d2.Change, out Effects) {
	for _, s := range b.subs {
		given, _ := s.Filter(all)
		switch {
		case len(s.Where) == 0:
			out.Emit(b.ID, s.ID, EmitContent, nil)
		case given != nil:
			out.Emit(b.ID, s.ID, EmitGiven, given)
		}
	}
}
