package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// row is one thing done at every place.
type row struct {
	what    string
	goal    float64 // at most so many times the plain directory's time; 0: none is set
	files   int
	prepare func(*place) error // before each round, not timed; nil: nothing
	do      func(*place) error
	durable bool               // what do writes is to outlive the process that serves it
	not     map[string]string  // places that are left out, and why
	settled func(*place) error // after each round, not timed; nil: nothing
}

// measured is a row's outcome at one place.
type measured struct {
	times    []time.Duration
	ratios   []float64 // to the plain directory, round by round
	missing  string    // why there are no times
	volatile bool      // nothing of it would outlive the process that serves it
	requests map[string]float64
}

// outcome is a row and its outcomes in the order of the places.
type outcome struct {
	row
	at map[string]*measured
}

// bencher runs rows.
type bencher struct {
	rounds int
	limit  time.Duration // for a round of a peer, with what prepares it
	rows   string        // parts of the names of the rows that are wanted, separated by commas; "": all
	alone  bool          // without peers
	before string        // the binary of another build that is measured too; "": none
}

// wants reports whether a row is to be run.
func (b *bencher) wants(r row) bool {
	return slices.ContainsFunc(strings.Split(b.rows, ","), func(part string) bool { return strings.Contains(r.what, part) })
}

// run does a row at each place in turn, rounds times and once before that does
// not count. The first place is the one the others are compared with, the
// second is ours.
func (b *bencher) run(r row, places []*place) (*outcome, error) {
	begin := time.Now()
	o := &outcome{row: r, at: make(map[string]*measured)}
	for i := range b.rounds + 1 {
		for _, p := range places {
			m := o.at[p.name]
			if m == nil {
				m = &measured{missing: r.not[p.name]}
				o.at[p.name] = m
			}
			if m.missing != "" {
				continue
			}
			took, err := b.limited(r, p, m, i == b.rounds)
			switch {
			case err != nil && !p.peer:
				return nil, fmt.Errorf("%s: %s: %w", r.what, p.name, err)
			case errors.Is(err, errSlow):
				m.missing = fmt.Sprintf("> %s", duration(b.limit))
			case err != nil:
				fmt.Fprintf(os.Stderr, "bench: %s: %s: %v\n", r.what, p.name, err)
				m.missing = "cannot"
			case i > 0:
				m.times = append(m.times, took)
				m.ratios = append(m.ratios, float64(took)/float64(o.at[places[0].name].times[i-1]))
			}
		}
	}
	fmt.Fprintf(os.Stderr, "bench: %s: took %s\n", r.what, time.Since(begin).Round(time.Second))
	return o, nil
}

// errSlow says that a place was not waited for.
var errSlow = errors.New("too slow")

// roundTimeout is how long a round of ours may take: longer, and it hangs.
const roundTimeout = 5 * time.Minute

// limited is once, but what takes longer than its limit is killed. A peer is then
// begun anew.
func (b *bencher) limited(r row, p *place, m *measured, count bool) (took time.Duration, err error) {
	if p.kill == nil {
		return b.once(r, p, m, count)
	}
	limit := b.limit
	if !p.peer {
		limit = roundTimeout
	}
	killed := make(chan struct{})
	timer := time.AfterFunc(limit, func() { p.kill(); close(killed) })
	took, err = b.once(r, p, m, count)
	if timer.Stop() {
		return took, err
	}
	<-killed
	if !p.peer {
		return 0, fmt.Errorf("no end after %s", limit)
	}
	if err := await("ending "+p.name, func() bool { return !isMounted(p.root) && !isMounted(p.entities()) }); err != nil {
		return 0, err
	}
	if err := p.mount(); err != nil {
		return 0, err
	}
	return 0, errSlow
}

// once does a row at a place, and counts the requests when asked: asking takes
// some of its own, but not through the mount.
func (b *bencher) once(r row, p *place, m *measured, count bool) (took time.Duration, err error) {
	if r.prepare != nil {
		if err := r.prepare(p); err != nil {
			return 0, err
		}
	}
	count = count && p.requests != nil
	var before map[string]uint64
	if count {
		if before, err = p.requests(); err != nil {
			before, err = nil, nil // it is not mounted yet
		}
	}
	runtime.GC()
	archive := p.archived()
	begin := time.Now()
	if err := r.do(p); err != nil {
		return 0, err
	}
	took = time.Since(begin)
	m.volatile = r.durable && p.archive != "" && p.archived() == archive
	if count {
		after, err := p.requests()
		if err != nil {
			return 0, err
		}
		m.requests = perFile(before, after, r.files)
	}
	if r.settled != nil {
		err = r.settled(p)
	}
	return took, err
}

// archived says how the archive is that the place is: what is to outlive a power
// cut changes it.
func (p *place) archived() string {
	info, err := os.Stat(p.archive)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime())
}

func perFile(before, after map[string]uint64, files int) map[string]float64 {
	n := make(map[string]float64)
	for kind := range maps.Keys(after) {
		if d := after[kind] - before[kind]; d > 0 {
			n[kind] = float64(d) / float64(files)
		}
	}
	return n
}
