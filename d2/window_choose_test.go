package d2

import "testing"

func TestChoose(t *testing.T) {
	base := Prospect{Limited: true, Ordered: true, Arranged: true, Need: 50, Spare: 10, Rows: 1000, Sel: 1}
	for _, c := range []struct {
		name   string
		change func(p *Prospect)
		want   Strategy
	}{
		{"a limit over an arrangement is pulled", func(*Prospect) {}, Windowed},
		{"few of the arranged rows pass: still pulled", func(p *Prospect) { p.Sel = 0.01 }, Windowed},
		{"without a limit everything is held", func(p *Prospect) { p.Limited = false }, Retained},
		{"an order nobody can answer is sorted here", func(p *Prospect) { p.Ordered = false }, Retained},
		{"a prefix of most rows saves nothing", func(p *Prospect) { p.Need = 300 }, Retained},
		{"a quarter of the rows is the most", func(p *Prospect) { p.Need = 240 }, Windowed},
		{"arranging pays where most rows pass", func(p *Prospect) { p.Arranged = false }, ArrangeAndWindow},
		{"and not where few do", func(p *Prospect) { p.Arranged, p.Sel = false, 0.1 }, Retained},
		{"unless others read in that order", func(p *Prospect) { p.Arranged, p.Sel, p.Reused = false, 0.1, true }, ArrangeAndWindow},
	} {
		p := base
		c.change(&p)
		if got := Choose(p); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
