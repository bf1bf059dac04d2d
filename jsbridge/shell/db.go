package shell

import (
	"errors"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"millrace.dev/millrace/jsbridge"
)

// The statuses of commands.
const (
	statusDone    = 0
	statusRefused = 1
	statusPull    = 2
	statusNested  = 3
	statusBroken  = 4
)

// DB is one engine with the collections and live queries in it.
type DB struct {
	engine    Engine
	texts     *texts
	relations map[uint32]*relation
	nextID    uint32
	lastTx    uint32
	open      map[uint32]*Tx // committed sync transactions that wait, by number
	touched   []*relation    // by the effects being taken in
	collators map[uint32]*collate.Collator
	locales   map[string]uint32

	pulling  bool
	cause    error    // what the last command's pulls failed with
	queue    []func() // what is to be told, first in first out
	draining bool
	faults   []error // of subscribers, until the command returns
	closed   bool
	lost     error // effects that made no sense: shell and engine have parted
	stats    map[string]int
}

// Open starts an engine in this process.
func Open() (*DB, error) { return OpenWith(Native) }

// OpenWith starts an engine as open says.
func OpenWith(open Opener) (*DB, error) {
	db := &DB{
		texts: newTexts(), relations: map[uint32]*relation{}, nextID: 1, open: map[uint32]*Tx{},
		collators: map[uint32]*collate.Collator{}, locales: map[string]uint32{},
	}
	engine, err := open(&pulls{db: db})
	if err != nil {
		return nil, err
	}
	db.engine = engine
	return db, nil
}

// Close gives the engine up. The rows that were read stay valid.
func (db *DB) Close() error {
	if db.closed {
		return nil
	}
	db.closed = true
	return db.engine.Close()
}

func (db *DB) fresh() uint32 {
	db.nextID++
	return db.nextID
}

// run carries out a command, takes in its effects and tells subscribers.
func (db *DB) run(m *message) error {
	_, err := db.exec(m)
	return err
}

// exec is run; applied tells whether the command was carried out, which it may
// have been in spite of an error.
func (db *DB) exec(m *message) (applied bool, err error) {
	switch {
	case db.closed:
		return false, ErrClosed
	case db.pulling:
		return false, ErrNested
	case db.lost != nil:
		return false, db.lost
	}
	db.cause = nil
	status, effects, err := db.engine.Command(m.buf.Bytes())
	if err != nil {
		return false, err
	}
	if status == statusNested {
		return false, ErrNested
	}
	refusal, err := db.take(effects)
	cause := db.cause
	db.cause = nil
	switch {
	case err != nil:
		db.lost = err
		return false, err
	case refusal != nil:
		refusal.Cause = cause
		err = refusal
	case status == statusPull:
		err = cause // a pull failed on the way, and the command was carried out
	}
	return refusal == nil, db.drain(err)
}

// drain tells everything in the queue, unless a caller further out is at it.
func (db *DB) drain(err error) error {
	if db.draining {
		return err
	}
	db.draining = true
	for len(db.queue) > 0 {
		next := db.queue[0]
		db.queue = db.queue[1:]
		next()
	}
	db.draining = false
	faults := db.faults
	db.faults = nil
	if len(faults) == 0 {
		return err
	}
	return errors.Join(append([]error{err}, faults...)...)
}

// tell puts a call of user code into the queue.
func (db *DB) tell(where string, f func()) {
	db.queue = append(db.queue, func() {
		if err := contained(where, f); err != nil {
			db.faults = append(db.faults, err)
		}
	})
}

// Stats returns the engine's counters by name: collections, rows, columns,
// arrangements, operators and texts held now, and visits, scans, refills, commands
// and pulls since the start.
func (db *DB) Stats() (map[string]int, error) {
	err := db.run(command(opStats, 0))
	return db.stats, err
}

// locale returns the collation id of a language tag, declaring it when it is new.
func (db *DB) locale(tag string) (uint32, error) {
	if tag == "" {
		return 0, nil
	}
	if id, ok := db.locales[tag]; ok {
		return id, nil
	}
	lang, err := language.Parse(tag)
	if err != nil {
		return 0, err
	}
	id := uint32(len(db.locales) + 2)
	m := command(opCollation, 2)
	m.u32(id)
	m.uint(0)
	if err := db.run(m); err != nil {
		return 0, err
	}
	db.locales[tag], db.collators[id] = id, collate.New(lang)
	return id, nil
}

// The commands.
const (
	opCreateRoot = 1 + iota
	opStart
	opMarkReady
	opMarkError
	opCleanup
	opSync
	opCheckQuery
	opStartQuery
	opSubscribe
	opUnsubscribe
	opReadOrder
	opCollation
	opStats
	opForget
	opSetWindow
	opMutate
	opSettle
	opPersist
	opFlush
	opFind
)

func (db *DB) simple(op int, args ...uint32) error {
	m := command(op, len(args))
	for _, a := range args {
		m.u32(a)
	}
	return db.run(m)
}

var _ jsbridge.Host = (*pulls)(nil)
