package main

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/worldfs/worldfs/packfile"
)

//go:embed engine/walk.c
var walkSource []byte

//go:embed engine/impl.c
var implSource []byte

// engineDir has the headers, seen from the top of the repository, where make bench runs.
const engineDir = "engine"

// measureEngine is the table of what the game does: the ship pack is mapped and every
// field of it read in C.
func (j *job) measureEngine() error {
	dir := filepath.Join(j.dir, "engine")
	program, err := j.walkProgram(dir)
	if err != nil {
		return err
	}
	const rounds = 101 // a round takes milliseconds
	out, err := exec.Command(program, filepath.Join(dir, "ship.pack"), filepath.Join(dir, "plain"), fmt.Sprint(rounds)).Output()
	if err != nil {
		return fmt.Errorf("walk: %w", err)
	}
	times, err := roundsOf(string(out))
	if err != nil {
		return err
	}
	j.report.engine(times)
	return nil
}

// engineWaysMeasured are what the program times, in the order in which it prints them.
var engineWaysMeasured = []struct {
	what string
	goal float64
}{
	{"plain packed C structs, read without a check", 0},
	{"mapping and walking every field of the island's ship pack through the C header, by the structs of `types --c`", 2},
	{"the same by slots, looked up once a table", 2},
	{"the same by kinds, without knowing the types", 0},
}

// roundsOf reads the program's lines: for each way its times.
func roundsOf(out string) (times [][]time.Duration, err error) {
	times = make([][]time.Duration, len(engineWaysMeasured))
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != len(times) {
			return nil, fmt.Errorf("walk has printed %q", line)
		}
		for i, f := range fields {
			ns, err := time.ParseDuration(f + "ns")
			if err != nil {
				return nil, fmt.Errorf("walk has printed %q", line)
			}
			times[i] = append(times[i], ns)
		}
	}
	return times, nil
}

func (r *report) engine(times [][]time.Duration) {
	r.section("The ship pack in C")
	fmt.Fprintln(&r.out, "| what | goal | time | times that of plain structs |\n|---|---|---|---|")
	for i, way := range engineWaysMeasured {
		said := ""
		if i > 0 {
			said = fmt.Sprintf("**%.2f**", ratio(times[0], times[i]))
		}
		fmt.Fprintf(&r.out, "| %s | %s | %s | %s |\n", way.what, goalText(way.goal), milliseconds(median(times[i])), said)
	}
}

// walkProgram makes the ship pack, the plain file and the program that reads them.
func (j *job) walkProgram(dir string) (program string, err error) {
	root, pack := filepath.Join(dir, "world"), filepath.Join(dir, "ship.pack")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"demo", "--entities", fmt.Sprint(j.entities), root}, {"-C", root, "pack", "--ship", "-o", pack}} {
		if err := command(".", j.binary, args...); err != nil {
			return "", err
		}
	}
	types, err := exec.Command(j.binary, "-C", root, "types", "--c", "--prefix", cPrefix, "--from", pack).Output()
	if err != nil {
		return "", err
	}
	p, err := packfile.ReadFile(pack)
	if err != nil {
		return "", err
	}
	for name, data := range map[string][]byte{
		"plain": plainFile(p), "walk_types.h": types, "walk_ways.h": waysOf(p.Tables()), "walk.c": walkSource, "impl.c": implSource,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return "", err
		}
	}
	program = filepath.Join(dir, "walk")
	return program, command(".", "gcc", "-std=c99", "-O2", "-I"+engineDir, "-I"+dir, "-o", program, filepath.Join(dir, "walk.c"), filepath.Join(dir, "impl.c"))
}

// plainFile returns a pack's rows and heap as an engine would have them in a file of its
// own: where each table lies and how many rows it has, the heap, and that is all.
func plainFile(p *packfile.Pack) []byte {
	le := binary.LittleEndian
	head := (8*(len(p.Tables())+1) + 7) &^ 7
	out := make([]byte, head)
	place := func(i, count int) {
		for len(out)%8 != 0 {
			out = append(out, 0)
		}
		le.PutUint32(out[8*i:], uint32(len(out)))
		le.PutUint32(out[8*i+4:], uint32(count))
	}
	for i, t := range p.Tables() {
		place(i, t.Len())
		for k := range t.Len() {
			out = append(out, t.Row(k)...)
		}
	}
	place(len(p.Tables()), 0)
	return append(out, heapOf(p)...)
}

// heapOf returns the section of a pack that has texts and lists.
func heapOf(p *packfile.Pack) []byte {
	const header, heap, entry = 80, 4, 24
	at := p.Bytes()[header+(heap-1)*entry:]
	offset, length := binary.LittleEndian.Uint64(at[8:]), binary.LittleEndian.Uint64(at[16:])
	return p.Bytes()[offset : offset+length]
}
