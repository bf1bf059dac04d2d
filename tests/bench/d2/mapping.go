package main

// Functions of rows that are numbers. None makes the same of two.
type (
	plus   uint32
	minus  uint32
	double struct{}
)

func (by plus) Map(x uint32) uint32  { return x + uint32(by) }
func (by minus) Map(x uint32) uint32 { return x - uint32(by) }
func (double) Map(x uint32) uint32   { return 2 * x }

func (plus) Injective() bool   { return true }
func (minus) Injective() bool  { return true }
func (double) Injective() bool { return true }
