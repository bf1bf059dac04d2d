package d2

import (
	"slices"
	"sort"
)

// Lists of a delta sorted by position, through pointers because a slice in an
// interface would be allocated. They go through one sort.Sort instead
// of a generic instance each: the lists are short, and each instance would be
// some 20 kB of the module. The methods are those of pointers, since a list put
// into an interface by itself would be allocated.

type (
	leavesByAt  []Leave
	entersByAt  []Enter
	updatesByAt []Update
	keptByTo    []keptRow
)

func (l *leavesByAt) Len() int           { return len(*l) }
func (l *leavesByAt) Less(i, j int) bool { return (*l)[i].At < (*l)[j].At }
func (l *leavesByAt) Swap(i, j int)      { (*l)[i], (*l)[j] = (*l)[j], (*l)[i] }

func (l *entersByAt) Len() int           { return len(*l) }
func (l *entersByAt) Less(i, j int) bool { return (*l)[i].At < (*l)[j].At }
func (l *entersByAt) Swap(i, j int)      { (*l)[i], (*l)[j] = (*l)[j], (*l)[i] }

func (l *updatesByAt) Len() int           { return len(*l) }
func (l *updatesByAt) Less(i, j int) bool { return (*l)[i].At < (*l)[j].At }
func (l *updatesByAt) Swap(i, j int)      { (*l)[i], (*l)[j] = (*l)[j], (*l)[i] }

func (l *keptByTo) Len() int           { return len(*l) }
func (l *keptByTo) Less(i, j int) bool { return (*l)[i].to < (*l)[j].to }
func (l *keptByTo) Swap(i, j int)      { (*l)[i], (*l)[j] = (*l)[j], (*l)[i] }

// sort orders every list but Moves, which are made in order.
func (d *Delta) sort() {
	if len(d.Leaves) > 1 {
		sort.Sort((*leavesByAt)(&d.Leaves))
	}
	if len(d.Enters) > 1 {
		sort.Sort((*entersByAt)(&d.Enters))
	}
	if len(d.Updates) > 1 {
		sort.Sort((*updatesByAt)(&d.Updates))
	}
	if len(d.Rebinds) > 1 {
		sort.Sort((*updatesByAt)(&d.Rebinds))
	}
}

// sortRanks shares its instance with the sorting of slots by an order.
func sortRanks(ranks []uint32) {
	if len(ranks) > 1 {
		slices.SortFunc(ranks, func(a, b uint32) int { return int(a) - int(b) })
	}
}
