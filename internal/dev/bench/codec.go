package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// jsonEntity is what encoding/json makes of an entity's interchange line.
type jsonEntity struct {
	ID       uint32         `json:"id"`
	Type     string         `json:"type"`
	Revision uint32         `json:"revision"`
	Fields   map[string]any `json:"fields"`
}

// pair times two ways in turn, after a round of each that does not count.
func pair(rounds int, a, b func() error) (as, bs []time.Duration, err error) {
	for i := range rounds + 1 {
		for _, way := range []struct {
			do  func() error
			out *[]time.Duration
		}{{a, &as}, {b, &bs}} {
			runtime.GC()
			begin := time.Now()
			if err := way.do(); err != nil {
				return nil, nil, err
			}
			if i > 0 {
				*way.out = append(*way.out, time.Since(begin))
			}
		}
	}
	return as, bs, nil
}

func median[T interface{ ~int64 | ~float64 }](xs []T) T {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}

// ratio returns the median of the rounds' ratios b/a: how many times faster a
// is.
func ratio(as, bs []time.Duration) float64 {
	rs := make([]float64, len(as))
	for i := range as {
		rs[i] = float64(bs[i]) / float64(as[i])
	}
	return median(rs)
}

// allocations returns how many one call makes for each of n.
func allocations(n int, do func() error) (float64, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	err := do()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), err
}

func (s *subject) decodeTexts() error {
	for i, text := range s.texts {
		if _, err := textcodec.Decode(text, s.entities[i].ID, s.world.Types); err != nil {
			return err
		}
	}
	return nil
}

func (s *subject) decodeJSON() error {
	for _, line := range s.lines {
		var e jsonEntity
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
	}
	return nil
}

func measureDecode(s *subject, rounds int, r *report) error {
	ours, theirs, err := pair(rounds, s.decodeTexts, s.decodeJSON)
	if err != nil {
		return err
	}
	allocs, err := allocations(len(s.texts), s.decodeTexts)
	if err != nil {
		return err
	}
	jsonAllocs, err := allocations(len(s.texts), s.decodeJSON)
	if err != nil {
		return err
	}
	r.compare(comparison{
		what: "decode every entity's text", ours: median(ours), than: "encoding/json on the interchange lines",
		theirs: median(theirs), ratio: ratio(ours, theirs), goal: 5, n: len(s.texts),
	})
	r.note("Decoding allocates %.1f times an entity, encoding/json %.1f times.", allocs, jsonAllocs)
	return nil
}

func measureEncode(s *subject, rounds int, r *report) error {
	var decoded []jsonEntity
	for _, line := range s.lines {
		var e jsonEntity
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		decoded = append(decoded, e)
	}
	var buffer []byte
	ours, theirs, err := pair(rounds, func() error {
		for _, e := range s.entities {
			buffer = textcodec.Append(buffer[:0], e)
		}
		return nil
	}, func() error {
		for i := range decoded {
			if _, err := json.Marshal(&decoded[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.compare(comparison{
		what: "encode every entity's text", ours: median(ours), than: "encoding/json, the same entities",
		theirs: median(theirs), ratio: ratio(ours, theirs), goal: 3, n: len(s.texts),
	})
	return nil
}

// load reads a pack and every byte of every row in place, as a loader does.
func load(path string) (touched int, sum uint32, err error) {
	p, err := packfile.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	touched = len(p.Bytes())
	for _, t := range p.Tables() {
		for i := range t.Len() {
			row := t.Row(i)
			for at := 0; at+4 <= len(row); at += 4 {
				sum += binary.LittleEndian.Uint32(row[at:])
			}
			touched += len(row)
		}
	}
	return touched, sum, nil
}

// printLoad is the child's part of measureLoad: the first load of a process.
func printLoad(path string) error {
	begin := time.Now()
	touched, sum, err := load(path)
	if err != nil {
		return err
	}
	_, err = fmt.Printf("%d %d %d\n", time.Since(begin).Nanoseconds(), touched, sum)
	return err
}

// firstLoad loads the pack in a new process and returns how long that took
// there, without the process's start.
func firstLoad(path string) (took time.Duration, touched int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	out, err := exec.Command(self, "-load", path).Output()
	if err != nil {
		return 0, 0, err
	}
	var ns, sum int64
	_, err = fmt.Sscan(string(out), &ns, &touched, &sum)
	return time.Duration(ns), touched, err
}

// parseFiles reads the world as a tool without a pack must.
func (s *subject) parseFiles() error {
	w := entity.NewWorld(s.world.ID, s.world.Types)
	for i, path := range s.files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		res, err := textcodec.Decode(text, s.entities[i].ID, s.world.Types)
		if err != nil {
			return err
		}
		w.Put(res.Entity)
	}
	return nil
}

func measureLoad(s *subject, rounds int, r *report) error {
	var first []time.Duration
	var touched int
	for range rounds {
		took, n, err := firstLoad(s.pack)
		if err != nil {
			return err
		}
		first, touched = append(first, took), n
	}
	again, files, err := pair(rounds, func() error { _, _, err := load(s.pack); return err }, s.parseFiles)
	if err != nil {
		return err
	}
	r.compare(comparison{
		what: "load the pack and walk every row, again in the same process", ours: median(again),
		than: "read and parse every text file", theirs: median(files), ratio: ratio(again, files), goal: 100, n: len(s.files),
	})
	r.compare(comparison{
		what: "the same, first in a new process (types are parsed)", ours: median(first),
		than: "read and parse every text file", theirs: median(files), ratio: ratio(first, files), goal: 100, n: len(s.files),
	})
	r.note("Loading and walking the pack touches %d bytes (checksums and rows); the text files have %d bytes in %d files. All are in the page cache.",
		touched, s.textSize, len(s.files))
	return nil
}
