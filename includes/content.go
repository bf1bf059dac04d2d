package includes

import (
	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// hydrate computes the content from scratch.
func (l *Live) hydrate() ([]uint32, error) {
	e := l.engine
	if l.built != nil {
		rows, err := l.built.hydrate()
		l.size = len(rows)
		return rows, err
	}
	if l.window == noNode {
		slots, err := l.unordered(e.slots[:0], true)
		e.slots = slots
		l.size = len(slots)
		return slots, err
	}
	var rows []uint32
	if !l.pulls {
		var err error
		if rows, err = l.unordered(e.slots[:0], false); err != nil {
			return nil, err
		}
		e.slots = rows
		if rows == nil {
			rows = []uint32{}
		}
	}
	members, err := e.graph.LoadWindow(l.window, rows)
	l.size = len(members)
	return members, err
}

// content appends the current content, in order.
func (l *Live) content(dst []uint32) ([]uint32, error) {
	if l.output == noNode {
		return dst, nil
	}
	if l.window != noNode {
		return l.engine.graph.Rows(l.window, dst)
	}
	if l.built != nil {
		return l.built.unordered(dst)
	}
	return l.unordered(dst, true)
}

// unordered appends the rows that satisfy the conditions; sorted: by key.
func (l *Live) unordered(dst []uint32, sorted bool) ([]uint32, error) {
	root := l.src.root
	start := len(dst)
	var err error
	switch {
	case l.src.live != nil:
		in, err := l.src.live.content(nil)
		if err != nil {
			return dst, err
		}
		dst, err = l.prog.Select(in, dst)
		if err != nil || !sorted || l.src.live.window == noNode {
			return dst, err
		}
	case l.target != nil:
		dst, err = l.prog.Select(l.hash.Slots(l.route.Cells, nil), dst)
	case !sorted:
		dst, err = l.prog.Select(root.Slots(nil), dst)
		return dst, err
	default:
		order, err := root.byKey(l.engine)
		if err != nil {
			return dst, err
		}
		order.Tree.Scan(0, func(block []uint32) bool {
			dst, err = l.prog.Select(block, dst)
			return err == nil
		})
		return dst, err
	}
	if err == nil && sorted && len(dst)-start > 1 {
		var order *collection.Ordering
		if order, err = l.lease.Order(nil, false); err == nil {
			d2.SortSlots(dst[start:], order, order.OrderKey)
		}
	}
	return dst, err
}

// show tells the parts of rows: of a plain query the computed fields alone.
func (l *Live) show(slots []uint32) (*collection.Parts, error) {
	if l.built != nil {
		return l.built.show(slots)
	}
	if len(l.computed) == 0 {
		return nil, nil
	}
	parts := &collection.Parts{N: len(slots), Cells: make([]collection.Cells, len(l.computed))}
	for i, p := range l.computed {
		c := &parts.Cells[i]
		c.N, c.Kinds, c.Vals = len(slots), make([]uint8, len(slots)), make([]float64, len(slots))
		if err := p.Cells(slots, func(j int, cell value.Cell) { c.Kinds[j], c.Vals[j] = cell.Kind, cell.Val }); err != nil {
			return nil, err
		}
	}
	return parts, nil
}
