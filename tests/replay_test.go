package tests

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/jsbridge/shell"
	"millrace.dev/millrace/jsbridge/wazerohost"
)

// recordedHistory runs a random history and returns its log. Histories come from
// a generator with a seed, so that every run replays the same ones.
func recordedHistory(t testing.TB, seed int) []byte {
	t.Helper()
	return historyOn(t, seed, shell.Native)
}

// historyOn is recordedHistory of another engine.
func historyOn(t testing.TB, seed int, open shell.Opener) []byte {
	t.Helper()
	var log []byte
	history := rapid.Custom(func(t *rapid.T) int {
		recorder := shell.NewRecorder()
		m := newMachine(t, recorder.Wrap(open))
		defer m.db.Close()
		for range 60 {
			m.act(t)
		}
		if _, err := m.db.Stats(); err != nil {
			t.Fatal(err)
		}
		log = bytes.Clone(recorder.Log())
		return 0
	})
	history.Example(seed)
	if len(log) == 0 {
		t.Fatal("nothing was recorded")
	}
	return log
}

// writesOn is a history of local writes on an engine.
func writesOn(t testing.TB, seed int, open shell.Opener) []byte {
	t.Helper()
	var log []byte
	history := rapid.Custom(func(t *rapid.T) int {
		recorder := shell.NewRecorder()
		w := newWriter(t, recorder.Wrap(open))
		defer w.db.Close()
		actions := []func(*rapid.T){w.mutate, w.mutate, w.persist, w.settle, w.sync, w.sync}
		for range 60 {
			actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")](t)
		}
		if _, err := w.db.Stats(); err != nil {
			t.Fatal(err)
		}
		log = bytes.Clone(recorder.Log())
		return 0
	})
	history.Example(seed)
	if len(log) == 0 {
		t.Fatal("nothing was recorded")
	}
	return log
}

// act takes one random step without looking at the outcome.
func (m *machine) act(t *rapid.T) {
	actions := []func(*rapid.T){
		m.commit, m.commit, m.commit, m.start, m.start, m.cleanup, m.restart, m.drop, m.markReady, m.subscribe, m.unsubscribe, m.setWindow,
	}
	m.step(actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")])(t)
	for _, r := range m.relations {
		r.failed = r.failed || r.live != nil && !r.cleaned && !r.orphaned && r.live.Status() == shell.Failed
	}
}

// histories is how many are replayed; more under the soak tag.
var histories = 12

// TestReplay_GivesTheSameEffectsEverywhere holds REPLAY: the same commands and
// answers give the same effects, byte for byte, natively, as the module under wazero, and as
// the module in Node.
func TestReplay_GivesTheSameEffectsEverywhere(t *testing.T) {
	module := builtModule(t)
	logs := make([][]byte, 0, 2*histories)
	for i := range histories {
		logs = append(logs, recordedHistory(t, i), writesOn(t, i, shell.Native))
	}
	t.Run("natively", func(t *testing.T) {
		for i, log := range logs {
			if err := shell.Replay(log, shell.Native); err != nil {
				t.Errorf("history %d: %v", i, err)
			}
		}
	})
	t.Run("under wazero", func(t *testing.T) {
		for i, log := range logs {
			if err := shell.Replay(log, wasmOpener(t)); err != nil {
				t.Errorf("history %d: %v", i, err)
			}
		}
	})
	t.Run("in Node", func(t *testing.T) {
		dir := t.TempDir()
		args := []string{filepath.Join("testdata", "replay.mjs"), filepath.Join(dir, "engine.wasm")}
		if err := os.WriteFile(args[1], module, 0o600); err != nil {
			t.Fatal(err)
		}
		for i, log := range logs {
			name := filepath.Join(dir, fmt.Sprint(i, ".log"))
			if err := os.WriteFile(name, log, 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, name)
		}
		if out, err := exec.Command("node", args...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// wasmOpener starts the module; what was compiled is kept in the user's cache.
func wasmOpener(t testing.TB) shell.Opener {
	t.Helper()
	module, err := engineModule()
	must(t, err)
	var options wazerohost.Options
	if dir, err := os.UserCacheDir(); err == nil {
		options.CacheDir = filepath.Join(dir, "millrace-wazero")
	}
	return shell.Wasm(context.Background(), module, options)
}

// TestShell_DrivesTheModuleAsItDrivesTheSession: the same program leads to the same
// log, whichever engine answers it.
func TestShell_DrivesTheModuleAsItDrivesTheSession(t *testing.T) {
	for seed := 20; seed < 23; seed++ {
		if !bytes.Equal(historyOn(t, seed, shell.Native), historyOn(t, seed, wasmOpener(t))) {
			t.Errorf("history %d differs", seed)
		}
		if !bytes.Equal(writesOn(t, seed, shell.Native), writesOn(t, seed, wasmOpener(t))) {
			t.Errorf("history %d of local writes differs", seed)
		}
	}
}

func TestReplay_NoticesADifference(t *testing.T) {
	log := recordedHistory(t, 1)
	at := bytes.LastIndex(log, []byte("commands"))
	if at < 0 {
		t.Fatal("the log ends without counters")
	}
	log[at]++
	if err := shell.Replay(log, shell.Native); err == nil {
		t.Error("a log with other effects was replayed")
	}
}
