//go:build !js

package main

import (
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

func main() {
	runtime.LockOSThread()
	list := flag.Bool("list", false, "print the workloads")
	number := flag.Int("measure", -1, "measure the workload of this number")
	tables := flag.Bool("tables", false, "print the tables that are counted, not timed")
	profile := flag.String("profile", "", "with -measure: write a CPU profile of five seconds to this file instead")
	flag.Parse()
	all := workloads()
	var answer any
	switch {
	case *list:
		answer = all
	case *tables:
		answer = map[string]any{"refills": refillTable(), "merges": mergeTable()}
	case *number < 0 || *number >= len(all):
		flag.Usage()
		os.Exit(2)
	case *profile != "":
		profiled(all[*number], *profile)
		return
	default:
		answer = struct {
			figures
			Clock   string `json:"clock"`
			Version string `json:"version"`
			Forcing bool   `json:"forcing"`
		}{measure(all[*number]), clockName, runtime.Version(), forcing}
	}
	must(json.NewEncoder(os.Stdout).Encode(answer))
}

func profiled(w workload, path string) {
	s := w.make()
	s.runs(w.Cycle)
	file := must1(os.Create(path))
	must(pprof.StartCPUProfile(file))
	for began := time.Now(); time.Since(began) < 5*time.Second; {
		s.runs(max(w.Cycle, 1000))
	}
	pprof.StopCPUProfile()
	must(file.Close())
}
