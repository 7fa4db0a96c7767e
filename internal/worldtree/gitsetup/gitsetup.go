// Package gitsetup sets a clone of a git repository up for the worlds in it: the merge
// driver and the text for diffs in the clone's config, which of its files they are for in
// info/attributes, and hooks.
//
// All of it is local to the clone, and shared by its linked working trees. Nothing in the
// tree changes, so it holds on every branch, and commits nothing for other people. What
// was there before is kept: hooks go on to run, before these; directories of hooks that are
// not the repository's own are not touched. Uninstall leaves everything as it was. To
// install twice changes nothing more.
//
// Whatever of it runs and finds its program gone lets git go on as if it were not set up.
package gitsetup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/ownpart"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// Setup is what is set up in a clone for a world.
type Setup struct {
	git    vcs.Git
	places places
	world  string // the world directory in the working tree, with slashes; "." for its top
}

// Open finds the clone that a world directory lies in. Where it lies in none the error is
// a vcs.ErrNoRepository.
func Open(root string) (*Setup, error) {
	s := &Setup{git: vcs.Git{Dir: root}}
	var err error
	if s.places, err = placesOf(s.git); err != nil {
		return nil, err
	}
	if s.world = strings.TrimSuffix(s.places.Prefix, "/"); s.world == "" {
		s.world = "."
	}
	return s, nil
}

// Worlds returns the world directories of the working tree that dir lies in for which the
// clone is set up.
func Worlds(dir string) (roots []string, err error) {
	git := vcs.Git{Dir: dir}
	at, err := placesOf(git)
	if err != nil {
		return nil, err
	}
	said, err := git.Config(`^worldfs\.world$`)
	for _, world := range said[worldKey] {
		roots = append(roots, filepath.Join(at.Top, filepath.FromSlash(world)))
	}
	return roots, err
}

// Changes says what a call did.
type Changes = ownpart.Changes

// Install sets the clone up, to run a program.
func (s *Setup) Install(program string) (c Changes, err error) {
	for _, step := range []func(*Changes, string) error{s.installConfig, s.installAttributes, s.installHooks} {
		if err := step(&c, program); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Uninstall takes away what Install set up for the world; where that was the last one,
// all of it.
func (s *Setup) Uninstall() (c Changes, err error) {
	if err := s.uninstallAttributes(&c); err != nil {
		return c, err
	}
	said, err := s.git.Config(`^worldfs\.world$`)
	if err != nil {
		return c, err
	}
	others := slices.DeleteFunc(said[worldKey], func(world string) bool { return world == s.world })
	if len(others) == 0 {
		if err := s.uninstallHooks(&c); err != nil {
			return c, err
		}
	}
	return c, s.uninstallConfig(&c, len(others) == 0)
}

// Lacks returns what of the setup is not there, or not as Install makes it, in words.
func (s *Setup) Lacks() (lacks []string, err error) {
	said, err := s.git.Config(`^(worldfs|merge\.worldfs|diff\.worldfs)\.`)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(said[worldKey], s.world) || len(said[driverKey]) == 0 {
		return []string{"the merge driver", "the hooks"}, nil
	}
	if program := programOf(said[driverKey][0]); !exists(program) {
		lacks = append(lacks, fmt.Sprintf("the program that it runs, %s, which is gone", program))
	}
	has, err := s.hasAttributes()
	if err != nil {
		return nil, err
	}
	if !has {
		lacks = append(lacks, "the merge driver's attributes")
	}
	for _, name := range hookNames {
		if has, err := s.hasHook(name); err != nil {
			return nil, err
		} else if !has {
			lacks = append(lacks, "the hook "+name)
		}
	}
	return lacks, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Tracked reports whether git has the world in its index, and any file of an entity.
func (s *Setup) Tracked() (world, entities bool, err error) {
	names, err := s.git.StagedChanges("", vcs.Query{Names: []string{"world.toml", "entities"}})
	if errors.Is(err, vcs.ErrNoTool) {
		return false, false, nil
	}
	world = slices.Contains(names, "world.toml")
	return world, len(names) > 1 || len(names) == 1 && !world, err
}
