package jsbridge

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestCommand_FromInsideAPullIsRefusedAndDisturbsNothing(t *testing.T) {
	r := newRig(t)
	r.open(v("b\x00"), v("a\x00"))
	nested := 0
	try := func() {
		nested++
		if status, out := r.s.Command(encode(opCleanup, 1)); status != Nested || out != nil {
			t.Errorf("status %d, effects %x", status, out)
		}
	}
	r.onAsk = func(q []any) ([]byte, error) { try(); return r.answer(q), nil }
	r.onOrder = func() (int, error) { try(); return 1, nil }
	r.onEqual = func() (bool, error) { try(); return false, nil }
	effects := r.do(live(opStartQuery, 2, 1, orderQuery(0, nil))...)
	if got := fmt.Sprint(effects); got != "[[7 2 [1 1 0 0] <nil>] [8 2 0 1 <nil>] [8 2 1 2 <nil>]]" {
		t.Errorf("effects %s", got)
	}
	r.do(opSync, 1, 77, 0, words{1, 0, 2}, nil, nil, list{list{3, doubles{1}}}, nil)
	if nested < 3 {
		t.Errorf("only %d commands were nested", nested)
	}
	r.do(opReadOrder, 2)
}

func TestPullFailed_AtTheStartUndoesTheCommand(t *testing.T) {
	r := newRig(t)
	r.open(v(1))
	before := r.stats()
	q := list{list{call("eq", field, list{1, 6, r.text("x")})}, nil, list{list{field, 0, 0, 0}}, nil, 2}
	for what, answer := range map[string]func(request []any) ([]byte, error){
		"the host threw":           func([]any) ([]byte, error) { return nil, errHost },
		"no answer":                func([]any) ([]byte, error) { return nil, nil },
		"no cells":                 func([]any) ([]byte, error) { return encode(nil, nil), nil },
		"too few cells":            func([]any) ([]byte, error) { return encode(list{3, doubles{}}, nil), nil },
		"cells of no kind":         func([]any) ([]byte, error) { return encode(list{octets{12}, doubles{0}}, nil), nil },
		"texts far away":           func([]any) ([]byte, error) { return encode(list{6, doubles{1 << 29}}, nil), nil },
		"a text item that is none": func([]any) ([]byte, error) { return encode(list{3, doubles{1}}, 1), nil },
	} {
		r.onAsk = answer
		code, _ := r.refusal(what, r.run(PullFailed, encode(live(opStartQuery, 2, 1, q)...)))
		if code != 10 {
			t.Errorf("%s: code %d", what, code)
		}
		r.onAsk = nil
		if after := r.stats(); after != before {
			t.Errorf("%s: before %s\nafter  %s", what, before, after)
		}
	}
	// Only the keys are refused: the column that came before stays warm.
	r.onAsk = func(q []any) ([]byte, error) {
		if q[0] == askKeys {
			return nil, errHost
		}
		return r.answer(q), nil
	}
	if code, _ := r.refusal("keys", r.run(PullFailed, encode(live(opStartQuery, 2, 1, q)...))); code != 10 {
		t.Errorf("keys: code %d", code)
	}
	r.onAsk = nil
	r.do(live(opStartQuery, 2, 1, q)...)
	// One column is for equality alone, the other brings the texts that order needs.
	text := list{6, doubles{float64(r.text("x"))}}
	r.do(opSync, 1, 77, 0, words{1, 0, 1}, nil, nil, list{text, text}, list{r.text("x"), "x"})
}

func TestPullFailed_WhileRowsComeInIsTheQuerysFailure(t *testing.T) {
	r := newRig(t)
	r.open(v("b"), v("a"))
	r.do(opCollation, 2, 0)
	r.do(live(opStartQuery, 2, 1, orderQuery(2, nil))...)
	r.do(live(opStartQuery, 3, 1, orderQuery(0, nil))...)
	r.onEqual = func() (bool, error) { return false, errHost }
	put := func(status int32, slot uint32, s string) string {
		cells, texts := r.cells(s)
		r.rows[slot] = v(s)
		return fmt.Sprint(r.run(status, encode(opSync, 1, 77, 0, words{1, 0, slot}, nil, nil, list{cells}, texts)))
	}
	if got := put(PullFailed, 2, "b"); !strings.HasPrefix(got, "[[5 1 [0 0 2] <nil>] [5 2 ") {
		t.Errorf("rows that cannot be compared count as changed: %s", got)
	}
	r.onEqual = nil
	r.onOrder = func() (int, error) { return 0, errHost }
	got := put(PullFailed, 3, "c")
	if !strings.Contains(got, "[8 2 2 3 ") || strings.Contains(got, "[5 2 ") || !strings.Contains(got, "[5 3 ") {
		t.Errorf("a comparison that fails: %s", got)
	}
	r.onOrder = nil
	if got := put(Done, 4, "d"); strings.Contains(got, "[5 2 ") || !strings.Contains(got, "[5 3 ") {
		t.Errorf("afterwards: %s", got)
	}
}

func TestBroken_APanicOutsideOfARunEndsTheSession(t *testing.T) {
	for what, breakIt := range map[string]func(r *rig) []byte{
		"while a column is read": func(r *rig) []byte {
			r.onAsk = func([]any) ([]byte, error) { panic("the host is gone") }
			return encode(live(opStartQuery, 2, 1, orderQuery(0, nil))...)
		},
		"while rows are compared": func(r *rig) []byte {
			r.onEqual = func() (bool, error) { panic(errHost) }
			return encode(opSync, 1, 77, 0, words{1, 0, 1}, nil, nil, list{}, nil)
		},
	} {
		r := newRig(t)
		r.open(v(1))
		message := breakIt(r)
		for i, m := range [][]byte{message, encode(opStats), message, nil, encode(opCreateRoot, 9, list{6, 3}, 0)} {
			effects := r.run(Broken, m)
			if code, _ := r.refusal(what, effects); code != 13 || len(effects) != 1 {
				t.Errorf("%s, command %d: %v", what, i, effects)
			}
		}
	}
}

func TestBroken_APanicInARunFailsTheQueryAlone(t *testing.T) {
	r := newRig(t)
	r.open(v("b"), v("a"))
	r.do(opCollation, 2, 0)
	r.do(live(opStartQuery, 3, 1, orderQuery(0, nil))...)
	q := orderQuery(0, nil)
	q[1] = list{list{list{"x"}, field}}
	r.do(live(opStartQuery, 2, 1, q)...)
	calls := 0
	r.onEqual = func() (bool, error) {
		if calls++; calls > 1 {
			panic("the host is gone")
		}
		return false, nil
	}
	cells, texts := r.cells("b")
	got := fmt.Sprint(r.run(Done, encode(opSync, 1, 77, 0, words{1, 0, 2}, nil, nil, list{cells}, texts)))
	if !strings.Contains(got, "[8 2 2 3 ") || !strings.Contains(got, "[5 3 [0 0 2] <nil>]") {
		t.Errorf("effects %s", got)
	}
	r.onEqual = nil
	r.do(opReadOrder, 3)
}

// The same commands with the same answers give the same bytes.
func TestCommand_IsDeterministic(t *testing.T) {
	var first [][]byte
	for round := range 2 {
		r := newRig(t)
		r.open(v("b"), v("a"), v("c"))
		i := 0
		for _, m := range script(r) {
			_, out := r.s.Command(m)
			if round == 0 {
				first = append(first, append([]byte{}, out...))
			} else if !reflect.DeepEqual(first[i], append([]byte{}, out...)) {
				t.Errorf("command %d: %x and %x", i, first[i], out)
			}
			i++
		}
	}
}

func script(r *rig) [][]byte {
	var out [][]byte
	for i := range 40 {
		q := orderQuery(0, i%5+1)
		q[0] = list{call("like", field, list{1, 6, r.text("%a%")}), call("in", list{0, list{"w"}}, list{3, list{3, float64(i)}})}
		out = append(out, encode(opStartQuery, 10+i, 1, list{6, 4}, q, list{r.text("%a%"), "%a%"}), encode(opSubscribe, 10+i, 1, i%3, nil, nil))
	}
	return append(out, encode(opStats), encode(opCleanup, 1), encode(opStats))
}
