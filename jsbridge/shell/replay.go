package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/vmihailenco/msgpack/v5"
)

// ReplayError is the first difference between a log and what an engine did.
type ReplayError struct {
	Command    int // how many commands came before
	What       string
	Want, Have string
}

// Error says where the engine parted from the log.
func (e *ReplayError) Error() string {
	return fmt.Sprintf("replay: command %d: %s: the log has %s, the engine gave %s", e.Command, e.What, e.Want, e.Have)
}

// Replay gives the commands of a log to a fresh engine, answers its pulls from
// the log, and compares pulls, statuses and effects byte for byte. The error is a
// *ReplayError, or that of a log or engine that is unusable.
func Replay(log []byte, open Opener) error {
	p := &replay{dec: msgpack.NewDecoder(bytes.NewReader(log))}
	engine, err := open(p)
	if err != nil {
		return err
	}
	err = p.run(engine)
	return errors.Join(err, engine.Close())
}

type logEntry struct {
	kind  int
	words [5]int64
	bytes [2][]byte
}

type replay struct {
	dec      *msgpack.Decoder
	commands int
	failure  error
}

var errReplay = errors.New("the replay has failed")

func (p *replay) next() (e logEntry, err error) {
	n, err := p.dec.DecodeArrayLen()
	if err != nil {
		return e, err
	}
	e.kind, err = p.dec.DecodeInt()
	words, texts := 0, 0
	for range n - 1 {
		if err != nil {
			return e, err
		}
		// Byte strings and nil, which stands for a refused answer, go with the bytes.
		code, peekErr := p.dec.PeekCode()
		if err = peekErr; err != nil {
			return e, err
		}
		if code == 0xc0 || code >= 0xc4 && code <= 0xc6 {
			e.bytes[texts%2], err = p.dec.DecodeBytes()
			texts++
			continue
		}
		e.words[words%5], err = p.dec.DecodeInt64()
		words++
	}
	return e, err
}

func (p *replay) run(engine Engine) error {
	for {
		e, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e.kind != logCommand {
			return p.differ("pulls", fmt.Sprintf("entry of kind %d", e.kind), "no further pull")
		}
		status, effects, err := engine.Command(e.bytes[0])
		if p.failure != nil {
			return p.failure
		}
		if err != nil {
			return err
		}
		end, err := p.next()
		if err != nil {
			return err
		}
		switch {
		case end.kind != logEnd:
			return p.differ("end", fmt.Sprintf("entry of kind %d", end.kind), "the end of the command")
		case int64(status) != end.words[0]:
			return p.differ("status", fmt.Sprint(end.words[0]), fmt.Sprint(status))
		case !bytes.Equal(effects, end.bytes[0]):
			return p.differ("effects", fmt.Sprintf("%x", end.bytes[0]), fmt.Sprintf("%x", effects))
		}
		p.commands++
	}
}

// differ keeps the first difference; what it returns makes the engine's pull fail.
func (p *replay) differ(what, want, have string) error {
	if p.failure == nil {
		p.failure = &ReplayError{p.commands, what, want, have}
	}
	return p.failure
}

func (p *replay) pull(kind int, have ...uint32) (logEntry, error) {
	if p.failure != nil {
		return logEntry{}, errReplay
	}
	e, err := p.next()
	if err != nil {
		p.failure = err
		return e, err
	}
	if e.kind != kind {
		return e, p.differ("pull", fmt.Sprintf("entry of kind %d", e.kind), fmt.Sprintf("kind %d", kind))
	}
	for i, w := range have {
		if e.words[i] != int64(w) {
			return e, p.differ("pull", fmt.Sprint(e.words), fmt.Sprint(have))
		}
	}
	return e, nil
}

var errRecorded = errors.New("the pull was refused when it was recorded")

// Ask implements jsbridge.Host.
func (p *replay) Ask(request []byte) ([]byte, error) {
	e, err := p.pull(logAsk)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(request, e.bytes[0]) {
		return nil, p.differ("request", fmt.Sprintf("%x", e.bytes[0]), fmt.Sprintf("%x", request))
	}
	if e.bytes[1] == nil {
		return nil, errRecorded
	}
	return e.bytes[1], nil
}

// Equal implements jsbridge.Host.
func (p *replay) Equal(col, tmpl, a, b uint32) (bool, error) {
	e, err := p.pull(logEqual, col, tmpl, a, b)
	if err == nil && e.words[4] < 0 {
		err = errRecorded
	}
	return e.words[4] == 1, err
}

// Compare implements jsbridge.Host.
func (p *replay) Compare(collation, a, b uint32) (int, error) {
	e, err := p.pull(logCompare, collation, a, b)
	if err == nil && e.words[3] < 0 {
		err = errRecorded
	}
	return int(e.words[3]) - 1, err
}
