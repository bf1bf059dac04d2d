package main

import (
	"strconv"

	"millrace.dev/millrace/d2"
)

// workload is one thing to measure. Its name is the same in every engine.
type workload struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	// Visits are the operators taking part in one run, if that is the same in all.
	Visits int `json:"visits,omitempty"`
	// Cycle is the least number of runs that tells the whole story, 1 by default.
	Cycle int `json:"cycle"`
	// Check is the number of runs after which engines must have put out the same.
	Check int `json:"check"`
	// Steps tells that the workload times a part of its runs itself (scene.step),
	// because the rest does not belong to the figure.
	Steps bool `json:"steps,omitempty"`
	// Builds tells that a run may allocate, for it builds something.
	Builds bool `json:"builds,omitempty"`

	build func() *scene
}

// make builds a workload. What it put out while it was loaded does not count.
func (w workload) make() *scene {
	s := w.build()
	s.sink.sum = 0
	return s
}

// check runs a workload, just made, as often as it says and returns a checksum
// over what each of the runs had put out by its end.
func (w workload) check(s *scene) uint32 {
	sum := uint32(0)
	for range w.Check {
		s.run()
		sum = fold(sum, s.sink.sum)
	}
	return sum
}

// scene is a workload built.
type scene struct {
	graph *d2.Graph
	run   func()
	sink  *checksum
	held  func() (rows, bytes int) // of the operator the workload is about
	step  int64                    // nanoseconds spent in what a workload times itself
}

// rest runs the graph.
func (s *scene) rest() {
	_, err := s.graph.Run()
	must(err)
}

func (s *scene) runs(n int) {
	for range n {
		s.run()
	}
}

// checksum is a sink that adds up what it receives: the sum, by weight, of a
// checksum of each row. It depends on the content put out alone, not on how it
// came.
type checksum struct {
	sum uint32
	of  func(row uint32) uint32
}

func (c *checksum) Receive(r *d2.Result) {
	for _, d := range r.Diffs {
		c.sum += uint32(d.Weight) * c.of(d.Row)
	}
}

func (c *checksum) Fail(err error) { panic(err) }

// one is the checksum of a row that is a number.
func one(row uint32) uint32 { return fold(0, row) }

// checksum is that of a row of a table. Only histories, which no other engine
// runs, have values in a that do not fit 32 bits.
func (t *rows) checksum(row uint32) uint32 {
	a := uint64(t.a[row])
	return fold(fold(fold(0, t.key[row]), uint32(a)^uint32(a>>32)), t.b[row])
}

func newScene(of func(row uint32) uint32) *scene {
	return &scene{graph: d2.NewGraph(), sink: &checksum{of: of}}
}

func (s *scene) output(b *d2.Builder, in d2.NodeID) {
	b.Add(d2.NewOutput(d2.OutputSpec{Sink: s.sink}), in)
}

func (s *scene) extend(build func(b *d2.Builder)) { must(s.graph.Extend(build)) }

func (s *scene) push(to d2.NodeID, batch []d2.Diff)      { must(s.graph.Push(to, 0, batch)) }
func (s *scene) changes(to d2.NodeID, batch []d2.Change) { must(s.graph.PushChanges(to, batch)) }

// load brings in the first content of an input.
func (s *scene) load(to d2.NodeID, t *rows) {
	s.push(to, t.inserts())
	s.rest()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func must1[T any](v T, err error) T {
	must(err)
	return v
}

// title makes names like "wide 1,000".
func title(name string, n int) string { return name + " " + grouped(n) }

// grouped writes a number with its thousands set apart.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// workloads lists everything there is to measure, in the order of the report.
// A workload's number is its place.
func workloads() []workload {
	var all []workload
	for _, part := range [][]workload{flows(), states(), tops(), crossovers(), hydrations()} {
		all = append(all, part...)
	}
	for i := range all {
		all[i].Cycle = max(1, all[i].Cycle)
	}
	return all
}
