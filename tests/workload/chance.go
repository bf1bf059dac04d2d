package workload

import "math"

// Chance makes reproducible choices from a seed.
type Chance struct{ state uint64 }

// NewChance returns choices that depend on the seed alone.
func NewChance(seed uint64) *Chance { return &Chance{seed} }

func (c *Chance) next() uint64 {
	c.state += 0x9e3779b97f4a7c15
	x := c.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Intn returns a number in [0, n); 0 if n is not positive.
func (c *Chance) Intn(n int) int {
	if n <= 0 {
		return 0
	}
	return int(c.next() >> 1 % uint64(n))
}

// between returns a number in [lo, hi]; lo if that is empty.
func (c *Chance) between(lo, hi int64) int64 {
	if hi <= lo {
		return lo
	}
	return lo + int64(c.next()%uint64(hi-lo+1))
}

// zipf returns a number in [0, n), i with weight 1/(i+1)^s.
func (c *Chance) zipf(n int, s float64) int {
	sum := 0.0
	for i := range n {
		sum += math.Pow(float64(i+1), -s)
	}
	at := float64(c.next()>>11) / (1 << 53) * sum
	for i := range n {
		if at -= math.Pow(float64(i+1), -s); at < 0 {
			return i
		}
	}
	return n - 1
}
