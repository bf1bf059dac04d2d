package tests

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"millrace.dev/millrace/jsbridge"
	"millrace.dev/millrace/jsbridge/msgpack"
	"millrace.dev/millrace/jsbridge/wazerohost"
)

// moduleSizeLimit is the most the uncompressed module may take: some browsers
// compile larger ones only in the background, and every visitor downloads it.
const moduleSizeLimit = 5_200_000

// engineModule builds the module once per test binary, with the flags that
// releases are built with.
var engineModule = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "millrace-module")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "engine.wasm")
	build := exec.Command("sh", "../wasm/build.sh", path)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, errors.Join(err, errors.New(string(out)))
	}
	return os.ReadFile(path)
})

func builtModule(t *testing.T) []byte {
	t.Helper()
	module, err := engineModule()
	if err != nil {
		t.Fatalf("build module: %v", err)
	}
	return module
}

// openEngine starts the module with a host. Compiled code is kept in the
// user's cache, because compiling takes seconds.
func openEngine(t *testing.T, host jsbridge.Host) *wazerohost.Instance {
	t.Helper()
	var opts wazerohost.Options
	if dir, err := os.UserCacheDir(); err == nil {
		opts.CacheDir = filepath.Join(dir, "millrace-wazero")
	}
	in, err := wazerohost.Open(context.Background(), builtModule(t), host, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	return in
}

func TestModule_ImportsNothingButTheRuntimeAndThePulls(t *testing.T) {
	want := []string{
		"gojs.runtime.clearTimeoutEvent",
		"gojs.runtime.getRandomData",
		"gojs.runtime.nanotime1",
		"gojs.runtime.resetMemoryDataView",
		"gojs.runtime.scheduleTimeoutEvent",
		"gojs.runtime.walltime",
		"gojs.runtime.wasmExit",
		"gojs.runtime.wasmWrite",
		"millrace.ask",
		"millrace.compare",
		"millrace.equal",
	}
	if got, _ := interfaceOf(t, builtModule(t)); !slices.Equal(got, want) {
		t.Errorf("the module imports\n\t%s\nand may import\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestModule_ExportsTheProtocol(t *testing.T) {
	want := []string{
		"getsp", "mem", "mr_answer", "mr_command", "mr_gc", "mr_header", "mr_reserve", "mr_version", "resume", "run",
	}
	if _, got := interfaceOf(t, builtModule(t)); !slices.Equal(got, want) {
		t.Errorf("the module exports %v, not %v", got, want)
	}
}

func TestModule_StaysSmall(t *testing.T) {
	if size := len(builtModule(t)); size > moduleSizeLimit {
		t.Errorf("the module takes %d bytes, %d are allowed", size, moduleSizeLimit)
	}
}

func TestModule_RefusesBytesThatAreNoCommand(t *testing.T) {
	in := openEngine(t, silentHost{})
	for _, message := range [][]byte{{}, {0xc1}, {0x90}, {0x91, 0xcc, 200}, bytes.Repeat([]byte{0x91}, 1000), make([]byte, 100_000)} {
		status, effects, err := in.Command(message)
		if err != nil {
			t.Fatal(err)
		}
		var r msgpack.Reader
		r.Reset(effects)
		n := r.Array()
		r.Array()
		if op := r.U32(); status != jsbridge.Refused || n != 1 || op != 1 || r.Failed() {
			t.Errorf("%d bytes are answered with status %d and effects %x", len(message), status, effects)
		}
	}
}

func TestModule_PullsDuringACommandAndReportsTheHostsRefusal(t *testing.T) {
	host := &columnHost{}
	in := openEngine(t, host)
	host.nested = func() {
		if status, _, err := in.Command([]byte{0x90}); status != jsbridge.Nested || err != nil {
			t.Errorf("a nested command ends with %d, %v", status, err)
		}
	}
	for _, command := range loadedRoot(20_000) {
		if status, effects, err := in.Command(command); status != jsbridge.Done || err != nil {
			t.Fatalf("status %d, effects %x, %v", status, effects, err)
		}
	}
	if status, effects, err := in.Command(orderedQuery(2)); status != jsbridge.Done || err != nil || host.asked == 0 {
		t.Fatalf("status %d, %d pulls, effects %x, %v", status, host.asked, effects, err)
	}
	host.refuse = true
	if status, effects, err := in.Command(orderedQuery(3, "other")); status != jsbridge.PullFailed || err != nil {
		t.Fatalf("status %d, effects %x, %v", status, effects, err)
	}
	host.refuse = false
	if status, _, err := in.Command(orderedQuery(4, "third")); status != jsbridge.Done || err != nil {
		t.Fatalf("after a refused pull: status %d, %v", status, err)
	}
	if err := in.GC(); err != nil {
		t.Fatal(err)
	}
}

func TestModule_GivesTheEffectsThatTheSessionGivesNatively(t *testing.T) {
	commands := append(loadedRoot(1000), orderedQuery(2), []byte{0x90}, command(func(w *msgpack.Writer) {
		w.Array(9)
		w.Int(6)
		w.Int(1)
		w.Int(0)
		w.Int(0)
		w.BlockU32([]uint32{1, 7, 1000, 2, 8, 0xffffffff, 0, 1000, 1001})
		w.Nil()
		w.Array(2)
		w.BlockU32([]uint32{1000})
		w.Array(2)
		w.Int(3)
		w.BlockF64([]float64{1000})
		w.Array(1)
		w.Array(2)
		w.Int(3)
		w.BlockF64([]float64{-5000, 0.5})
		w.Nil()
	}), command(func(w *msgpack.Writer) {
		w.Array(2)
		w.Int(5)
		w.Int(1)
	}))
	in, session := openEngine(t, &columnHost{}), jsbridge.NewSession(&columnHost{})
	for i, c := range commands {
		wantStatus, want := session.Command(c)
		status, effects, err := in.Command(c)
		if err != nil || status != wantStatus || !bytes.Equal(effects, want) {
			t.Fatalf("command %d ends with %d and %x, natively with %d and %x, %v", i, status, effects, wantStatus, want, err)
		}
		if wantStatus != jsbridge.Done && i != 4 {
			t.Errorf("command %d is refused: %x", i, want)
		}
	}
}

func TestModule_DiesWithAReportWhenTheHostPanics(t *testing.T) {
	host := &columnHost{nested: func() { panic("host is broken") }}
	in := openEngine(t, host)
	for _, command := range loadedRoot(10) {
		if _, _, err := in.Command(command); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		var crash *wazerohost.EngineCrashed
		if _, _, err := in.Command(orderedQuery(2)); !errors.As(err, &crash) || !strings.Contains(err.Error(), "host is broken") {
			t.Errorf("error %v", err)
		}
	}
}

func TestModule_IsRefusedWhenItIsNone(t *testing.T) {
	if in, err := wazerohost.Open(context.Background(), []byte("no module"), silentHost{}, wazerohost.Options{}); in != nil || err == nil {
		t.Errorf("opened %v, %v", in, err)
	}
}
