package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/textcodec"
)

// syncGoal is how many times the bare commands vcs sync and pull may take.
const syncGoal = 1.5

// synced is how many entities are created, and how many deleted.
const synced = 1000

// syncing is a working copy in which entities were created and deleted.
type syncing struct {
	name             string
	world            *world
	created, deleted []string // files, from the world directory
	bare             func(s *syncing) error
	undo             func(s *syncing) error // has version control know nothing of it again
}

// measureSync compares vcs sync with what git or svn itself takes.
func (j *job) measureSync() error {
	git, err := j.newGitWorld("sync-git", island.DefaultEntities)
	if err != nil {
		return err
	}
	defer os.RemoveAll(git.root)
	svn, err := j.svnWorld()
	if err != nil {
		return err
	}
	j.report.section(fmt.Sprintf("`vcs sync` of %d entities created and %[1]d deleted", synced))
	fmt.Fprintf(&j.report.out, "| | bare commands | vcs sync | ratio | goal |\n|---|---|---|---|---|\n")
	for _, s := range []*syncing{
		{name: "git add -N, git rm --cached", world: &git.world, bare: (*syncing).gitBare, undo: (*syncing).gitUndo},
		{name: "svn add, svn delete", world: svn, bare: (*syncing).svnBare, undo: (*syncing).svnUndo},
	} {
		if err := j.sync(s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// svnWorld is a world of plain files that svn has.
func (j *job) svnWorld() (*world, error) {
	dir := filepath.Join(j.dir, "sync-svn")
	w := &world{binary: j.binary, root: filepath.Join(dir, "world")}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := command(dir, "svnadmin", "create", "repository"); err != nil {
		return nil, err
	}
	if err := command(dir, "svn", "checkout", "-q", "file://"+filepath.Join(dir, "repository"), w.root); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{j.binary, "demo", "--entities", fmt.Sprint(island.DefaultEntities), "."}, {j.binary, "unpack"}, {j.binary, "vcs", "add"},
		{"svn", "commit", "-q", "-m", "base"}, {"svn", "update", "-q"}} {
		if err := command(w.root, args[0], args[1:]...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// sync times both, in turn.
func (j *job) sync(s *syncing) error {
	if err := s.change(); err != nil {
		return err
	}
	var bare, ours []time.Duration
	var ratios []float64
	for range j.rounds {
		var took [2]time.Duration
		for i, do := range []func() error{func() error { return s.bare(s) }, func() error { return command(s.world.root, s.world.binary, "vcs", "sync") }} {
			begin := time.Now()
			if err := do(); err != nil {
				return err
			}
			took[i] = time.Since(begin)
			if err := s.undo(s); err != nil {
				return err
			}
			if err := s.remove(); err != nil {
				return err
			}
		}
		bare, ours, ratios = append(bare, took[0]), append(ours, took[1]), append(ratios, float64(took[1])/float64(took[0]))
	}
	fmt.Fprintf(&j.report.out, "| %s | %s | %s | %.2f | %.1f |\n", s.name, duration(median(bare)), duration(median(ours)), median(ratios), syncGoal)
	return nil
}

// change creates entities, as copies of others, and deletes others.
func (s *syncing) change() error {
	paths, err := listFiles(filepath.Join(s.world.root, "entities"))
	if err != nil {
		return err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return !strings.HasSuffix(path, ".entity_text") })
	for i := range synced {
		text, err := os.ReadFile(paths[i])
		if err != nil {
			return err
		}
		lines := strings.SplitN(string(text), "\n", 4)
		lines[2] = fmt.Sprint(2_000_000_000 + i)
		name := filepath.Join("entities", lines[2]+".entity_text")
		if err := os.WriteFile(filepath.Join(s.world.root, name), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			return err
		}
		s.created = append(s.created, name)
		s.deleted = append(s.deleted, filepath.Join("entities", filepath.Base(paths[len(paths)-1-i])))
	}
	return s.remove()
}

// remove removes the files of the deleted entities.
func (s *syncing) remove() error {
	for _, name := range s.deleted {
		if err := os.RemoveAll(filepath.Join(s.world.root, name)); err != nil {
			return err
		}
	}
	return nil
}

// targets writes a list of files, and returns where.
func (s *syncing) targets(names []string) (string, error) {
	path := s.world.root + ".targets"
	return path, os.WriteFile(path, []byte(strings.Join(names, "\n")+"\n"), 0o644)
}

func (s *syncing) each(add, remove []string) error {
	for _, step := range []struct {
		names []string
		args  []string
	}{{s.created, add}, {s.deleted, remove}} {
		path, err := s.targets(step.names)
		if err != nil {
			return err
		}
		args := slices.Clone(step.args)
		args[len(args)-1] += path
		if err := command(s.world.root, args[0], args[1:]...); err != nil {
			return err
		}
	}
	return nil
}

func (s *syncing) gitBare() error {
	return s.each([]string{"git", "add", "-N", "--pathspec-from-file="}, []string{"git", "rm", "-q", "--cached", "--pathspec-from-file="})
}

func (s *syncing) gitUndo() error { return command(s.world.root, "git", "reset", "-q") }

func (s *syncing) svnBare() error {
	return s.each([]string{"svn", "add", "-q", "--targets", ""}, []string{"svn", "delete", "-q", "--targets", ""})
}

func (s *syncing) svnUndo() error {
	return command(s.world.root, "svn", "revert", "-q", "-R", "entities")
}

// measurePull compares pull with git pull, of as many changes as a merge has: where nothing
// else is here, and where there is a commit of one's own.
func (j *job) measurePull() error {
	if command(j.dir, j.binary, "pull", "--help") != nil {
		return nil // this build has none
	}
	g, err := j.newGitWorld("pull", island.DefaultEntities)
	if err != nil {
		return err
	}
	defer os.RemoveAll(g.root)
	clone := filepath.Join(j.dir, "pulling")
	defer os.RemoveAll(clone)
	if err := g.commit("theirs", edited(g.all, 2)); err != nil {
		return err
	}
	// A clone that came over a network has one pack, and its world was opened.
	for _, args := range [][]string{{"git", "clone", "-q", "--no-local", "-b", "theirs", g.root, clone}, {j.binary, "-C", clone, "pack"},
		{"git", "-C", clone, "tag", "none", "origin/main"}, {"git", "-C", clone, "checkout", "-q", "none"}} {
		if err := command(j.dir, args[0], args[1:]...); err != nil {
			return err
		}
	}
	if err := ownCommit(clone, g.all); err != nil {
		return err
	}
	j.report.section(fmt.Sprintf("`pull` of %d changes", edits))
	fmt.Fprintf(&j.report.out, "| here alone | compared with | its time, of the processors | worldfs pull | ratio (goal %.1f) | of the processors |\n|---|---|---|---|---|---|\n", syncGoal)
	for _, c := range []struct{ here, tag, option string }{{"nothing", "none", "--ff-only"}, {"one commit", "own", "--rebase"}} {
		if err := j.pull(clone, c.here, c.tag, c.option); err != nil {
			return err
		}
	}
	return nil
}

// ownCommit commits a change of one entity that no other side makes, and tags that own.
func ownCommit(clone string, all *entity.World) error {
	theirs, other := edited(all, 2), changedIn(all, "orientation")
	for _, id := range all.IDs() {
		was, _ := all.Get(id)
		now, _ := theirs.Get(id)
		mine, _ := other.Get(id)
		if !was.Same(now) || was.Same(mine) {
			continue
		}
		if err := os.WriteFile(filepath.Join(clone, "entities", layout.FileName(id)), textcodec.Append(nil, mine), 0o644); err != nil {
			return err
		}
		return errors.Join(command(clone, "git", "commit", "-q", "-a", "-m", "own"), command(clone, "git", "tag", "own"))
	}
	return errors.New("each entity is changed by theirs")
}

// pull times git pull and pull, in turn, from what a tag has.
func (j *job) pull(clone, here, tag, option string) error {
	var took, busy [2][]time.Duration
	var ratios, shares []float64
	for range j.rounds {
		for i, args := range [][]string{{"git", "pull", "-q", option}, {j.binary, "pull"}} {
			for _, args := range [][]string{{"checkout", "-q", "-f", "-B", "theirs", tag}, {"branch", "-q", "--set-upstream-to", "origin/theirs"},
				{"update-ref", "refs/remotes/origin/theirs", "none"}, {"update-index", "-q", "--refresh"}} {
				if err := command(clone, "git", args...); err != nil {
					return err
				}
			}
			begin, before := time.Now(), childrensTime()
			if err := command(clone, args[0], args[1:]...); err != nil {
				return err
			}
			took[i], busy[i] = append(took[i], time.Since(begin)), append(busy[i], childrensTime()-before)
		}
		last := len(took[0]) - 1
		ratios = append(ratios, float64(took[1][last])/float64(took[0][last]))
		shares = append(shares, float64(busy[1][last])/float64(busy[0][last]))
	}
	fmt.Fprintf(&j.report.out, "| %s | git pull %s | %s, %s | %s, %s | %.2f | %.2f |\n", here, option,
		duration(median(took[0])), duration(median(busy[0])), duration(median(took[1])), duration(median(busy[1])), median(ratios), median(shares))
	return nil
}

// childrensTime returns what all processes that were started and have ended took of the
// processors.
func childrensTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
