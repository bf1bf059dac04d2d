package d2

// LeastRow is the reduction to the row that is first in an order, with weight
// 1: the shortest of several paths, the latest version of a record. Rows that
// compare equal, which a total order does not have, are told apart by number;
// without an order the lowest number wins: one row of each key.
func LeastRow(order Order) Reduction { return leastRow{order} }

type leastRow struct{ order Order }

func (l leastRow) Reduce(class uint8, bits uint64, rows []Diff, out *Bag) error {
	least := rows[0].Row
	if l.order != nil {
		for _, d := range rows[1:] {
			if l.order.Compare(d.Row, least) < 0 {
				least = d.Row
			}
		}
	}
	out.Add(least, 1)
	return nil
}

// EachKey is the reduction to the key itself, a row of home with the key and no
// results (see [GroupLayout]): the distinct keys.
func EachKey(home *Table) Reduction { return &keyRows{home: home} }

// RowCount is the reduction to the number of rows by weight, a row of home with
// the key and one result, a [ResultInt].
func RowCount(home *Table) Reduction {
	return &keyRows{home: home, layout: GroupLayout{1}}
}

type keyRows struct {
	home   *Table
	layout GroupLayout
	words  [3]uint64
}

func (k *keyRows) Reduce(class uint8, bits uint64, rows []Diff, out *Bag) error {
	k.words = [3]uint64{}
	words := k.words[:k.layout.Width()]
	k.layout.put(words, 0, class, bits)
	if k.layout.Results > 0 {
		n := int64(0)
		for _, d := range rows {
			n += int64(d.Weight)
		}
		k.layout.put(words, 1, ResultInt, uint64(n))
	}
	out.Add(k.home.Intern(words), 1)
	return nil
}
