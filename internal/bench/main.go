// Command bench measures worldfs on the island world and writes
// docs/benchmarks.md. Every ratio compares two ways in one run, in turn, and is
// a median; machines are noisy, so it is the ratios that count.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/island"
)

func main() {
	out := flag.String("o", "", "write the report to this file (default: stdout)")
	entities := flag.Int("entities", island.DefaultEntities, "entities in the world")
	rounds := flag.Int("rounds", 7, "counted rounds of each measurement")
	load := flag.String("load", "", "load and walk this pack once, print nanoseconds and bytes (used by the bench itself)")
	flag.Parse()
	if *load != "" {
		exit(printLoad(*load))
	}
	exit(run(*out, *entities, *rounds))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(3)
	}
	os.Exit(0)
}

func run(out string, entities, rounds int) error {
	dir, err := os.MkdirTemp("", "worldfs-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newSubject(dir, entities)
	if err != nil {
		return err
	}
	var r report
	r.machine()
	r.world(s)
	for _, measure := range []func(*subject, int, *report) error{measureDecode, measureEncode, measureLoad, measureMerge} {
		if err := measure(s, rounds, &r); err != nil {
			return err
		}
	}
	if out == "" {
		_, err = os.Stdout.Write(r.bytes())
		return err
	}
	return os.WriteFile(filepath.Clean(out), r.bytes(), 0o644)
}
