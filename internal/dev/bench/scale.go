package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
)

// scaled is what was measured of a world of one size.
type scaled struct {
	size        int
	layout      string
	ready       time.Duration // from the mount command to its return
	list        time.Duration
	read, stat  time.Duration // of one file, again
	reads       string        // requests of one file read again
	plain       time.Duration // of one file of a plain directory of the same files, read again; 0: not measured
	memory      uint64        // the daemon's, idle, after listing and reading everything, bytes
	memoryFirst uint64        // the same before everything was read again
	memoryMost  uint64        // the most that it had until then
	text        uint64        // of all files read, bytes
	sampled     bool          // only sample files were read, not all
	checkpoint  time.Duration
	longestWait time.Duration // of a write while a checkpoint was under way
	takeover    time.Duration
}

// goals of the tables of scale.
var (
	readyGoals    = map[int]time.Duration{10_422: 50 * time.Millisecond, 300_000: 300 * time.Millisecond, 1_000_000: time.Second}
	takeoverGoals = map[int]time.Duration{10_422: 30 * time.Millisecond, 300_000: 500 * time.Millisecond}
)

// sample is how many files are read of a world that is larger than whole.
const (
	sample = 50_000
	whole  = 300_000
)

// measureScale is the tables of scale.
func (j *job) measureScale() error {
	sizes, err := j.sizes()
	if err != nil {
		return err
	}
	var all []*scaled
	for _, size := range sizes {
		for _, layout := range []string{"one directory", "last-digit"} {
			fmt.Fprintf(os.Stderr, "bench: %d entities, %s\n", size, layout)
			m, err := j.scaledWorld(size, layout)
			if err != nil {
				return fmt.Errorf("%d entities, %s: %w", size, layout, err)
			}
			all = append(all, m)
		}
	}
	j.scaleTable(all)
	return j.measureBulk(sizes)
}

// scaledWorld makes a world and measures it.
func (j *job) scaledWorld(size int, layout string) (*scaled, error) {
	w := &world{binary: j.binary, root: filepath.Join(j.dir, fmt.Sprintf("scale-%d-%s", size, layout[:3]))}
	defer os.RemoveAll(w.root)
	if err := command(".", w.binary, "demo", "--entities", fmt.Sprint(size), w.root); err != nil {
		return nil, err
	}
	if layout != "one directory" {
		if err := appendTo(filepath.Join(w.root, "world.toml"), fmt.Sprintf("\nshard = %q\n", layout)); err != nil {
			return nil, err
		}
	}
	m := &scaled{size: size, layout: layout}
	if err := j.readyTime(w, m); err != nil {
		return nil, err
	}
	defer func() {
		if isMounted(filepath.Join(w.root, "entities")) {
			if err := w.unmount(); err != nil {
				fmt.Fprintln(os.Stderr, "bench:", err)
			}
		}
	}()
	for _, measure := range []func(*world, *scaled) error{j.readScaled, j.checkpointTime, j.takeoverTime} {
		if err := measure(w, m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// readyTime mounts some times; the last mount stays.
func (j *job) readyTime(w *world, m *scaled) error {
	var took []time.Duration
	for i := range j.rounds {
		begin := time.Now()
		if err := w.mount(); err != nil {
			return err
		}
		took = append(took, time.Since(begin))
		if i < j.rounds-1 {
			if err := w.unmount(); err != nil {
				return err
			}
		}
	}
	m.ready = median(took)
	return nil
}

// readScaled lists everything, reads and stats all files or a sample of them,
// and looks at the daemon's memory.
func (j *job) readScaled(w *world, m *scaled) error {
	p := w.place("worldfs")
	if err := p.warmed(); err != nil {
		return err
	}
	begin := time.Now()
	paths, err := listFiles(p.entities())
	if err != nil {
		return err
	}
	m.list = time.Since(begin)
	if len(paths) != m.size {
		return fmt.Errorf("%d files are listed, not %d", len(paths), m.size)
	}
	if m.size > whole {
		paths, m.sampled = everyNth(paths, len(paths)/sample), true
	}
	if m.text, err = readPaths(paths); err != nil { // the first time
		return err
	}
	s, err := w.status()
	if err != nil {
		return err
	}
	if m.memoryFirst, err = idleMemory(s.Pid); err != nil {
		return err
	}
	before, err := w.requests()
	if err != nil {
		return err
	}
	begin = time.Now()
	if _, err := readPaths(paths); err != nil {
		return err
	}
	m.read = time.Since(begin) / time.Duration(len(paths))
	after, err := w.requests()
	if err != nil {
		return err
	}
	m.reads = requestsText(perFile(before, after, len(paths)))
	if err := statOnly(paths, 1); err != nil { // the first time, which asks
		return err
	}
	begin = time.Now()
	if err := statOnly(paths, 1); err != nil {
		return err
	}
	m.stat = time.Since(begin) / time.Duration(len(paths))
	if m.memory, err = idleMemory(s.Pid); err != nil {
		return err
	}
	if m.memoryMost, err = residentMemory(s.Pid, "VmHWM"); err != nil || m.sampled {
		return err
	}
	m.plain, err = plainRead(p.entities(), filepath.Join(j.dir, "plain"), paths)
	return err
}

// plainRead returns how long reading a file again takes where the same files lie in
// a plain directory.
func plainRead(from, to string, paths []string) (time.Duration, error) {
	defer os.RemoveAll(to)
	copies := make([]string, len(paths))
	for i, path := range paths {
		name, err := filepath.Rel(from, path)
		if err != nil {
			return 0, err
		}
		copies[i] = filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(copies[i]), 0o755); err != nil {
			return 0, err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(copies[i], text, 0o644); err != nil {
			return 0, err
		}
	}
	if err := command(to, "sync", "-f", "."); err != nil {
		return 0, err
	}
	if _, err := readPaths(copies); err != nil { // the first time
		return 0, err
	}
	begin := time.Now()
	_, err := readPaths(copies)
	return time.Since(begin) / time.Duration(len(copies)), err
}

// everyNth returns a sample.
func everyNth(paths []string, n int) (some []string) {
	for i := 0; i < len(paths); i += n {
		some = append(some, paths[i])
	}
	return some
}

func (j *job) scaleTable(all []*scaled) {
	r := &j.report.out
	j.report.section("Scale: reading")
	fmt.Fprintln(r, "| entities | layout | mount ready (goal) | list all | read again, a file | of a plain directory | requests a file | stat again, a file |")
	fmt.Fprintln(r, "|---|---|---|---|---|---|---|---|")
	for _, m := range all {
		fmt.Fprintf(r, "| %s | %s | %s%s | %s | %s (%.2f) | %s | %s | %s (%.2f) |\n",
			humanize.Comma(int64(m.size)), m.layout, duration(m.ready), goalOf(readyGoals, m.size), duration(m.list),
			m.read, m.beside(all, func(m *scaled) time.Duration { return m.read }), m.besidePlain(all), m.reads,
			m.stat, m.beside(all, func(m *scaled) time.Duration { return m.stat }))
	}
	fmt.Fprintf(r, `
- In brackets: how many times the first row's time (goal 1.3). A plain directory of the
  same files on ext4 grows too.
- Of more than %s entities %s are read.
- Not in "stat again": the first lstat of a file that was read from the daemon, which asks it
  once, since the read has changed the file's time of access.
`, humanize.Comma(whole), humanize.Comma(sample))
	j.scaleWritingTable(all)
}

func (j *job) scaleWritingTable(all []*scaled) {
	r := &j.report.out
	j.report.section("Scale: memory and writing")
	fmt.Fprintln(r, "| entities | layout | daemon's memory, idle | before reading again | at most | idle, times the text | checkpoint after one edit | longest write meanwhile | takeover of 10 changes (goal) |")
	fmt.Fprintln(r, "|---|---|---|---|---|---|---|---|---|")
	for _, m := range all {
		times := fmt.Sprintf("%.2f", float64(m.memory)/float64(m.text))
		if m.sampled {
			times = "-"
		}
		fmt.Fprintf(r, "| %s | %s | %s | %s | %s | %s | %s | %s | %s%s |\n", humanize.Comma(int64(m.size)), m.layout,
			humanize.Bytes(m.memory), humanize.Bytes(m.memoryFirst), humanize.Bytes(m.memoryMost), times,
			duration(m.checkpoint), duration(m.longestWait), duration(m.takeover), goalOf(takeoverGoals, m.size))
	}
	fmt.Fprint(r, `
- Memory is resident memory after everything was listed and read, and read again, idle for
  some seconds. Goal: 1.5 times the text, and the same both times.
- Goals at 300,000: a checkpoint in 500 ms, and no write waits more than 20 ms for it.
`)
}

// beside returns how many times the first world's figure this world's is.
func (m *scaled) beside(all []*scaled, figure func(*scaled) time.Duration) float64 {
	return float64(figure(m)) / float64(figure(all[0]))
}

// besidePlain returns what a plain directory takes for reading a file again, and how
// many times the first world's figure that is.
func (m *scaled) besidePlain(all []*scaled) string {
	if m.plain == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%.2f)", m.plain, m.beside(all, func(m *scaled) time.Duration { return m.plain }))
}

func goalOf(goals map[int]time.Duration, size int) string {
	if goal, ok := goals[size]; ok {
		return fmt.Sprintf(" (%s)", duration(goal))
	}
	return ""
}
