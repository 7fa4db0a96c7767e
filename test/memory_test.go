package test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writeRocks writes a file of JSON lines in which each 600th rock has the radius.
func (b *bench) writeRocks(name string, rocks, first int, radius string) int64 {
	var text strings.Builder
	text.WriteString(`{"type":{"name":"Rock","revision":1,"fields":[{"name":"position","kind":"vec3"},{"name":"radius","kind":"f32"},` +
		`{"name":"label","kind":"string"},{"name":"tags","kind":"array","of":"u32"}]}}` + "\n")
	for id := 1; id <= rocks; id++ {
		r := "1.5"
		if id%600 == first {
			r = radius
		}
		fmt.Fprintf(&text, `{"entity":{"id":%d,"type":"Rock","revision":1,"fields":{"position":[%d.5,-%d.25,0.125],"radius":%s,"label":"rock %d of the world","tags":[%d,%d]}}}`+"\n",
			id, id%997, id%991, r, id, id%101, id%103)
	}
	b.write(name, text.String())
	return int64(text.Len())
}

// peak runs a command and says how much memory it took, in KiB. The kernel counts what a
// process took before it ran the command, too: here that of a small one, not of the test.
const peak = `import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)`

// A merge and a diff of files of JSON lines take at most four times the memory of one
// file, short as its lines are.
func TestMemoryOfJSONLines(t *testing.T) {
	b := newBench(t, "python3")
	const rocks = 300_000
	size := b.writeRocks("base.jsonl", rocks, 0, "1.5")
	b.writeRocks("ours.jsonl", rocks, 0, "2.5")
	b.writeRocks("theirs.jsonl", rocks, 300, "3.5")
	for _, args := range [][]string{
		{"merge", "base.jsonl", "ours.jsonl", "theirs.jsonl", "-o", "merged.jsonl"},
		{"merge", "base.jsonl", "ours.jsonl", "theirs.jsonl", "-o", "merged.pack"},
		{"diff", "base.jsonl", "ours.jsonl"},
	} {
		out := b.run("python3", append([]string{"-c", peak, binary}, args...)...)
		require.Contains(t, out, "Rock 600")
		_, used, _ := strings.Cut(out, "peak ")
		kib, err := strconv.ParseInt(strings.TrimSpace(used), 10, 64)
		require.NoError(t, err)
		require.LessOrEqual(t, kib<<10, 4*size, "%s", args)
	}
}
