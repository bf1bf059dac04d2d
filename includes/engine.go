package includes

import (
	"slices"
	"strconv"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// Code is the number of a refusal. The numbers are the protocol's.
type Code uint32

// The refusals of commands; package query has those of queries.
const (
	CodeBadMessage        Code = 1
	CodeUnknownCollection Code = 2
	CodeStatusTransition  Code = 3
	CodeDuplicateKeySync  Code = 4
	CodePullFailed        Code = 10
	CodeQueryFailed       Code = 11
	CodeLimitExceeded     Code = 12
)

// Refusal is a command that was not carried out; the state is as before.
type Refusal struct {
	Code Code
	Path string
	Text string
}

func (r *Refusal) Error() string { return r.Path + ": " + r.Text }

//go:noinline
func refuse(code Code, col uint32, text string) error {
	return &Refusal{code, "collection " + strconv.FormatUint(uint64(col), 10), text}
}

// rootNode is a root collection with its place in the graph.
type rootNode struct {
	*collection.Root
	input  d2.NodeID // feeds what every change matters to
	routed d2.NodeID // stands over the filters the predicate index feeds
	deps   []*Live
	lease  *collection.Lease // on the arrangement by key, once somebody read the content
	order  *collection.Ordering

	standing map[*collection.Hashing]*standing
	watchers
	offered map[*collection.Hashing]int // to its stores, by how many
	shell   collection.Shell
	key     []string // where rows have their keys, once that was asked for and is known
}

// byKey returns the arrangement by public key, the order in which rows without
// an order are read.
func (r *rootNode) byKey(e *Engine) (*collection.Ordering, error) {
	if r.order == nil || r.order.Err != nil {
		lease := r.NewLease().During(e.out)
		order, err := lease.Order(nil, true)
		if err != nil {
			lease.Release()
			return nil, err
		}
		r.lease, r.order = lease, order
	}
	return r.order, nil
}

// Engine is all collections of a session and the graph over them. It carries
// out one command at a time.
type Engine struct {
	Dict  *collection.Dict
	shell collection.Shell
	graph *d2.Graph
	roots map[uint32]*rootNode
	lives map[uint32]*Live
	order []*rootNode // roots in order of creation
	txs   map[uint32]*collection.Transaction
	out   collection.Effects

	held  []*holding  // writes the graph has not seen
	due   []*Live     // what the last run reached
	loose []*rootNode // roots with something to finish
	slots []uint32
	pairs []uint32

	loosened  []*interned // spaces with rows or keys nothing may refer to
	looseKeys []*d2.Table // of keys given by callbacks
	commons   map[string]*common
}

// New returns an engine that pulls from shell.
func New(shell collection.Shell) *Engine {
	return &Engine{
		Dict: collection.NewDict(shell), shell: shell, graph: d2.NewGraph(),
		roots: map[uint32]*rootNode{}, lives: map[uint32]*Live{}, txs: map[uint32]*collection.Transaction{},
		commons: map[string]*common{},
	}
}

// Begin starts a command whose effects go to out.
func (e *Engine) Begin(out collection.Effects) { e.out = out }

// End finishes a command: what nothing refers to any more is given back.
func (e *Engine) End() {
	for _, r := range e.loose {
		r.Finish(e.out)
	}
	e.loose = e.loose[:0]
}

// CreateRoot declares a root collection. One that is sourceless shows local
// writes as confirmed.
func (e *Engine) CreateRoot(col uint32, name value.Cell, sourceless bool) error {
	if e.roots[col] != nil || e.lives[col] != nil {
		return refuse(CodeBadMessage, col, "the id is taken")
	}
	if name.Kind != value.KindString {
		return refuse(CodeBadMessage, col, "a collection's public id is a string")
	}
	r := &rootNode{Root: collection.NewRoot(col, name, sourceless, e.shell, e.Dict), shell: e.shell}
	r.input, r.routed = noNode, noNode
	r.Released = func(slot uint32) { r.forget(slot) }
	r.Loose = func() { e.loose = append(e.loose, r) }
	e.roots[col] = r
	e.order = append(e.order, r)
	return nil
}

// Start begins a sync session of a root.
func (e *Engine) Start(col uint32) error {
	r := e.roots[col]
	switch {
	case r == nil:
		return refuse(CodeUnknownCollection, col, "no such root collection")
	case r.Status != collection.Idle && r.Status != collection.CleanedUp:
		return refuse(CodeStatusTransition, col, "is started already")
	}
	if err := e.enroot(r); err != nil {
		return err
	}
	r.Go(collection.Loading, "", e.out)
	e.rebind(&r.Base) // which needs columns, and so a root that is started
	return nil
}

func (e *Engine) enroot(r *rootNode) error {
	if r.input != noNode {
		return nil
	}
	var err error
	if r.input, err = e.graph.Add(d2.NewStore(r)); err == nil {
		r.routed, err = e.graph.Add(d2.NewStore(r))
	}
	return err
}

// MarkReady reports that a root's source has delivered its first content.
func (e *Engine) MarkReady(col uint32) error {
	r := e.roots[col]
	switch {
	case r == nil:
		return refuse(CodeUnknownCollection, col, "no such root collection")
	case r.Status == collection.Ready:
		return nil
	case r.Status != collection.Loading && r.Status != collection.Failed:
		return refuse(CodeStatusTransition, col, "is not started")
	}
	r.Go(collection.Ready, "", e.out)
	ready := e.follow(r.deps, nil)
	r.EmitEmpty(e.out)
	for _, l := range ready {
		l.EmitEmpty(e.out)
	}
	return nil
}

// MarkError reports that a collection's source has failed.
func (e *Engine) MarkError(col uint32) error {
	if l := e.lives[col]; l != nil {
		l.broken = true
		l.Go(collection.Failed, "", e.out)
		e.follow(l.deps, nil)
		return nil
	}
	r := e.roots[col]
	if r == nil {
		return refuse(CodeUnknownCollection, col, "no such collection")
	}
	r.Go(collection.Failed, "", e.out)
	e.follow(r.deps, nil)
	return nil
}

// follow brings the statuses of live collections in line with their sources'
// and returns those that became ready.
func (e *Engine) follow(deps []*Live, ready []*Live) []*Live {
	for _, l := range deps {
		to := l.wanted()
		if l.Status == to || !l.Status.May(to) {
			continue
		}
		l.Go(to, "", e.out)
		if to == collection.Ready {
			ready = append(ready, l)
		}
		ready = e.follow(l.deps, ready)
	}
	return ready
}

// wanted is the status a started live collection should have.
func (l *Live) wanted() collection.Status {
	if l.broken {
		return collection.Failed
	}
	ready := true
	for _, s := range l.sources {
		switch s.status() {
		case collection.Ready:
			continue
		case collection.Failed, collection.CleanedUp:
			return collection.Failed
		}
		ready = false
	}
	if ready || l.Status == collection.Ready {
		return collection.Ready
	}
	return collection.Loading
}

// Cleanup empties a collection. Live collections over it fail until they are
// cleaned up themselves.
func (e *Engine) Cleanup(col uint32) error {
	if l := e.lives[col]; l != nil {
		e.cleanLive(l)
		return nil
	}
	r := e.roots[col]
	if r == nil {
		return refuse(CodeUnknownCollection, col, "no such collection")
	}
	if r.Status == collection.CleanedUp {
		return nil
	}
	e.Flush()
	e.orphan(r.deps)
	r.deps = nil
	e.unbind(&r.Base)
	r.Go(collection.CleanedUp, "", e.out)
	e.empty(r)
	return nil
}

// empty drops what a root holds. Nothing stands on it any more.
func (e *Engine) empty(r *rootNode) {
	if r.lease != nil {
		r.lease.During(e.out).Release()
		r.lease, r.order = nil, nil
	}
	if r.input != noNode {
		_ = e.graph.Drop(r.input)
		_ = e.graph.Drop(r.routed)
		r.input, r.routed = noNode, noNode
	}
	e.out.Empty(r.ID)
	r.Clear(e.out)
}

// orphan fails live collections whose source has gone.
func (e *Engine) orphan(deps []*Live) {
	for _, l := range slices.Clone(deps) {
		if l.output == noNode {
			continue // reached by another way
		}
		e.orphan(l.deps)
		l.deps = nil
		l.detach()
		l.leave()
		l.broken = true
		if l.Status != collection.Failed {
			l.Go(collection.Failed, "its source was cleaned up", e.out)
		}
		e.out.Empty(l.ID)
		l.Forget()
	}
}

func (e *Engine) cleanLive(l *Live) {
	if l.Status == collection.CleanedUp {
		return
	}
	e.Flush()
	e.orphan(l.deps)
	l.deps = nil
	l.detach()
	l.leave()
	eachCell(l.plan, e.Dict.Unref)
	l.Go(collection.CleanedUp, "", e.out)
	e.out.Empty(l.ID)
	l.Forget()
	if l.Subscriptions() == 0 {
		e.forgetLive(l)
	}
}

// leave takes a live collection off its sources' lists.
func (l *Live) leave() {
	for _, s := range l.sources {
		deps := s.deps()
		if i := slices.Index(*deps, l); i >= 0 {
			*deps = slices.Delete(*deps, i, i+1)
		}
	}
	l.sources = nil
}

func (e *Engine) forgetLive(l *Live) {
	e.Dict.Unref(l.Name)
	delete(e.lives, l.ID)
}

// Forget ends a collection that is idle or cleaned up.
func (e *Engine) Forget(col uint32) error {
	if l := e.lives[col]; l != nil {
		if l.Status != collection.CleanedUp {
			return refuse(CodeStatusTransition, col, "is in use; clean it up first")
		}
		e.forgetLive(l)
		return nil
	}
	r := e.roots[col]
	if r == nil {
		return refuse(CodeUnknownCollection, col, "no such collection")
	}
	if r.Status != collection.CleanedUp && r.Status != collection.Idle {
		return refuse(CodeStatusTransition, col, "is in use; clean it up first")
	}
	e.Flush()
	e.unbind(&r.Base)
	if r.Status == collection.Idle {
		e.empty(r)
	}
	r.Drop()
	delete(e.roots, col)
	for i, o := range e.order {
		if o == r {
			e.order = append(e.order[:i:i], e.order[i+1:]...)
			break
		}
	}
	return nil
}

// CheckQuery looks for everything that can be wrong with a query on its own.
func (e *Engine) CheckQuery(q *query.Query) error {
	for i, t := range q.Order {
		if !e.Dict.HasCollation(t.Collation) {
			return &Refusal{CodeBadMessage, "orderBy[" + strconv.Itoa(i) + "]", "collation " + strconv.FormatUint(uint64(t.Collation), 10) + " is not declared"}
		}
	}
	return q.Check()
}

// StartQuery compiles a plan, hydrates it and keeps it live.
func (e *Engine) StartQuery(col uint32, name value.Cell, p *query.Plan) error {
	if err := e.CheckPlan(p); err != nil {
		return err
	}
	if e.roots[col] != nil {
		return refuse(CodeBadMessage, col, "the id is taken")
	}
	if name.Kind != value.KindString {
		return refuse(CodeBadMessage, col, "a collection's public id is a string")
	}
	sources, err := e.sourcesOf(p)
	if err != nil {
		return err
	}
	l := e.lives[col]
	if l != nil && l.Status != collection.Idle && l.Status != collection.CleanedUp {
		return refuse(CodeStatusTransition, col, "is started already")
	}
	fresh := l == nil
	if fresh {
		l = &Live{Base: collection.Base{ID: col, Name: name}, engine: e}
	}
	l.prepareFor(p, sources)
	rows, parts, err := l.begin()
	if err != nil {
		return err
	}
	if fresh {
		e.Dict.Ref(name)
		e.lives[col] = l
	}
	eachCell(p, e.Dict.Ref)
	for _, s := range sources {
		deps := s.deps()
		*deps = append(*deps, l)
	}
	e.out.Rows(col, e.pair(l.space, rows), parts)
	l.Go(collection.Loading, "", e.out)
	if to := l.wanted(); to != collection.Loading {
		l.Go(to, "", e.out)
	}
	e.rebind(&l.Base)
	l.tell(rows)
	return nil
}

// prepareFor gives a live collection its query.
func (l *Live) prepareFor(p *query.Plan, sources []source) {
	l.plan, l.sources, l.broken, l.failure = p, sources, false, nil
	l.src, l.query, l.built, l.output, l.window = source{}, nil, nil, noNode, noNode
	q, _, ok := plain(p)
	if ok && sources[0].root != nil {
		l.src, l.query = sources[0], q
		return
	}
	l.built = &built{live: l, plain: byIDs(p)}
}

// begin compiles and hydrates. On an error everything is as before.
func (l *Live) begin() ([]uint32, *collection.Parts, error) {
	for _, s := range l.sources {
		if s.root == nil {
			continue
		}
		if err := l.engine.enroot(s.root); err != nil {
			return nil, nil, err
		}
	}
	if err := l.compile(); err != nil {
		return nil, nil, err
	}
	rows, err := l.hydrate()
	var parts *collection.Parts
	if err == nil {
		parts, err = l.show(rows)
	}
	if err != nil {
		l.detach()
		return nil, nil, err
	}
	return rows, parts, nil
}

// tell gives subscriptions that outlived a cleanup the new content.
func (l *Live) tell(slots []uint32) {
	if l.Subscriptions() == 0 {
		return
	}
	all := make([]d2.Change, len(slots))
	for i, s := range slots {
		all[i] = d2.Change{Key: l.space.KeyOf(s), Old: d2.None, New: s}
	}
	l.EmitAll(all, l.engine.out)
}

// pair lists rows with their keys.
func (e *Engine) pair(s space, rows []uint32) []uint32 {
	if r, ok := s.(*rootNode); ok {
		e.pairs = r.Pairs(rows, e.pairs[:0])
		return e.pairs
	}
	e.pairs = slices.Grow(e.pairs[:0], 2*len(rows))
	for _, row := range rows {
		e.pairs = append(e.pairs, s.KeyOf(row), row)
	}
	return e.pairs
}

// sourcesOf returns what a plan reads, each once.
func (e *Engine) sourcesOf(p *query.Plan) ([]source, error) {
	var list []source
	var first error
	eachCollection(p, func(id uint32) {
		s, err := e.source(id)
		if err != nil && first == nil {
			first = err
		}
		if err == nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	})
	return list, first
}

func (e *Engine) source(id uint32) (source, error) {
	if r := e.roots[id]; r != nil {
		return source{root: r}, nil
	}
	l := e.lives[id]
	switch {
	case l == nil:
		return source{}, refuse(CodeUnknownCollection, id, "no such source")
	case l.output == noNode || l.broken || l.Status == collection.CleanedUp:
		return source{}, refuse(CodeStatusTransition, id, "a source must be started and not have failed")
	}
	return source{root: l.src.root, live: l}, nil
}
