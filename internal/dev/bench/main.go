// Command bench measures worldfs on the island world and writes
// docs/benchmarks.md. Every ratio compares two ways in one run, in turn, and is
// a median; machines are noisy, so it is the ratios that count.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/dev/island"
)

// reasons says, for what falls short of its goal, where the limit is.
//
//go:embed reasons.md
var reasons string

// options are the command's flags.
type options struct {
	bencher
	out      string
	binary   string
	entities int
	only     string
	scale    string
}

func main() {
	var o options
	flag.StringVar(&o.out, "o", "", "write the report to this file (default: stdout)")
	flag.StringVar(&o.binary, "worldfs", "bin/worldfs", "the binary that is measured")
	flag.IntVar(&o.entities, "entities", island.DefaultEntities, "entities in the world")
	flag.IntVar(&o.rounds, "rounds", 5, "counted rounds of each measurement")
	flag.StringVar(&o.only, "only", "", "measure only these, separated by commas: "+strings.Join(sectionNames(), ", "))
	flag.StringVar(&o.scale, "scale", "10422,300000,1000000", "the sizes of the worlds in the tables of scale")
	flag.StringVar(&o.rows, "rows", "", "of the mount, measure only what has one of these in its name, separated by commas")
	flag.BoolVar(&o.alone, "alone", false, "measure no peers of the mount")
	flag.DurationVar(&o.limit, "peer-limit", 4*time.Second, "do not wait for what takes a peer longer")
	flag.StringVar(&o.before, "beside", "", "measure the mount of this build too, in the same rounds, and say what is slower than there")
	load := flag.String("load", "", "load and walk this pack once, print nanoseconds and bytes (used by the bench itself)")
	flag.Parse()
	if *load != "" {
		exit(printLoad(*load))
	}
	exit(run(o))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(3)
	}
	os.Exit(0)
}

// job is what the sections work with.
type job struct {
	options
	dir    string
	s      *subject
	report report
}

var sections = []struct {
	name string
	do   func(*job) error
}{
	{"codec", (*job).codec},
	{"mount", func(j *job) error { return j.measureMounts(j.dir, j.binary, j.s, &j.report) }},
	{"pack", (*job).measurePack},
	{"engine", (*job).measureEngine},
	{"vcs", (*job).measureVersionControl},
	{"pull", (*job).measurePull},
	{"commands", (*job).measureCommands},
	{"scale", (*job).measureScale},
}

func sectionNames() (names []string) {
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

func run(o options) error {
	dir, err := os.MkdirTemp("", "worldfs-bench")
	if err != nil {
		return err
	}
	defer func() {
		endMounts(dir)
		os.RemoveAll(dir)
	}()
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	if o.before != "" {
		if o.before, err = filepath.Abs(o.before); err != nil {
			return err
		}
	}
	j := &job{options: o, dir: dir}
	if j.s, err = newSubject(dir, o.entities); err != nil {
		return err
	}
	j.report.machine()
	j.report.world(j.s)
	for _, s := range sections {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), s.name) {
			continue
		}
		if err := s.do(j); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if o.out == "" {
			continue
		}
		if err := j.write(); err != nil { // of a run that is cut off, what it has
			return err
		}
	}
	if o.out == "" {
		_, err = os.Stdout.Write(j.text())
	}
	return err
}

// text returns the report of what was measured so far.
func (j *job) text() []byte { return slices.Concat(j.report.out.Bytes(), []byte("\n"+reasons)) }

func (j *job) write() error { return os.WriteFile(filepath.Clean(j.out), j.text(), 0o644) }

// codec measures text, pack and merge in this process.
func (j *job) codec() error {
	for _, measure := range []func(*subject, int, *report) error{measureDecode, measureEncode, measureLoad, measureMerge} {
		if err := measure(j.s, j.rounds, &j.report); err != nil {
			return err
		}
	}
	j.report.codec()
	return nil
}

// sizes are the worlds of the tables of scale.
func (o *options) sizes() (sizes []int, err error) {
	for _, s := range strings.Split(o.scale, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("-scale: %w", err)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}
