package includes

import (
	"slices"

	"millrace.dev/millrace/collection/query"
)

// scope is what references mean: names of sources, or fields of rows that have
// none, over the leaves of one space.
type scope struct {
	names    []query.Field
	bare     *query.Shape           // rows whose fields are named directly
	selected *query.Shape           // what $selected is, where there is a select
	outside  *scope                 // of the query around it
	calls    map[uint32]*query.Expr // the leaves of callbacks
	special  func(e *query.Expr) (*query.Expr, bool, error)
}

// shift returns the scope over rows in which its leaves stand by further on.
func (s *scope) shift(by uint32) *scope {
	out := *s
	out.names = slices.Clone(s.names)
	for i := range out.names {
		out.names[i].Shape = out.names[i].Shape.Shift(by)
	}
	if s.bare != nil {
		b := s.bare.Shift(by)
		out.bare = &b
	}
	return &out
}

// within returns the scope of rows that may be missing.
func (s *scope) within(present *query.Expr) *scope {
	out := *s
	out.names = slices.Clone(s.names)
	for i := range out.names {
		out.names[i].Shape = out.names[i].Shape.Within(present)
	}
	if s.bare != nil {
		b := s.bare.Within(present)
		out.bare = &b
	}
	return &out
}

func (s *scope) has(alias string) bool {
	return slices.ContainsFunc(s.names, func(f query.Field) bool { return f.Name == alias })
}

// whole is everything that references can name, as one object.
func (s *scope) whole() query.Shape {
	var fields []query.Field
	if s.bare != nil {
		fields = append(fields, query.Field{Shape: *s.bare})
	}
	return query.Record(append(fields, s.names...))
}

// rewrite returns an expression of a plan as one over the leaves.
func (s *scope) rewrite(e *query.Expr) (*query.Expr, error) {
	if s.special != nil {
		if out, ok, err := s.special(e); ok || err != nil {
			return out, err
		}
	}
	switch e.Op {
	case query.OpRef:
		return s.resolve(e)
	case query.OpAgg:
		return nil, &query.Error{Code: query.CodeAggregate, Path: "where", Text: "the aggregate " + e.Name + " can only stand in a select, having or orderBy"}
	case query.OpPull:
		leaf, ok := s.calls[e.Of]
		if !ok {
			return nil, &query.Error{Code: query.CodeUnsupported, Path: "callback", Text: "a callback can only stand in a condition by itself, or make the whole row"}
		}
		return leaf, nil
	case query.OpCall:
		out := *e
		out.Args = make([]*query.Expr, len(e.Args))
		for i, a := range e.Args {
			var err error
			if out.Args[i], err = s.rewrite(a); err != nil {
				return nil, err
			}
		}
		return &out, nil
	}
	return e, nil
}

const selected = "$selected"

func (s *scope) resolve(e *query.Expr) (*query.Expr, error) {
	switch {
	case len(e.Path) == 0:
		return nil, &query.Error{Code: query.CodeEmptyReferencePath, Path: "query", Text: "Reference path cannot be empty"}
	case e.Path[0] == selected && s.selected != nil:
		return s.selected.Resolve(e.Path[1:]), nil
	}
	for _, f := range s.names {
		if f.Name == e.Path[0] {
			return f.Shape.Resolve(e.Path[1:]), nil
		}
	}
	if s.bare != nil {
		return s.bare.Resolve(e.Path), nil
	}
	return nil, &query.Error{Code: query.CodeUnknownExpression, Path: "query", Text: "no source of the query is called \"" + e.Path[0] + "\""}
}

func (s *scope) rewriteAll(list []*query.Expr) ([]*query.Expr, error) {
	var out []*query.Expr
	for _, e := range list {
		r, err := s.rewrite(e)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// shapeOf is the shape of what an entry of a select stands for.
func (s *scope) shapeOf(e query.Entry) (query.Shape, error) {
	x := e.Expr
	if s.special != nil {
		if out, ok, err := s.special(x); ok || err != nil {
			return query.ValueShape(out), err
		}
	}
	if x.Op == query.OpRef {
		if _, err := s.resolve(x); err != nil {
			return query.Shape{}, err
		}
		return s.whole().At(x.Path), nil
	}
	out, err := s.rewrite(x)
	return query.ValueShape(out), err
}
