package model

import "math/big"

// Expr is an expression: a reference (Path), a constant (no Path, no Fn) or a
// call.
type Expr struct {
	Path  []string
	Value any
	Fn    string
	Args  []Expr
	List  []any // of in
}

// Eval evaluates e; field gives the value at a path of the row.
func (e Expr) Eval(field func(path []string) any) (any, error) {
	if e.Path != nil {
		return field(e.Path), nil
	}
	if e.Fn == "" {
		return e.Value, nil
	}
	args := make([]any, len(e.Args))
	for i, a := range e.Args {
		v, err := a.Eval(field)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	return apply(e.Fn, args, e.List)
}

func apply(fn string, args []any, list []any) (any, error) {
	switch fn {
	case "and", "or":
		return fold(fn, args), nil
	case "isNull":
		return args[0] == nil, nil
	case "isUndefined":
		return args[0] == Undefined, nil
	case "not":
		if absent(args[0]) {
			return nil, nil
		}
		return !truthy(args[0]), nil
	case "in":
		if absent(args[0]) {
			return nil, nil
		}
		for _, m := range list {
			if !absent(m) && Equal(args[0], m) {
				return true, nil
			}
		}
		return false, nil
	}
	a, b := args[0], args[1]
	if absent(a) || absent(b) {
		return nil, nil
	}
	switch fn {
	case "eq":
		return Equal(a, b), nil
	case "like", "ilike":
		text, isText := a.(string)
		pattern, isPattern := b.(string)
		return isText && isPattern && Like(text, pattern, fn == "ilike"), nil
	}
	r, err := Relate(a, b)
	switch {
	case err != nil:
		return nil, err
	case !r.Known:
		return nil, nil
	case r.Nothing:
		return false, nil
	}
	switch fn {
	case "gt":
		return r.Order > 0, nil
	case "gte":
		return r.Order >= 0, nil
	case "lt":
		return r.Order < 0, nil
	case "lte":
		return r.Order <= 0, nil
	}
	panic("model: no function " + fn)
}

// fold is and and or: the first operand that decides, else null if one was, else
// the neutral answer.
func fold(fn string, args []any) any {
	decides := fn == "or"
	unknown := false
	for _, a := range args {
		if a == decides {
			return decides
		}
		unknown = unknown || absent(a)
	}
	if unknown {
		return nil
	}
	return !decides
}

func truthy(v any) bool {
	switch x := v.(type) {
	case bool:
		return x
	case float64:
		return x != 0 && x == x
	case string:
		return x != ""
	case *big.Int:
		return x.Sign() != 0
	}
	return true
}
