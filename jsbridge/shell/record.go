package shell

import (
	"bytes"

	"github.com/vmihailenco/msgpack/v5"

	"millrace.dev/millrace/jsbridge"
)

// The entries of a log, each an array that begins with its kind:
//
//	command [1, bytes], ask [2, request, answer or nil when refused],
//	equal [3, col, template, a, b, verdict], compare [4, collation, a, b, verdict],
//	end [5, status, effects]
//
// Verdicts are those of the module's imports: -1 when refused. The pulls of a
// command stand between it and its end.
const (
	logCommand = 1 + iota
	logAsk
	logEqual
	logCompare
	logEnd
)

// Recorder writes down what passes between a shell and an engine: commands,
// pulls with their answers, statuses and effects, such that Replay can give the
// same to another engine.
type Recorder struct {
	log bytes.Buffer
	enc *msgpack.Encoder
}

// NewRecorder returns a recorder with an empty log.
func NewRecorder() *Recorder {
	r := &Recorder{}
	r.enc = msgpack.NewEncoder(&r.log)
	return r
}

// Log returns what was recorded so far, a sequence of MessagePack items.
func (r *Recorder) Log() []byte { return r.log.Bytes() }

// Wrap returns an Opener whose engines are recorded. One recorder serves one
// engine.
func (r *Recorder) Wrap(open Opener) Opener {
	return func(host jsbridge.Host) (Engine, error) {
		engine, err := open(&recordedHost{r, host})
		if err != nil {
			return nil, err
		}
		return &recordedEngine{r, engine}, nil
	}
}

// entry writes one item; writing into memory cannot fail.
func (r *Recorder) entry(kind int, fields ...any) {
	_ = r.enc.EncodeArrayLen(1 + len(fields))
	_ = r.enc.EncodeInt(int64(kind))
	for _, f := range fields {
		switch x := f.(type) {
		case []byte:
			_ = r.enc.EncodeBytes(x)
		case uint32:
			_ = r.enc.EncodeUint(uint64(x))
		case int32:
			_ = r.enc.EncodeInt(int64(x))
		}
	}
}

type recordedEngine struct {
	recorder *Recorder
	engine   Engine
}

func (e *recordedEngine) Close() error { return e.engine.Close() }

func (e *recordedEngine) Command(msg []byte) (int32, []byte, error) {
	e.recorder.entry(logCommand, msg)
	status, effects, err := e.engine.Command(msg)
	if err == nil {
		e.recorder.entry(logEnd, status, effects)
	}
	return status, effects, err
}

type recordedHost struct {
	recorder *Recorder
	host     jsbridge.Host
}

func (h *recordedHost) Ask(request []byte) ([]byte, error) {
	asked := bytes.Clone(request)
	answer, err := h.host.Ask(request)
	if err != nil {
		answer = nil
	}
	h.recorder.entry(logAsk, asked, answer)
	return answer, err
}

func (h *recordedHost) Equal(col, tmpl, a, b uint32) (bool, error) {
	equal, err := h.host.Equal(col, tmpl, a, b)
	h.recorder.entry(logEqual, col, tmpl, a, b, verdict(int32(bit(equal)), err))
	return equal, err
}

func (h *recordedHost) Compare(collation, a, b uint32) (int, error) {
	order, err := h.host.Compare(collation, a, b)
	sign := int32(1)
	switch {
	case order < 0:
		sign = 0
	case order > 0:
		sign = 2
	}
	h.recorder.entry(logCompare, collation, a, b, verdict(sign, err))
	return order, err
}

func verdict(v int32, err error) int32 {
	if err != nil {
		return -1
	}
	return v
}
