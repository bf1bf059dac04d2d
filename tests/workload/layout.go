package workload

// Layout is a way to lay a table out over shards.
type Layout struct {
	Name  string
	Shard func(c *Chance, rank, rows, shards int) int // of the row at a rank
}

// Layouts lists the layouts a merge is judged by.
func Layouts() []Layout {
	return []Layout{
		{"even", func(_ *Chance, rank, _, shards int) int { return rank % shards }},
		{"zipf 1.3", func(c *Chance, _, _, shards int) int { return c.zipf(shards, 1.3) }},
		{"one shard owns the top", func(_ *Chance, rank, rows, shards int) int { return rank * shards / rows }},
	}
}

// Churn is what merges are judged by: half of the changes take a row that is
// shown, half any row, and put it anywhere.
var Churn = Workload{Name: "half aimed at the top", next: either(scatter, uniform)}

func scatter(h *History, t Table) Op {
	return Op{Key: t.At(h.Intn(min(h.n, t.Len()))), Value: h.between(0, h.range64())}
}
