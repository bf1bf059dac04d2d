package collection

// Apply implements query.Applier: functions of texts and objects are the
// shell's.
func (d *Dict) Apply(name string, n int, kinds [][]uint8, vals [][]float64) ([]uint8, []float64, error) {
	operands := make([]Cells, len(kinds))
	for i := range operands {
		operands[i] = Cells{N: n, Kinds: kinds[i], Vals: vals[i]}
	}
	answer, err := ForeignOf(d.shell).Apply(name, n, operands)
	if err != nil {
		return nil, nil, err
	}
	rk, rv := make([]uint8, n), make([]float64, n)
	for i := range rk {
		c := answer.At(i)
		rk[i], rv[i] = c.Kind, c.Val
	}
	return rk, rv, nil
}
