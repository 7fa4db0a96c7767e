package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// commandRuns is how often each command is run for each of the rounds.
const commandRuns = 4

// everyday are the commands of a day, with what they are called with in run i of a world
// that has such lamps. The later ones change the world.
var everyday = []func(i int, _ []string) []string{
	func(int, []string) []string { return []string{"status"} },
	func(int, []string) []string { return []string{"check"} },
	func(int, []string) []string { return []string{"ids"} },
	func(int, []string) []string { return []string{"show", "6555"} },
	func(int, []string) []string { return []string{"find", "bunker"} },
	func(int, []string) []string { return []string{"ls", "--type", "Door"} },
	func(int, []string) []string { return []string{"ls", "--near", "6555", "--within", "20"} },
	func(int, []string) []string { return []string{"refs", "6555"} },
	func(int, []string) []string { return []string{"types"} },
	func(int, []string) []string { return []string{"diff"} },
	func(int, []string) []string { return []string{"history"} },
	func(int, []string) []string { return []string{"history", "6555"} },
	func(i int, _ []string) []string {
		return []string{"set", "--where", "id == 6555", fmt.Sprintf("position.x = %d", i)}
	},
	func(int, []string) []string { return []string{"undo", "6555"} },
	func(int, []string) []string { return []string{"redo", "6555"} },
	func(int, []string) []string { return []string{"undo", "--dry-run"} },
	func(int, []string) []string { return []string{"fmt", "6555"} },
	func(int, []string) []string { return []string{"sync"} },
	func(int, []string) []string { return []string{"resolve"} },
	func(int, []string) []string { return []string{"vcs", "sync"} },
	func(int, []string) []string { return []string{"restore", "--list"} },
	func(int, []string) []string { return []string{"ids", "next"} },
	func(int, []string) []string { return []string{"new", "Lamp"} },
	func(int, []string) []string {
		return []string{"new", "Door", "--from", "6555", "-n", "10", "--offset", "5,0,0"}
	},
	func(i int, lamps []string) []string { return []string{"mv", lamps[i], fmt.Sprint(4_000_000 + i)} },
	func(i int, _ []string) []string { return []string{"rm", fmt.Sprint(4_000_000 + i)} },
}

// commandGoal is what each command may take, but for 300,000 entities that are not
// mounted: there looking at each file's times alone takes longer.
const commandGoal = 100 * time.Millisecond

// commandTimes is how long a command took in worlds of each size, by what it is called.
type commandTimes struct {
	names []string
	took  map[string]map[string][]time.Duration // by name, by world
}

// measureCommands is the table of commands.
func (j *job) measureCommands() error {
	sizes, err := j.sizes()
	if err != nil {
		return err
	}
	t := &commandTimes{took: make(map[string]map[string][]time.Duration)}
	var worlds []string
	stats := make(map[string]time.Duration)
	for _, size := range sizes {
		if size > whole {
			continue
		}
		for _, mounted := range []bool{true, false} {
			name := humanize.Comma(int64(size)) + map[bool]string{true: ", mounted", false: ""}[mounted]
			fmt.Fprintln(os.Stderr, "bench: commands,", name)
			if stats[name], err = j.commandsIn(t, name, size, mounted); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			worlds = append(worlds, name)
		}
	}
	j.commandTable(t, worlds, stats)
	return nil
}

// commandsIn runs the commands in a world of their own, and returns how long looking at
// each of its files took once.
func (j *job) commandsIn(t *commandTimes, name string, size int, mounted bool) (stat time.Duration, err error) {
	w := &world{binary: j.binary, root: filepath.Join(j.dir, "commands")}
	defer os.RemoveAll(w.root)
	for _, args := range [][]string{
		{"git", "init", "-q", w.root}, // first: a world in a working copy has plain files
		{w.binary, "demo", "--entities", fmt.Sprint(size), w.root},
		{"git", "-C", w.root, "add", "-A"}, {"git", "-C", w.root, "commit", "-q", "-m", "island"},
	} {
		if err := command(".", args[0], args[1:]...); err != nil {
			return 0, err
		}
	}
	if mounted {
		if err := w.mount(); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, w.unmount()) }()
		if err := w.warm(); err != nil {
			return 0, err
		}
	}
	if stat, err = lookAtAll(filepath.Join(w.root, "entities")); err != nil {
		return 0, err
	}
	lamps, err := w.lamps()
	if err != nil {
		return 0, err
	}
	for _, args := range everyday {
		for i := range commandRuns * j.rounds {
			if err := t.run(w, name, args(i, lamps)); err != nil {
				return 0, err
			}
		}
	}
	return stat, nil
}

// lamps returns the IDs of the world's lamps.
func (w *world) lamps() (ids []string, err error) {
	out, err := output(w.root, w.binary, "ls", "--type", "Lamp")
	for line := range strings.Lines(string(out)) {
		id, _, _ := strings.Cut(line, " ")
		ids = append(ids, id)
	}
	return ids, err
}

// lookAtAll returns how long an lstat of each file in a directory takes.
func lookAtAll(dir string) (time.Duration, error) {
	begin := time.Now()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			_, err = e.Info()
		}
		return err
	})
	return time.Since(begin), err
}

// run runs a command once. That the world has problems is no failure of it.
func (t *commandTimes) run(w *world, in string, args []string) error {
	cmd := exec.Command(w.binary, args...)
	cmd.Dir = w.root
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(w.root), "XDG_CONFIG_HOME="+w.root+".config", "XDG_STATE_HOME="+w.root+".state")
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(begin)
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		return fmt.Errorf("worldfs %v: %w: %s", args, err, out)
	}
	what := args[0]
	for _, a := range args[1:] {
		if what += " " + a; len(what) > 24 {
			what = what[:24] + "…"
			break
		}
	}
	if args[0] == "set" || args[0] == "mv" || args[0] == "rm" { // each run has other arguments
		what = args[0]
	}
	if t.took[what] == nil {
		t.names, t.took[what] = append(t.names, what), make(map[string][]time.Duration)
	}
	t.took[what][in] = append(t.took[what][in], took)
	return nil
}

func (j *job) commandTable(t *commandTimes, worlds []string, stats map[string]time.Duration) {
	r := &j.report.out
	j.report.section("Commands of a day: p50 and p99")
	fmt.Fprint(r, "| command |")
	for _, w := range worlds {
		fmt.Fprintf(r, " %s |", w)
	}
	fmt.Fprint(r, "\n|---|")
	for range worlds {
		fmt.Fprint(r, "---|")
	}
	fmt.Fprintln(r)
	for _, name := range t.names {
		fmt.Fprintf(r, "| `%s` |", name)
		for _, w := range worlds {
			took := t.took[name][w]
			slices.Sort(took)
			fmt.Fprintf(r, " %s, %s |", duration(median(took)), duration(took[len(took)*99/100]))
		}
		fmt.Fprintln(r)
	}
	fmt.Fprint(r, "| look at the times of every file |")
	for _, w := range worlds {
		fmt.Fprintf(r, " %s |", duration(stats[w]))
	}
	fmt.Fprintf(r, "\n\n- %d runs each, whole processes. Goal: %s; not mounted, of 300,000 entities, 1.5 times what looking at every file takes.\n",
		commandRuns*j.rounds, duration(commandGoal))
}
