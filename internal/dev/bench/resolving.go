package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/textcodec"
)

// Goals of resolve.
const (
	resolveGoal = 500 * time.Millisecond // at the island's size
	driverGoal  = 10.0                   // times as fast as one driver process a file
	resolveMore = 2.0                    // beside git's own commands: times the island's
)

// bothChanged is how many files both sides change where the merge driver is measured.
const bothChanged = 1000

// measureVersionControl is the tables of git and svn on plain files.
func (j *job) measureVersionControl() error {
	sizes, err := j.sizes()
	if err != nil {
		return err
	}
	j.report.section(fmt.Sprintf("`resolve` after `git merge`, %d entities changed on each side", edits))
	r := &j.report.out
	fmt.Fprintln(r, "| entities | resolve (goal) | processes of git | their time | the rest (goal) |")
	fmt.Fprintln(r, "|---|---|---|---|---|")
	var first time.Duration
	for _, size := range sizes {
		if size > whole {
			continue // git's index is linear
		}
		m, err := j.measureResolve(size)
		if err != nil {
			return fmt.Errorf("%d entities: %w", size, err)
		}
		rest, goal := m.took-m.git, ""
		if first == 0 {
			first = m.took
		} else {
			goal = fmt.Sprintf(" (%s)", duration(time.Duration(resolveMore*float64(first))))
		}
		fmt.Fprintf(r, "| %s | %s%s | %d | %s | %s%s |\n", humanize.Comma(int64(size)), duration(m.took),
			goalOf(map[int]time.Duration{island.DefaultEntities: resolveGoal}, size), m.calls, duration(m.git), duration(rest), goal)
	}
	fmt.Fprintln(r, "\n- Goal of the rest, for a larger world: at most twice what `resolve` of the island takes.")
	for _, measure := range []func() error{j.measureDriver, j.measureSync} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// gitWorld is a world of plain files in a git repository, with the branches main, ours
// and theirs.
type gitWorld struct {
	world
	all *entity.World
}

// newGitWorld commits a world on main.
func (j *job) newGitWorld(name string, entities int) (*gitWorld, error) {
	g := &gitWorld{world{binary: j.binary, root: filepath.Join(j.dir, name)}, island.Generate(entities, 1)}
	if err := os.MkdirAll(g.root, 0o755); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"git", "init", "-q", "-b", "main"}, {"git", "config", "gc.auto", "0"}, {j.binary, "demo", "--entities", fmt.Sprint(entities), "."},
		{j.binary, "unpack"}, {"git", "add", "-A"}, {"git", "commit", "-q", "-m", "base"}} {
		if err := command(g.root, args[0], args[1:]...); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// commit commits changed entities on a new branch of main.
func (g *gitWorld) commit(branch string, changed entity.Source) error {
	if err := command(g.root, "git", "checkout", "-q", "-b", branch, "main"); err != nil {
		return err
	}
	for _, e := range entity.Differing(g.all, changed) {
		if err := os.WriteFile(filepath.Join(g.root, "entities", layout.FileName(e.ID)), textcodec.Append(nil, e), 0o644); err != nil {
			return err
		}
	}
	return command(g.root, "git", "commit", "-q", "-a", "-m", branch)
}

// merge has git merge theirs into ours. It may end in conflicts. No hooks run.
func (g *gitWorld) merge() error {
	return mayConflict(output(g.root, "git", "-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-edit", "theirs"))
}

// anew has ours be as it was before a merge.
func (g *gitWorld) anew() error { return command(g.root, "git", "reset", "-q", "--hard", "start") }

func (g *gitWorld) resolve() error { return mayConflict(output(g.root, g.binary, "resolve")) }

// mayConflict accepts the exit status of conflicts.
func mayConflict(_ []byte, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil
	}
	return err
}

// sides commits both sides.
func (g *gitWorld) sides(ours, theirs entity.Source) error {
	if err := g.commit("theirs", theirs); err != nil {
		return err
	}
	if err := g.commit("ours", ours); err != nil {
		return err
	}
	return command(g.root, "git", "branch", "start")
}

// resolving is what one worldfs resolve took.
type resolving struct {
	took  time.Duration
	calls int           // processes of git
	git   time.Duration // what they took
}

func (j *job) measureResolve(size int) (m resolving, err error) {
	g, err := j.newGitWorld(fmt.Sprintf("resolve-%d", size), size)
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(g.root)
	if err := g.sides(edited(g.all, 1), edited(g.all, 2)); err != nil {
		return m, err
	}
	var all []time.Duration
	for range j.rounds {
		took, err := timed(g.resolve, g.anew, g.merge)
		if err != nil {
			return m, err
		}
		all = append(all, took)
	}
	m.took = median(all)
	if _, err := timed(g.merge, g.anew); err != nil {
		return m, err
	}
	m.calls, m.git, err = g.traced("resolve")
	return m, err
}

// traced runs a command of worldfs and returns how many processes of git it started, and
// what they took one after the other.
func (g *gitWorld) traced(args ...string) (calls int, took time.Duration, err error) {
	trace := filepath.Join(g.root, ".git", "trace")
	defer os.Remove(trace)
	if err := mayConflict(output(g.root, "env", append([]string{"GIT_TRACE2_EVENT=" + trace, g.binary}, args...)...)); err != nil {
		return 0, 0, err
	}
	data, err := os.ReadFile(trace)
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(data)) {
		var e struct {
			Event   string  `json:"event"`
			Seconds float64 `json:"t_abs"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return 0, 0, err
		}
		if e.Event == "exit" {
			calls++
			took += time.Duration(e.Seconds * float64(time.Second))
		}
	}
	return calls, took, nil
}

// measureDriver compares git merge and resolve with git merge that starts a merge driver
// for each file.
func (j *job) measureDriver() error {
	g, err := j.newGitWorld("driver", island.DefaultEntities)
	if err != nil {
		return err
	}
	defer os.RemoveAll(g.root)
	if err := g.sides(changedIn(g.all, "position"), changedIn(g.all, "orientation")); err != nil {
		return err
	}
	var ours, driver []time.Duration
	var ratios []float64
	for range j.rounds {
		a, err := timed(func() error { return errors.Join(g.merge(), g.resolve()) }, g.anew, g.vcs("uninstall"))
		if err != nil {
			return err
		}
		b, err := timed(g.merge, g.anew, g.vcs("install"))
		if err != nil {
			return err
		}
		ours, driver, ratios = append(ours, a), append(driver, b), append(ratios, float64(b)/float64(a))
	}
	j.report.section(fmt.Sprintf("A merge of %s files that both sides changed", humanize.Comma(bothChanged)))
	fmt.Fprintf(&j.report.out, "| `git merge` with no driver, and `resolve` | `git merge` with one driver process a file | times faster | goal |\n|---|---|---|---|\n| %s | %s | %.1f | %.0f |\n",
		duration(median(ours)), duration(median(driver)), median(ratios), driverGoal)
	return nil
}

func (g *gitWorld) vcs(verb string) func() error {
	return func() error { return command(g.root, g.binary, "vcs", verb) }
}

// timed returns how long something takes, after what comes before it.
func timed(do func() error, before ...func() error) (time.Duration, error) {
	for _, prepare := range before {
		if err := prepare(); err != nil {
			return 0, err
		}
	}
	begin := time.Now()
	err := do()
	return time.Since(begin), err
}

// changedIn returns the world with one field of the first entities changed that have both
// a position and an orientation, and are no program's.
func changedIn(w *entity.World, field string) entity.Source {
	changes := make(map[entity.ID]*entity.Entity)
	for _, id := range slices.Sorted(slices.Values(w.IDs())) {
		e, _ := w.Get(id)
		if e.Layout.Index("position") < 0 || e.Layout.Index("orientation") < 0 || len(changes) == bothChanged {
			continue
		}
		n := e.Clone()
		i := e.Layout.Index(field)
		v := n.Values[i]
		n.Values[i] = entity.NewComponents(v.Kind(), [entity.MaxComponents]uint32{v.Component(0) ^ 1<<9, v.Component(1), v.Component(2), componentOr0(v, 3)})
		changes[id] = n
	}
	return entity.NewOverlay(w, changes)
}

func componentOr0(v entity.Value, i int) uint32 {
	if i < v.Kind().Components() {
		return v.Component(i)
	}
	return 0
}
