package tests

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"millrace.dev/millrace/jsbridge"
	"millrace.dev/millrace/jsbridge/shell"
	"millrace.dev/millrace/tests/model"
)

// same is equality of results: by content, NaN equal to itself.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, same)
	case []byte:
		y, ok := b.([]byte)
		return ok && bytes.Equal(x, y)
	case *big.Int:
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.UnixMilli() == y.UnixMilli()
	case float64:
		y, ok := b.(float64)
		return ok && (x == y || x != x && y != y)
	}
	return a == b
}

// replica is what a subscriber believes, from nothing but what it was told.
type replica struct {
	mode    shell.Mode
	sub     *shell.Subscription
	rows    map[any]any
	batches int // since the last look
	empty   int // of them
	fault   string
}

func (r *replica) take(changes []shell.Change) {
	r.batches++
	if len(changes) == 0 {
		r.empty++
	}
	seen := map[any]bool{}
	for _, c := range changes {
		old, known := r.rows[c.Key]
		switch {
		case seen[c.Key]:
			r.fault = fmt.Sprintf("%v is told of twice in one batch", c.Key)
		case c.Op == shell.Insert && known:
			r.fault = fmt.Sprintf("insert of %v, which is there", c.Key)
		case c.Op != shell.Insert && !known:
			r.fault = fmt.Sprintf("%v of %v, which is not there", c.Op, c.Key)
		case c.Op == shell.Update && !same(old, c.Previous), c.Op == shell.Delete && !same(old, c.Row):
			r.fault = fmt.Sprintf("%v of %v from a value it did not have: %v, not %v", c.Op, c.Key, c.Previous, old)
		}
		seen[c.Key] = true
		if c.Op == shell.Delete {
			delete(r.rows, c.Key)
		} else {
			r.rows[c.Key] = c.Row
		}
	}
}

// relation is a collection or a live query of the machine.
type relation struct {
	name   string
	root   *shell.Collection // or:
	live   *shell.Live
	query  drawnQuery
	source *relation
	depth  int
	offset int // before the window was moved
	limit  int

	rows     map[any]model.Row // of a root
	ready    bool
	cleaned  bool
	orphaned bool // its source was cleaned up
	failed   bool // by a value or a refused pull; until it is cleaned up
	replicas []*replica
	shown    []shell.Entry // after the last step
}

type shown interface {
	shell.Source
	Entries() []shell.Entry
	Subscribe(shell.Mode, func([]shell.Change), ...shell.Expr) (*shell.Subscription, error)
	Status() shell.Status
	Len() int
	Get(any) (any, bool)
}

func (r *relation) shell() shown {
	if r.live != nil {
		return r.live
	}
	return r.root
}

// want is the content by the model.
func (r *relation) want() ([]model.Row, error) {
	if r.source == nil {
		rows := slices.Collect(maps.Values(r.rows))
		return model.Query{Limit: -1}.Run(rows)
	}
	rows, err := r.source.want()
	if err != nil {
		return nil, err
	}
	return r.query.model.Run(slices.Clone(rows))
}

// faults makes the engine's pulls fail on demand.
type faults struct {
	jsbridge.Host
	after int // the pull that fails, counted down; 0: none
	fired bool
}

var errInjected = errors.New("injected")

func (f *faults) strike() bool {
	if f.after == 0 {
		return false
	}
	f.after--
	f.fired = f.fired || f.after == 0
	return f.after == 0
}

func (f *faults) Ask(request []byte) ([]byte, error) {
	if f.strike() {
		return nil, errInjected
	}
	return f.Host.Ask(request)
}

func (f *faults) Equal(col, tmpl, a, b uint32) (bool, error) {
	if f.strike() {
		return false, errInjected
	}
	return f.Host.Equal(col, tmpl, a, b)
}

func (f *faults) Compare(collation, a, b uint32) (int, error) {
	if f.strike() {
		return 0, errInjected
	}
	return f.Host.Compare(collation, a, b)
}
