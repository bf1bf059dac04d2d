package query

// Plan is the query of a live collection as it was sent. References begin with
// an alias; what they mean is found when the plan is compiled.
type Plan struct {
	From      *From
	Joins     []Join
	Where     []*Expr // all must be true
	Grouped   bool    // GroupBy was given, perhaps without expressions
	GroupBy   []*Expr
	HasSelect bool
	Select    []Entry
	SelectFn  *Expr // instead of Select: a callback makes the row
	Having    []*Expr
	Distinct  bool
	Order     []Term
	Offset    uint32
	Limit     uint32 // Unlimited for none
	Bounded   bool   // an offset or a limit was given
	Key       uint32 // the callback that gives the public key; 0: none
}

// FromKind is a kind of source; the numbers are the wire's.
type FromKind uint8

// The kinds of sources.
const (
	FromCollection FromKind = iota
	FromPlan                // a subquery
	FromSources             // a union of sources
	FromResults             // a union of results
	FromRecursion
	FromSelf // within a step: the recursion itself
)

// From is a source of a plan.
type From struct {
	Kind       FromKind
	Alias      string
	Col        uint32  // FromCollection
	Plan       *Plan   // FromPlan; the base of FromRecursion
	Step       *Plan   // FromRecursion
	Members    []*From // FromSources
	Branches   []*Plan // FromResults
	MaxDepth   uint32  // FromRecursion; Unlimited for none
	DepthField string  // FromRecursion; empty for none
	Up         uint32  // FromSelf: how many recursions out
}

// JoinType tells which rows without a match a join keeps; the numbers are the
// wire's.
type JoinType uint8

// The types of joins.
const (
	JoinInner JoinType = iota
	JoinLeft
	JoinRight
	JoinFull
)

// Join is a source joined to what stands before it, where Left, over that,
// equals Right, over the source.
type Join struct {
	From        *From
	Type        JoinType
	Left, Right *Expr
}
