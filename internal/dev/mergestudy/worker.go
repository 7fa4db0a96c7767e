package mergestudy

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// worker merges a part of the cases, in a directory of its own.
type worker struct {
	Options
	dir   string
	cases map[int]*threeWay // by their numbers
}

// judge merges every case.
func (w *worker) judge(results []result) error {
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		return fmt.Errorf("make a directory for git: %w", err)
	}
	for i, c := range w.cases {
		results[i].disagree = len(c.disagreements) > 0
	}
	for _, way := range w.Ways {
		merge, err := w.way(way)
		if err != nil {
			return fmt.Errorf("%s: %w", WayNames[way], err)
		}
		for _, i := range slices.Sorted(maps.Keys(w.cases)) {
			if results[i].by[way], err = merge(i, w.cases[i]); err != nil {
				return fmt.Errorf("case %d of seed %d, %s: %w", i, w.Seed, WayNames[way], err)
			}
		}
	}
	return nil
}

// way returns what merges a case by a way.
func (w *worker) way(way int) (func(i int, c *threeWay) (verdict, error), error) {
	own := filepath.Join(w.dir, fmt.Sprint(way))
	if err := os.Mkdir(own, 0o700); err != nil {
		return nil, err
	}
	tools := &toolbox{worldfs: w.Built, home: own}
	switch way {
	case Git:
		g, err := newClone(tools, filepath.Join(own, "world"), w.cases)
		if err != nil {
			return nil, err
		}
		return g.merge, nil
	case SVN:
		s, err := newWorkingCopy(tools, own, w.cases)
		if err != nil {
			return nil, err
		}
		return s.merge, nil
	}
	g := &git{dir: own}
	return func(_ int, c *threeWay) (verdict, error) {
		switch way {
		case BigFile:
			return c.byBigFile(g)
		case Files:
			return c.byFiles(g)
		}
		return c.byWorldfs()
	}, nil
}
