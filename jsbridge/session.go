package jsbridge

import (
	"strconv"

	"millrace.dev/millrace/includes"
	"millrace.dev/millrace/jsbridge/msgpack"
)

// ProtocolVersion is the version of the protocol this package speaks.
const ProtocolVersion = 2

// Host is what a session pulls from. An error is the shell's refusal; its cause
// stays with the shell. No method may issue a command.
type Host interface {
	// Ask sends a request and returns the answer, which is valid until the next
	// Ask.
	Ask(request []byte) ([]byte, error)
	// Equal tells whether rows a and b of root col are deeply equal as template
	// tmpl shows them.
	Equal(col, tmpl, a, b uint32) (bool, error)
	// Compare orders two texts under a collation.
	Compare(collation, a, b uint32) (int, error)
}

// The statuses a command ends with.
const (
	Done       int32 = 0 // effects are to be executed
	Refused    int32 = 1 // nothing happened; the effects say why
	PullFailed int32 = 2 // as Done or Refused, and the shell has an error to rethrow
	Nested     int32 = 3 // issued during a pull; nothing happened
	Broken     int32 = 4 // an invariant failed; the session is dead
)

// Session is one engine with its protocol state. It is not safe for concurrent
// use.
type Session struct {
	engine   *includes.Engine
	pulls    *pulls
	in       msgpack.Reader
	out      effects
	cells    cellBuffers
	queryErr error // first fault of meaning in the query being read
	running  bool
	broken   string
	count    uint64 // commands carried out
}

// NewSession returns an engine that pulls from h.
func NewSession(h Host) *Session {
	s := &Session{pulls: &pulls{host: h}}
	s.engine = includes.New(s.pulls)
	s.pulls.dict = s.engine.Dict
	return s
}

// Command carries out one command and returns its effects, which are valid
// until the next. It takes any bytes whatsoever.
func (s *Session) Command(msg []byte) (status int32, out []byte) {
	if s.running {
		return Nested, nil
	}
	if s.broken != "" {
		s.out.begin()
		s.out.fail(codeEngineBroken, "", s.broken)
		return Broken, s.out.end()
	}
	s.running = true
	s.pulls.failed = false
	defer func() {
		s.running = false
		if v := recover(); v != nil {
			// A broken invariant: nothing the tables say can be trusted.
			s.broken = "an invariant failed: " + brokenText(v)
			s.out.begin()
			s.out.fail(codeEngineBroken, "", s.broken)
			status, out = Broken, s.out.end()
		}
	}()
	s.count++
	s.in.Reset(msg)
	s.out.begin()
	s.engine.Begin(&s.out)
	status = Done
	if err := s.dispatch(); err != nil {
		// What was said before the refusal is void, apart from what is free.
		s.out.retract(err)
		status = Refused
	}
	s.engine.End()
	s.cells.trim()
	s.out.freeTexts(s.engine.Dict)
	if s.pulls.failed {
		status = PullFailed
	}
	return status, s.out.end()
}

func brokenText(v any) string {
	switch x := v.(type) {
	case error:
		return x.Error()
	case string:
		return x
	}
	return "unknown"
}

const codeEngineBroken = 13

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
	opSnapshot
)

// arity is the number of items of each command, its number included.
var arity = [...]int{
	opCreateRoot: 4, opStart: 2, opMarkReady: 2, opMarkError: 2, opCleanup: 2, opSync: 9, opCheckQuery: 2, opStartQuery: 6,
	opSubscribe: 6, opUnsubscribe: 3, opReadOrder: 2, opCollation: 3, opStats: 1, opForget: 2, opSetWindow: 4,
	opMutate: 8, opSettle: 3, opPersist: 2, opFlush: 1, opFind: 4, opSnapshot: 5,
}

// isCompound tells whether a command has richer fields than a collection and
// numbers.
func isCompound(op int) bool {
	switch op {
	case opCheckQuery, opSync, opStartQuery, opCollation, opStats, opSubscribe, opMutate, opSettle, opFlush, opFind, opSnapshot:
		return true
	}
	return false
}

func (s *Session) dispatch() error {
	n := s.in.Array()
	op := int(s.in.U32())
	if s.in.Failed() || op == 0 || op >= len(arity) {
		return s.malformed("command", "is none of the commands 1 to "+strconv.Itoa(len(arity)-1))
	}
	if n != arity[op] {
		return s.malformed("command "+strconv.Itoa(op), "has "+strconv.Itoa(n)+" items instead of "+strconv.Itoa(arity[op]))
	}
	if isCompound(op) {
		return s.compound(op)
	}
	// The rest is a collection id and up to two more numbers, or a name.
	col := s.in.U32()
	if op == opCreateRoot {
		name, flags := s.cell(), s.in.U32()
		if err := s.ended(op); err != nil {
			return err
		}
		return s.engine.CreateRoot(col, name, flags&1 != 0)
	}
	var args [2]uint32
	for i := 2; i < n; i++ {
		args[i-2] = s.in.U32()
	}
	if err := s.ended(op); err != nil {
		return err
	}
	switch op {
	case opStart:
		return s.engine.Start(col)
	case opMarkReady:
		return s.engine.MarkReady(col)
	case opMarkError:
		return s.engine.MarkError(col)
	case opCleanup:
		return s.engine.Cleanup(col)
	case opUnsubscribe:
		return s.engine.Unsubscribe(col, args[0])
	case opReadOrder:
		return s.engine.ReadOrder(col)
	case opForget:
		return s.engine.Forget(col)
	case opPersist:
		s.engine.Persist(col) // the number is a transaction's
		return nil
	}
	return s.engine.SetWindow(col, args[0], args[1])
}

// compound carries out the commands with richer fields.
func (s *Session) compound(op int) error {
	switch op {
	case opSync:
		col := s.in.U32()
		tx := s.sync()
		if err := s.ended(op); err != nil {
			return err
		}
		return s.engine.Sync(col, tx)
	case opCheckQuery:
		q := s.query()
		if err := s.ended(op); err != nil {
			return err
		}
		return s.engine.CheckQuery(q)
	case opStartQuery:
		col, src, name := s.in.U32(), s.in.U32(), s.cell()
		q := s.query()
		s.pulls.texts(&s.in)
		if err := s.ended(op); err != nil {
			return err
		}
		// A node that is added sees rows, not the changes that led to them.
		s.engine.Flush()
		s.out.mark()
		return s.engine.StartQuery(col, name, overCollection(src, q))
	case opSubscribe:
		return s.subscribe()
	case opMutate:
		col, tx, flags := s.in.U32(), s.in.U32(), s.in.U32()
		w := s.write()
		if err := s.ended(op); err != nil {
			return err
		}
		return s.engine.Mutate(col, tx, flags, w)
	case opSettle:
		outcomes, open := s.settlement()
		if err := s.ended(op); err != nil {
			return err
		}
		return s.engine.Settle(outcomes, open)
	case opFlush:
		if err := s.ended(op); err != nil {
			return err
		}
		s.engine.Flush()
		return nil
	case opFind:
		col, q := s.in.U32(), s.query()
		s.pulls.texts(&s.in)
		if err := s.ended(op); err != nil {
			return err
		}
		return s.engine.Find(col, q)
	case opSnapshot:
		col, sub, q := s.in.U32(), s.in.U32(), s.query()
		s.pulls.texts(&s.in)
		if err := s.ended(op); err != nil {
			return err
		}
		// Who is told of the present content is not told of it again.
		s.engine.TellHeld()
		s.out.mark()
		return s.engine.Snapshot(col, sub, q)
	case opCollation:
		id, flags := s.in.U32(), s.in.U32()
		if err := s.ended(op); err != nil {
			return err
		}
		if id < 2 || !s.engine.Dict.SetCollation(id, flags&1 != 0) {
			return s.malformed("collation", "ids go from 2 to 65536")
		}
		return nil
	}
	if err := s.ended(op); err != nil {
		return err
	}
	s.out.stats(s.engine.Stats(), s.count, s.pulls.count)
	return nil
}

// malformed is the refusal of bytes that are no command.
func (s *Session) malformed(path, text string) error {
	if err := s.in.Err(); err != nil {
		text = err.Error()
	}
	return &includes.Refusal{Code: includes.CodeBadMessage, Path: path, Text: text}
}

// ended checks that a command was read to its end and nothing was wrong in it.
func (s *Session) ended(op int) error {
	if !s.in.Failed() && s.queryErr == nil && s.in.Done() {
		return nil
	}
	err := s.queryErr
	s.queryErr = nil
	if err != nil && (!s.in.Failed() || err == errTooDeep) {
		return err
	}
	return s.malformed("command "+strconv.Itoa(op), "goes on after its end")
}
