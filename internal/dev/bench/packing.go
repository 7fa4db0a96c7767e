package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// measurePack is the build machine's table: the pack from plain files.
func (j *job) measurePack() error {
	w, err := j.plainWorld("pack")
	if err != nil {
		return err
	}
	paths := make([]string, len(j.s.files))
	for i, path := range j.s.files {
		paths[i] = filepath.Join(w.root, "entities", filepath.Base(path))
	}
	one := newWriter(j.s, 1)
	// Not by command: what that starts besides is a twentieth of this.
	pack := func(*place) error { return exec.Command(w.binary, "-C", w.root, "pack").Run() }
	p := &place{name: "worldfs", root: w.root}
	var stats []time.Duration
	rows := []struct {
		row
		goal time.Duration // 0: the goal is a ratio
	}{
		{row: row{what: "nothing changed", goal: 1.2, do: pack}},
		{row: row{what: "one file changed", goal: 1.5, do: pack, prepare: one.inPlace}},
		{row: row{what: "all new", do: pack, prepare: func(*place) error { return forgetPack(w.root) }}, goal: 300 * time.Millisecond},
	}
	j.report.section("`pack` from plain files")
	r := &j.report.out
	fmt.Fprintf(r, "| %d plain files | worldfs pack | stat calls alone | ratio | goal |\n|---|---|---|---|---|\n", len(paths))
	for _, x := range rows {
		took, stat, ratios, err := j.beside(x.row, p, func() error { return statOnly(paths, 1) })
		if err != nil {
			return err
		}
		goal := goalText(x.row.goal)
		if x.goal != 0 {
			goal = duration(x.goal)
		}
		stats = append(stats, stat...)
		fmt.Fprintf(r, "| %s | %s | %s | %.2f | %s |\n", x.what, duration(median(took)), duration(median(stat)), median(ratios), goal)
	}
	start, err := j.startUp()
	if err != nil {
		return err
	}
	fmt.Fprintf(r, "\n- Starting the program alone (`worldfs version`): %s.\n- The stat calls of %d names on one thread: %s.\n",
		duration(start), len(paths), duration(median(stats)))
	return nil
}

// beside does a row and something else in turn.
func (j *job) beside(x row, p *place, other func() error) (took, others []time.Duration, ratios []float64, err error) {
	fmt.Fprintf(os.Stderr, "bench: pack, %s\n", x.what)
	for i := range j.rounds + 1 {
		a, err := j.once(x, p, &measured{}, false)
		if err != nil {
			return nil, nil, nil, err
		}
		begin := time.Now()
		if err := other(); err != nil {
			return nil, nil, nil, err
		}
		b := time.Since(begin)
		if i > 0 {
			took, others, ratios = append(took, a), append(others, b), append(ratios, float64(a)/float64(b))
		}
	}
	return took, others, ratios, nil
}

// plainWorld makes a world with plain files that was packed once.
func (j *job) plainWorld(name string) (*world, error) {
	w := &world{binary: j.binary, root: filepath.Join(j.dir, name)}
	for _, args := range [][]string{{"demo", "--entities", fmt.Sprint(len(j.s.files)), w.root}, {"-C", w.root, "unpack"}, {"-C", w.root, "pack"}} {
		if err := command(".", w.binary, args...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// forgetPack leaves only what version control has, as on a build machine that
// has just checked the world out.
func forgetPack(root string) error {
	if err := os.RemoveAll(filepath.Join(root, ".worldfs")); err != nil {
		return err
	}
	return os.Remove(filepath.Join(root, "world.pack"))
}

func (j *job) startUp() (time.Duration, error) {
	var took []time.Duration
	for range j.rounds {
		begin := time.Now()
		if err := exec.Command(j.binary, "version").Run(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begin))
	}
	return median(took), nil
}
