//go:build d2bench

package d2

// NeverReread holds a window to stepping through every batch.
func (o *Window) NeverReread() { o.w.mode = refetchNever }

// AlwaysReread holds a window that has a prefix to reading it again.
func (o *Window) AlwaysReread() { o.w.mode = refetchAlways }
