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

// Churn is what merges are judged by: half of the changes are aimed at the top,
// half hit any row.
var Churn = Workload{Name: "half aimed at the top", next: alternate(boundary(1), uniform)}
