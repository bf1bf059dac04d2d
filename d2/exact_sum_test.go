package d2_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"millrace.dev/millrace/d2"

	"pgregory.net/rapid"
)

// sumTerm is one number of a sum with its weight, and its exact value.
type sumTerm struct {
	x      d2.Number
	weight int32
}

func floatNumber(v float64) d2.Number {
	return d2.Number{Kind: d2.NumberFloat, Bits: math.Float64bits(v)}
}
func intNumber(v int64) d2.Number { return d2.Number{Kind: d2.NumberInt, Bits: uint64(v)} }

func bigNumber(v *big.Int) d2.Number {
	n := d2.Number{Kind: d2.NumberBig, Neg: v.Sign() < 0}
	m := new(big.Int).Abs(v)
	for m.Sign() > 0 {
		n.Limbs = append(n.Limbs, uint32(new(big.Int).And(m, big.NewInt(math.MaxUint32)).Uint64()))
		m.Rsh(m, 32)
	}
	return n
}

func limbsValue(neg bool, limbs []uint32) *big.Int {
	v := new(big.Int)
	for i := len(limbs) - 1; i >= 0; i-- {
		v.Or(v.Lsh(v, 32), big.NewInt(int64(limbs[i])))
	}
	if neg {
		v.Neg(v)
	}
	return v
}

// naiveSum is the definition: add as if with infinite precision, round once.
func naiveSum(terms []sumTerm) (sum float64, whole *big.Int) {
	const prec = 8192
	total := new(big.Float).SetPrec(prec)
	var nan, up, down, floats int64
	for _, t := range terms {
		v := new(big.Float).SetPrec(prec)
		switch t.x.Kind {
		case d2.NumberFloat:
			floats += int64(t.weight)
			f := math.Float64frombits(t.x.Bits)
			switch {
			case math.IsNaN(f):
				nan += int64(t.weight)
			case math.IsInf(f, 1):
				up += int64(t.weight)
			case math.IsInf(f, -1):
				down += int64(t.weight)
			default:
				v.SetFloat64(f)
			}
		case d2.NumberInt:
			v.SetInt64(int64(t.x.Bits))
		case d2.NumberBig:
			v.SetInt(limbsValue(t.x.Neg, t.x.Limbs))
		}
		total.Add(total, v.Mul(v, new(big.Float).SetPrec(prec).SetInt64(int64(t.weight))))
	}
	if floats == 0 && nan|up|down == 0 && total.IsInt() {
		whole, _ = total.Int(nil)
	}
	switch {
	case nan != 0 || (up != 0 && down != 0):
		return math.NaN(), whole
	case up != 0:
		return math.Inf(1), whole
	case down != 0:
		return math.Inf(-1), whole
	}
	sum, _ = total.Float64()
	if sum == 0 {
		sum = 0 // never -0: the sum starts at 0
	}
	return math.Abs(sum) * math.Copysign(1, sum), whole
}

func genNumber(t *rapid.T) d2.Number {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return d2.Number{}
	case 1, 2:
		return floatNumber(rapid.SampledFrom([]float64{
			0, math.Copysign(0, -1), 0.1, 0.2, 0.3, -0.1, 1, -1, 1e16, -1e16, 1e308, -1e308, math.MaxFloat64,
			-math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p53, 0x1p53 + 2,
		}).Draw(t, "known"))
	case 3:
		if rapid.IntRange(0, 4).Draw(t, "rare") > 0 {
			return floatNumber(0.5)
		}
		return floatNumber(rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "special"))
	case 4, 5, 6:
		return floatNumber(math.Float64frombits(rapid.Uint64().Draw(t, "bits")))
	case 7:
		return intNumber(rapid.Int64().Draw(t, "int"))
	case 8:
		return intNumber(rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 32, -1 << 32}).Draw(t, "edge"))
	}
	limbs := rapid.SliceOfN(rapid.Uint32(), 0, 9).Draw(t, "limbs")
	return bigNumber(limbsValue(rapid.Bool().Draw(t, "neg"), limbs))
}

func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || (math.IsNaN(a) && math.IsNaN(b))
}

func checkSum(t interface{ Fatalf(string, ...any) }, s *d2.ExactSums, id uint32, terms []sumTerm) {
	want, whole := naiveSum(terms)
	if got := s.Float(id); !sameFloat(got, want) {
		t.Fatalf("sum %d of %v: got %v (%x), want %v (%x)", id, terms, got, math.Float64bits(got), want, math.Float64bits(want))
	}
	neg, limbs, ok := s.Integer(id)
	if ok != (whole != nil) {
		t.Fatalf("sum %d of %v: is an integer: got %v, want %v", id, terms, ok, whole != nil)
	}
	if !ok {
		return
	}
	if len(limbs) > 0 && limbs[len(limbs)-1] == 0 {
		t.Fatalf("sum %d: superfluous limb in %v", id, limbs)
	}
	if got := limbsValue(neg, limbs); got.Cmp(whole) != 0 {
		t.Fatalf("sum %d of %v: got %v, want %v", id, terms, got, whole)
	}
	if v, fits := d2.Int64(neg, limbs); fits != whole.IsInt64() || (fits && v != whole.Int64()) {
		t.Fatalf("sum %d: as int64 got %v %v, want %v", id, v, fits, whole)
	}
}

// TestExactSums_EqualTheRoundedInfiniteSum names law FRESH: a sum kept up to
// date by additions and deletions equals, bit for bit, the sum of what is left.
func TestExactSums_EqualTheRoundedInfiniteSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &d2.ExactSums{}
		model := make([][]sumTerm, rapid.IntRange(1, 4).Draw(t, "sums"))
		steps := rapid.IntRange(1, 40).Draw(t, "steps")
		for range steps {
			id := rapid.IntRange(0, len(model)-1).Draw(t, "id")
			switch terms := model[id]; {
			case len(terms) > 0 && rapid.IntRange(0, 2).Draw(t, "delete") == 0:
				i := rapid.IntRange(0, len(terms)-1).Draw(t, "which")
				s.Add(uint32(id), terms[i].x, -terms[i].weight)
				model[id] = append(terms[:i:i], terms[i+1:]...)
			case len(model) > 1 && rapid.IntRange(0, 19).Draw(t, "drop") == 0:
				last := len(model) - 1
				s.Drop(uint32(id), uint32(last))
				model[id] = model[last]
				model = model[:last]
				continue
			default:
				x := sumTerm{genNumber(t), rapid.OneOf(rapid.SampledFrom([]int32{1, 1, 1, 2, -1, math.MaxInt32, math.MinInt32 + 1}),
					rapid.Int32Range(-1000, 1000)).Draw(t, "weight")}
				s.Add(uint32(id), x.x, x.weight)
				model[id] = append(model[id], x)
			}
			if rapid.Bool().Draw(t, "read") {
				checkSum(t, s, uint32(id), model[id])
			}
		}
		for id, terms := range model {
			checkSum(t, s, uint32(id), terms)
			for _, x := range terms {
				s.Add(uint32(id), x.x, -x.weight)
			}
			checkSum(t, s, uint32(id), nil)
		}
		for last := len(model) - 1; last >= 0; last-- {
			s.Drop(0, uint32(last))
		}
		if s.Bytes() != 0 || s.Len() != 0 {
			t.Fatalf("%d bytes are left in %d sums", s.Bytes(), s.Len())
		}
	})
}

func FuzzExactSums(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 1, 0, 0, 0, 0, 0, 0xf0, 0xff})
	f.Add([]byte("0.1 + 0.2 is not 0.3, or is it?!"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := &d2.ExactSums{}
		var terms []sumTerm
		for i := 0; i+8 <= len(raw) && i < 800; i += 8 {
			bits := binary.LittleEndian.Uint64(raw[i:])
			x := sumTerm{d2.Number{Kind: d2.NumberFloat, Bits: bits}, int32(int8(raw[i]))}
			if raw[i]&3 == 3 {
				x.x.Kind = d2.NumberInt
			}
			s.Add(0, x.x, x.weight)
			terms = append(terms, x)
		}
		checkSum(t, s, 0, terms)
	})
}

func TestExactSums_ForgetNothing(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		in   []float64
		want float64
	}{
		{"a small number survives a large one that comes and goes", []float64{1e300, 0.1, -1e300}, 0.1},
		{"three tenths are the nearest to their sum", []float64{0.1, 0.2, 0.3}, 0.6},
		{"the sum is never negative zero", []float64{math.Copysign(0, -1)}, 0},
		{"the smallest cancels to zero", []float64{5e-324, -5e-324}, 0},
		{"half way rounds to even", []float64{0x1p53, 1}, 0x1p53},
		{"a trace beyond half way rounds up", []float64{0x1p53, 1, 5e-324}, 0x1p53 + 2},
		{"too large is infinite", []float64{math.MaxFloat64, math.MaxFloat64}, inf},
		{"too large is passed through", []float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, math.MaxFloat64},
		{"just below half a step past the largest", []float64{math.MaxFloat64, 0x1p969}, math.MaxFloat64},
		{"half a step past the largest", []float64{math.MaxFloat64, 0x1p970}, inf},
		{"one infinity", []float64{-inf, 1e308}, -inf},
		{"both infinities", []float64{inf, -inf}, nan},
		{"not a number", []float64{nan, inf}, nan},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &d2.ExactSums{}
			for _, v := range c.in {
				s.Add(0, floatNumber(v), 1)
			}
			if got := s.Float(0); !sameFloat(got, c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestExactSums_MemoryFollowsTheSums(t *testing.T) {
	s := &d2.ExactSums{}
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 2000
	values := make([]float64, n)
	for id := range uint32(n) {
		values[id] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
		s.Add(id, floatNumber(values[id]), 1)
		s.Add(id, floatNumber(1e300), 1)
		s.Add(id, floatNumber(1e300), -1)
		if got := s.Float(id); got != values[id] {
			t.Fatalf("got %v, want %v", got, values[id])
		}
	}
	if per := s.Bytes() / n; per > 160 {
		t.Errorf("%d bytes a sum, after each has reached over 1000 bits for a moment", per)
	}
	for last := uint32(n - 1); last >= 10; last-- {
		s.Drop(last/2, last)
		values[last/2] = values[last]
	}
	if s.Bytes() > 4000 {
		t.Errorf("%d bytes for 10 sums", s.Bytes())
	}
	for id := range uint32(10) {
		if got := s.Float(id); got != values[id] {
			t.Errorf("sum %d: got %v, want %v", id, got, values[id])
		}
	}
	if a := testing.AllocsPerRun(100, func() {
		s.Add(3, floatNumber(0.7), 5)
		s.Float(3)
		s.Add(3, floatNumber(0.7), -5)
		s.Float(3)
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
