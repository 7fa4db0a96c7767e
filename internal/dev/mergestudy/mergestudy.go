// Package mergestudy compares ways to merge worlds on generated three-way
// cases: git on one big text file, git on a file for each entity, package merge,
// and the real git and svn, with what the built program does for them.
//
// A case is a world of about ten entities that two sides edited. Every edit is
// known, and what it touched: so it is known whether the sides disagree, and
// what a merge must hold. Cases depend on the seed and their number alone.
//
// A case costs about as much as starting git two or three times; with the real git and
// svn, as starting them thirty times.
package mergestudy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// The ways to merge, in the order of Study.Ways.
const (
	BigFile = iota
	Files
	Worldfs
	Git // these two need the built program
	SVN
	ways
)

// WayNames are the ways' names for people.
var WayNames = [ways]string{"git, one big text file", "git, a file an entity", "worldfs", "`git merge` and `resolve`", "`svn update` and `resolve`"}

// Damage counts cases by what a merge broke without saying so.
type Damage struct {
	Unreadable int // a text does not parse, or a field in it is missing or unknown
	Duplicates int // an ID, a key or a field stands twice
	Dangling   int // a ref to nothing that neither side had
	Cycles     int // direct refs in a circle that neither side had
	Lost       int // what one side alone changed is not there
	Mixed      int // where both changed one property: neither's value, or only one's
}

// Tally counts what became of the cases by one way. Every case is Right,
// True, False or, if no conflict was reported, Damaged.
type Tally struct {
	Right    int // no conflict reported, and everything there
	Repaired int // of these, those with a repair or a new ID that the report lists
	True     int // conflict reported, and the sides do disagree
	False    int // conflict reported, and they do not
	Damaged  int // no conflict reported, and something broken
	Damage   Damage

	// BrokenInConflict are cases with conflicts whose result is broken in what
	// they do not disagree about. Only what worldfs does has a result to look at then.
	BrokenInConflict int
	// Misplaced are cases in which a conflict is about an entity that the sides
	// do not disagree about. Only what worldfs does says which it is about.
	Misplaced int
}

// Options are what to study.
type Options struct {
	Seed  uint64
	Cases int
	Ways  []int  // nil: all
	Built string // the built program, for Git and SVN
}

// Study is what came out.
type Study struct {
	Git         string // its version
	Seed        uint64
	Cases       int
	Disagreeing int   // cases in which the sides disagree
	Ran         []int // the ways
	Ways        [ways]Tally
	Failures    []string // what worldfs did wrong, for tests to show
}

// verdict is what one way made of one case.
type verdict struct {
	conflict, repaired, misplaced bool
	faults                        faults
	failure                       string
}

// result is what became of a case.
type result struct {
	disagree bool
	by       [ways]verdict
}

// Run merges cases by the ways that are asked for. It needs git.
func Run(o Options) (*Study, error) {
	version, err := exec.Command("git", "version").Output()
	if err != nil {
		return nil, fmt.Errorf("ask git for its version: %w; install git", err)
	}
	if o.Ways == nil {
		o.Ways = []int{BigFile, Files, Worldfs, Git, SVN}
	}
	dir, err := os.MkdirTemp("", "mergestudy-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for git: %w", err)
	}
	defer os.RemoveAll(dir)
	results := make([]result, o.Cases)
	var group errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		group.Go(func() error {
			w := worker{Options: o, dir: filepath.Join(dir, strconv.Itoa(first)), cases: make(map[int]*threeWay)}
			for i := first; i < o.Cases; i += workers {
				w.cases[i] = newCase(o.Seed, uint64(i))
			}
			return w.judge(results)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	s := &Study{Git: strings.TrimSpace(string(version)), Seed: o.Seed, Cases: o.Cases, Ran: o.Ways}
	for i, r := range results {
		s.add(i, r)
	}
	return s, nil
}

func (s *Study) add(i int, r result) {
	if r.disagree {
		s.Disagreeing++
	}
	for _, way := range s.Ran {
		v := r.by[way]
		s.Ways[way].add(r.disagree, v)
		if way >= Worldfs && (v.faults != (faults{}) || v.misplaced || v.conflict && !r.disagree) {
			s.Failures = append(s.Failures, fmt.Sprintf("case %d, %s: %+v", i, WayNames[way], v))
		}
	}
}

func (t *Tally) add(disagree bool, v verdict) {
	broken := v.faults != faults{}
	if v.misplaced {
		t.Misplaced++
	}
	if v.conflict && broken {
		t.BrokenInConflict++
	}
	switch {
	case v.conflict && disagree:
		t.True++
		return
	case v.conflict:
		t.False++
		return
	case !broken:
		t.Right++
		if v.repaired {
			t.Repaired++
		}
		return
	}
	t.Damaged++
	t.Damage.add(v.faults)
}

func (d *Damage) add(f faults) {
	for _, kind := range []struct {
		is bool
		n  *int
	}{
		{f.unreadable, &d.Unreadable}, {f.duplicates, &d.Duplicates}, {f.dangling, &d.Dangling},
		{f.cycles, &d.Cycles}, {f.lost, &d.Lost}, {f.mixed, &d.Mixed},
	} {
		if kind.is {
			*kind.n++
		}
	}
}

// byWorldfs merges with package merge. Its result is judged through its texts,
// as git's are, and also where there are conflicts.
func (c *threeWay) byWorldfs() (verdict, error) {
	r, err := merge.Worlds(merge.Of(c.base), merge.Of(c.sides[0].world), merge.Of(c.sides[1].world), c.options())
	if err != nil {
		return verdict{}, err
	}
	v := verdict{conflict: len(r.Conflicts) > 0, repaired: len(r.Repairs)+len(r.Renumbered) > 0}
	out := &outcome{world: entity.NewWorld(c.base.ID, r.Types), repaired: make(map[property]bool)}
	for _, repair := range r.Repairs {
		out.repaired[property{repair.ID, successor(repair.Field)}] = true
	}
	for _, moved := range r.Renumbered {
		out.renumber(moved)
	}
	for _, conflict := range r.Conflicts {
		v.misplaced = v.misplaced || !c.disagreements[conflict.ID]
	}
	texts := make(map[entity.ID][]byte)
	for e := range r.All() {
		texts[e.ID] = text(e)
	}
	v.faults, v.failure = c.examine(c.readFiles(texts, out), v.conflict)
	return v, nil
}
