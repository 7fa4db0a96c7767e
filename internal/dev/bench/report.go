package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// report is docs/benchmarks.md in the making.
type report struct {
	out    bytes.Buffer
	rows   []comparison
	said   []string // notes on the rows
	merges []string // rows of the table of merges
}

// comparison compares two ways of one thing.
type comparison struct {
	what, than   string
	ours, theirs time.Duration
	ratio, goal  float64
	n            int // entities
}

func (r *report) machine() {
	var u unix.Utsname
	kernel := "unknown"
	if unix.Uname(&u) == nil {
		kernel = unix.ByteSliceToString(u.Release[:])
	}
	fmt.Fprintf(&r.out, `# Benchmarks

Written by `+"`make bench`"+`. Each row compares two ways in one run, in turn; times and
ratios are medians. Machines are noisy: trust the ratios.

| | |
|---|---|
| build | %s |
| machine | %d cores (%s), %s of memory, Linux %s, %s |
| halt_polling | %s |
`, build(), runtime.NumCPU(), processor(), memory(), kernel, runtime.Version(), haltPolling())
}

// build returns the commit that is measured.
func build() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// haltPolling says how the daemons that are measured are set.
func haltPolling() string {
	return cmp.Or(os.Getenv("WORLDFS_HALT_POLLING"), "false, as it is by default")
}

func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return runtime.GOARCH
}

func memory() string {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return "unknown"
	}
	return humanize.IBytes(info.Totalram * uint64(info.Unit))
}

func (r *report) world(s *subject) {
	fmt.Fprintf(&r.out, `| world | the island of %s entities |
| as text | %s, %d bytes an entity |
| as a pack | %s, %.1f bytes an entity (goal: 140 at most) |
`, humanize.Comma(int64(len(s.entities))), humanize.Bytes(uint64(s.textSize)), s.textSize/len(s.entities),
		humanize.Bytes(uint64(s.packSize)), float64(s.packSize)/float64(len(s.entities)))
}

func (r *report) compare(x comparison) { r.rows = append(r.rows, x) }

func (r *report) merged(entities int, took, goal time.Duration) {
	r.merges = append(r.merges, fmt.Sprintf("| %s | %s | %s |", humanize.Comma(int64(entities)), milliseconds(took), milliseconds(goal)))
}

func (r *report) note(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

// section begins a part of the report.
func (r *report) section(title string) { fmt.Fprintf(&r.out, "\n## %s\n\n", title) }

// codec prints the comparisons and what was said with them.
func (r *report) codec() {
	r.section("Text and pack")
	fmt.Fprintln(&r.out, "| what | worldfs | an entity | compared with | its time | times faster | goal |")
	fmt.Fprintln(&r.out, "|---|---|---|---|---|---|---|")
	for _, x := range r.rows {
		fmt.Fprintf(&r.out, "| %s | %s | %s | %s | %s | %.1f | %.0f |\n", x.what,
			milliseconds(x.ours), (x.ours / time.Duration(x.n)).Round(time.Nanosecond), x.than, milliseconds(x.theirs), x.ratio, x.goal)
	}
	fmt.Fprintln(&r.out)
	for _, s := range r.said {
		fmt.Fprintf(&r.out, "- %s\n", s)
	}
	r.section(fmt.Sprintf("Three-way merge, from packs, %d entities changed on each side", edits))
	fmt.Fprintln(&r.out, "| entities | worldfs | goal |\n|---|---|---|")
	for _, row := range r.merges {
		fmt.Fprintln(&r.out, row)
	}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
