package jsbridge

import (
	"fmt"
	"strings"
	"testing"
)

const none = 0xFFFFFFFF

// expect compares effects with what docs/protocol.md says of them.
func (r *rig) expect(what string, got []any, want ...any) {
	r.t.Helper()
	if g, w := strings.ReplaceAll(fmt.Sprint(got), "4294967295", "NONE"), strings.ReplaceAll(fmt.Sprint(any(want)), "4294967295", "NONE"); g != w {
		r.t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

func TestEffects_ReadByAnotherImplementation(t *testing.T) {
	type e = []any
	r := newRig(t)
	r.open(v("b"), v("a"), v("c"))
	flagged := list{list{}, list{list{list{"x"}, field}, list{list{"big"}, call("gt", field, list{1, 6, r.text("b")})}}, list{list{field, 0, 0, 0}}, 0, 2}
	r.expect("Rows and Status", r.do(opStartQuery, 2, 1, list{6, 4}, flagged, list{r.text("b"), "b"}),
		e{effRows, 2, []uint32{1, 1, 0, 0}, []byte{0, 0}}, e{effStatus, 2, 0, 1, nil}, e{effStatus, 2, 1, 2, nil})
	r.do(live(opStartQuery, 3, 1, noQuery())...)
	r.expect("the content", r.do(opSubscribe, 2, 8, 1, nil, nil), e{effRows, 2, []uint32{1, 1, 0, 0}, []byte{0, 0}}, e{effEmit, 2, 8, 2, nil})
	r.do(opSubscribe, 3, 9, 0, nil, nil)
	put := func(slot uint32, key int, s string) []any {
		cells, texts := r.cells(s)
		r.rows[slot] = v(s)
		return r.do(opSync, 1, 77, 0, words{1, uint32(key), slot}, nil, nil, list{cells}, texts)
	}
	c := uint32(r.text("c"))
	r.expect("Install, Layout and given changes", put(3, 2, "B"),
		e{effInstall, 1, []uint32{2, 2, 3}, nil},
		e{effInstall, 2, []uint32{0, 0, none, 2, none, 3}, []byte{0}},
		e{effLayout, 2, []uint32{2, 2, 1, 0, 1, 0, 1, 0, 2, 3}},
		e{effInstall, 3, []uint32{2, 2, 3}, nil},
		e{effEmit, 2, 8, 0, nil}, e{effEmit, 3, 9, 1, []uint32{2, none, 3}},
		e{effFreeSlots, 1, []uint32{2}}, e{effFreeTexts, []uint32{c}})
	r.expect("a move whose value changed", put(4, 2, "ab"),
		e{effInstall, 1, []uint32{2, 3, 4}, nil},
		e{effInstall, 2, []uint32{2, 3, 4}, []byte{0}},
		e{effLayout, 2, []uint32{2, 2, 0, 1, 0, 0, 0, 1 | 1<<31}},
		e{effInstall, 3, []uint32{2, 3, 4}, nil},
		e{effEmit, 2, 8, 0, nil}, e{effEmit, 3, 9, 0, nil},
		e{effFreeSlots, 1, []uint32{3}}, e{effFreeTexts, []uint32{uint32(r.text("B"))}})
	same := 0
	r.onEqual = func() (bool, error) { same++; return same > 1, nil }
	r.expect("Rebind", put(5, 1, "a"),
		e{effInstall, 1, []uint32{1, 1, 5}, nil},
		e{effInstall, 2, []byte{}, []byte{}},
		e{effRebind, 2, []uint32{1, 1, 5}},
		e{effLayout, 2, []uint32{2, 2, 0, 0, 0, 0}},
		e{effInstall, 3, []uint32{1, 1, 5}, nil},
		e{effEmit, 3, 9, 1, []uint32{1, none, 5}}, e{effFreeSlots, 1, []uint32{1}})
	r.onEqual = nil
	r.expect("an order", r.do(opReadOrder, 1), e{effRows, 1, []uint32{0, 0, 1, 5, 2, 4}, nil})
	r.expect("a window", r.do(opSetWindow, 2, 1, 1),
		e{effInstall, 2, []uint32{1, 5, none}, []byte{}}, e{effLayout, 2, []uint32{2, 1, 1, 0, 0, 0, 0}}, e{effEmit, 2, 8, 0, nil})
	r.expect("Truncated", r.do(opSync, 1, 77, 1, words{}, nil, nil, list{list{0, nil}}, nil),
		e{effTruncated, 1}, e{effInstall, 1, []uint32{0, 0, none, 1, 5, none, 2, 4, none}, nil},
		e{effInstall, 2, []uint32{2, 4, none}, []byte{}}, e{effLayout, 2, []uint32{1, 0, 1, 0, 0, 0, 0}},
		e{effInstall, 3, []uint32{0, 0, none, 1, 5, none, 2, 4, none}, nil},
		e{effEmit, 2, 8, 0, nil}, e{effEmit, 3, 9, 1, []uint32{1, 5, none, 2, 4, none}},
		e{effFreeSlots, 1, []uint32{0, 5, 4}}, e{effFreeTexts, []uint32{uint32(r.text("a")), uint32(r.text("ab"))}})
	r.expect("Empty and DropColumn", r.do(opCleanup, 1),
		e{effStatus, 2, 2, 3, "its source was cleaned up"}, e{effEmpty, 2}, e{effStatus, 3, 2, 3, "its source was cleaned up"}, e{effEmpty, 3},
		e{effStatus, 1, 2, 4, nil}, e{effEmpty, 1}, e{effDropColumn, 1, 0})
	r.expect("an empty batch", r.do(opMarkError, 1), e{effStatus, 1, 4, 3, nil})
}

func TestEffects_KeysAreFreedInOneBatch(t *testing.T) {
	r := newRig(t)
	r.open()
	ops := words{}
	for i := range uint32(300) {
		ops = append(ops, 0, i, i)
	}
	r.do(opSync, 1, 77, 2, ops, nil, nil, list{}, nil)
	effects := r.do(opSync, 1, 77, 1, words{}, nil, nil, list{}, nil)
	last := effects[len(effects)-2:]
	if last[0].([]any)[0] != effFreeKeys || len(last[0].([]any)[2].([]uint32)) != 300 || last[1].([]any)[0] != effFreeSlots {
		t.Errorf("effects end with %v", last)
	}
}

// A refusal voids what was said before it, but not the columns that made room.
func TestEffects_ColumnsDroppedByARefusedCommandStayDropped(t *testing.T) {
	r := newRig(t)
	r.open(v("x\x00"))
	for i := range 24 {
		ref := list{0, list{fmt.Sprintf("f%d", i)}}
		r.do(live(opStartQuery, 2+i, 1, whereQuery(call("isNull", ref)))...)
		r.do(opCleanup, 2+i)
	}
	q := whereQuery(call("gt", field, num(1)))
	effects := r.run(Refused, encode(live(opStartQuery, 90, 1, q)...))
	if code, _ := r.refusal("start", effects); code != 11 {
		t.Errorf("code %d", code)
	}
	// The arrangement by key stays with the root, so one column has to go.
	r.expect("drops", effects[1:], []any{effDropColumn, 1, 0}, []any{effFreeTexts, []uint32{4}})
	columns := list{}
	for range 24 {
		columns = append(columns, list{0, nil})
	}
	r.do(opSync, 1, 77, 0, words{1, 0, 1}, nil, nil, columns, nil)
}
