package tests

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"

	"millrace.dev/millrace/jsbridge"
	"millrace.dev/millrace/jsbridge/shell"
)

// commandsOf lists the commands of a log.
func commandsOf(t testing.TB, log []byte) [][]byte {
	t.Helper()
	dec := msgpack.NewDecoder(bytes.NewReader(log))
	var commands [][]byte
	for {
		entry, err := dec.DecodeSlice()
		if err != nil {
			break
		}
		if kind, ok := entry[0].(int8); ok && kind == 1 {
			commands = append(commands, entry[1].([]byte))
		}
	}
	if len(commands) == 0 {
		t.Fatal("a log without commands")
	}
	return commands
}

// send gives a session bytes and holds SAFE: it ends in effects or in a refusal,
// and is as alive as before.
func send(t interface {
	Helper()
	Fatalf(string, ...any)
}, session *jsbridge.Session, msg []byte,
) {
	t.Helper()
	status, effects := session.Command(msg)
	if status != jsbridge.Done && status != jsbridge.Refused && status != jsbridge.PullFailed {
		t.Fatalf("%x ends with status %d: %q", msg, status, effects)
	}
	dec := msgpack.NewDecoder(bytes.NewReader(effects))
	if n, err := dec.DecodeArrayLen(); err != nil || n < 0 {
		t.Fatalf("%x has effects that are none: %x", msg, effects)
	}
}

// mutate changes a message in a way that often leaves it one.
func mutate(t *rapid.T, msg []byte) []byte {
	out := bytes.Clone(msg)
	for range rapid.IntRange(0, 3).Draw(t, "mutations") {
		if len(out) == 0 {
			return out
		}
		at := rapid.IntRange(0, len(out)-1).Draw(t, "at")
		switch rapid.IntRange(0, 4).Draw(t, "mutation") {
		case 0:
			out[at] = rapid.Byte().Draw(t, "byte")
		case 1:
			out[at] = rapid.SampledFrom([]byte{0, 1, 2, 0x7f, 0x80, 0x90, 0xc0, 0xc9, 0xcb, 0xff}).Draw(t, "byte")
		case 2:
			out = append(out[:at], out[at+1:]...)
		case 3:
			out = append(out[:at:at], append([]byte{rapid.Byte().Draw(t, "byte")}, out[at:]...)...)
		case 4:
			out = out[:at]
		}
	}
	return out
}

// garbageHost answers with what it was given, or refuses.
type garbageHost struct {
	columnHost
	answers [][]byte
}

func (h *garbageHost) Ask(request []byte) ([]byte, error) {
	if n := len(h.answers); n > 0 {
		answer := h.answers[n-1]
		h.answers = h.answers[:n-1]
		if answer == nil {
			return nil, errSilent
		}
		return answer, nil
	}
	return h.columnHost.Ask(request)
}

func (h *garbageHost) Compare(collation, a, b uint32) (int, error) { return int(a%3) - int(b%3), nil }

// TestSafe_MutatedCommandsEndInEffectsOrARefusal replays real sessions with their
// commands changed, left out, repeated and out of order.
func TestSafe_MutatedCommandsEndInEffectsOrARefusal(t *testing.T) {
	var sessions [][][]byte
	for seed := range 4 {
		sessions = append(sessions, commandsOf(t, recordedHistory(t, seed)), commandsOf(t, writesOn(t, seed, shell.Native)))
	}
	rapid.Check(t, func(t *rapid.T) {
		host := &garbageHost{}
		session := jsbridge.NewSession(host)
		commands := rapid.SampledFrom(sessions).Draw(t, "session")
		for i := 0; i < len(commands); i++ {
			msg := commands[i]
			switch rapid.IntRange(0, 12).Draw(t, "what") {
			case 0, 1, 2:
				msg = mutate(t, msg)
			case 3:
				i -= rapid.IntRange(0, min(i, 3)).Draw(t, "back")
			case 4:
				i++
			case 5:
				host.answers = append(host.answers, rapid.SliceOf(rapid.Byte()).Draw(t, "answer"))
			case 6:
				host.answers = append(host.answers, nil)
			}
			send(t, session, msg)
		}
	})
}

// TestSafe_MemoryStaysBounded: messages that name huge sizes and ids are refused
// without making room for them.
func TestSafe_MemoryStaysBounded(t *testing.T) {
	session := jsbridge.NewSession(&garbageHost{})
	for _, msg := range loadedRoot(10) {
		send(t, session, msg)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	huge := []byte{0xff, 0xff, 0xff, 0x7f}
	for _, c := range append(commandsOf(t, recordedHistory(t, 1)), commandsOf(t, writesOn(t, 1, shell.Native))...) {
		for at := 1; at+4 < len(c); at += 7 {
			msg := bytes.Clone(c)
			copy(msg[at:], huge)
			send(t, session, msg)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Errorf("the session holds %d MiB after messages that were refused", grown>>20)
	}
	runtime.KeepAlive(session)
}

// FuzzCommand gives a session with rows and queries any bytes as a command.
func FuzzCommand(f *testing.F) {
	commands := commandsOf(f, recordedHistory(f, 2))
	for _, c := range commands[:min(40, len(commands))] {
		f.Add(c)
	}
	for _, c := range commandsOf(f, writesOn(f, 2, shell.Native)) {
		f.Add(c)
	}
	f.Add([]byte{})
	f.Add([]byte{0x97, 6, 1, 0, 0xc0, 0xc0, 0x90, 0xc0})
	f.Fuzz(func(t *testing.T, msg []byte) {
		session := jsbridge.NewSession(&garbageHost{})
		for _, c := range loadedRoot(20) {
			send(t, session, c)
		}
		send(t, session, orderedQuery(2))
		send(t, session, msg)
		send(t, session, msg)
	})
}
