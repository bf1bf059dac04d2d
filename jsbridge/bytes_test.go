package jsbridge

import (
	"testing"
)

// Damaged commands are refused, or carried out as what they happen to say; they
// never break the session.
func TestCommand_NoBytesBreakTheSession(t *testing.T) {
	x := uint64(7)
	rnd := func(n int) int {
		x = x*6364136223846793005 + 1442695040888963407
		return int(x>>33) % n
	}
	done := 0
	for round := range 40 {
		r := newRig(t)
		r.onAsk = func(q []any) ([]byte, error) {
			if rnd(50) == 0 {
				return nil, errHost
			}
			return r.answer(q), nil
		}
		r.onEqual = func() (bool, error) { return rnd(4) == 0, nil }
		r.open(v("b"), v("a"), v("c"), v(4))
		messages := script(r)
		messages = append(messages, encode(opSetWindow, 12, 1, 3), encode(opMarkError, 11), encode(opCleanup, 12), encode(opForget, 14))
		slot := 4
		// sync is a transaction that fits the columns there are.
		sync := func() []byte {
			ops, keys, ids := words{}, words{}, doubles{}
			var values []any
			for range 1 + rnd(4) {
				key := uint32(rnd(9))
				keys, ids = append(keys, key), append(ids, float64(key))
				if rnd(4) == 0 {
					ops = append(ops, 2, key, none)
					continue
				}
				ops = append(ops, 1, key, uint32(slot))
				slot++
				values = append(values, []any{"a", "abc", nil, 4, "at\x00"}[rnd(5)])
			}
			cells, texts := r.cells(values...)
			columns := list{}
			for range r.s.engine.Stats().Columns {
				columns = append(columns, cells)
			}
			return encode(opSync, 1, 77, rnd(8)/7, ops, nil, list{keys, list{3, ids}}, columns, texts)
		}
		for range 1500 {
			m := append([]byte{}, messages[rnd(len(messages))]...)
			if rnd(3) > 0 {
				m = sync()
			}
			for range rnd(8) - 5 {
				switch at := rnd(len(m)); rnd(3) {
				case 0:
					m[at] = byte(rnd(256))
				case 1:
					m[at] ^= 1 << rnd(8)
				default:
					m = append(m[:at], m[min(len(m), at+1+rnd(3)):]...)
				}
				if len(m) == 0 {
					break
				}
			}
			status, out := r.s.Command(m)
			if status == Done {
				done++
			}
			if status == Broken {
				t.Fatalf("round %d: command %x breaks the session: %s", round, m, out)
			}
			decode(t, out)
		}
	}
	if done < 10000 {
		t.Errorf("only %d commands were carried out", done)
	}
}
