package engine_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/packfile"
)

// numberFrom returns a number from the environment, or another where there is none.
func numberFrom(t *testing.T, name string, otherwise uint64) uint64 {
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 64)
	require.NoError(t, err, name)
	return n
}

// damaged is a damaged copy of a pack, and how tools/damage.h is told to make it.
type damaged struct {
	data []byte
	how  string
}

func (d *damaged) cut(n int) {
	d.data, d.how = d.data[:n], d.how+fmt.Sprintf("cut %d ", n)
}

func (d *damaged) xor(at int, with byte) {
	d.data[at] ^= with
	d.how += fmt.Sprintf("xor %d %d ", at, with)
}

// seal makes the checksums right again.
func (d *damaged) seal() {
	d.how += "seal"
	le, castagnoli := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	if len(d.data) < 80 {
		return
	}
	sections := int(le.Uint32(d.data[12:]))
	if sections > 64 || len(d.data) < 80+24*sections {
		return
	}
	for i := range sections {
		entry := d.data[80+24*i:]
		offset, length := le.Uint64(entry[8:]), le.Uint64(entry[16:])
		if size := uint64(len(d.data)); offset <= size && length <= size-offset {
			le.PutUint32(entry[4:], crc32.Checksum(d.data[offset:offset+length], castagnoli))
		}
	}
	le.PutUint32(d.data[76:], 0)
	le.PutUint32(d.data[76:], crc32.Checksum(d.data[:80+24*sections], castagnoli))
}

// readDamaged has C read the copies and holds what it has of each against what Go has.
func readDamaged(t *testing.T, data []byte, cases []*damaged) {
	t.Helper()
	var lines strings.Builder
	for _, c := range cases {
		lines.WriteString(c.how + "\n")
	}
	cmd := exec.Command(tool(t), "damage", writePack(t, t.TempDir(), data))
	cmd.Stdin = strings.NewReader(lines.String())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", tail(out))
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, answers, len(cases))
	read := 0
	for i, c := range cases {
		if requireJudgedAlike(t, c, answers[i]) {
			read++
		}
	}
	t.Logf("%d copies, %d of them read", len(cases), read)
}

// requireJudgedAlike compares what became of one copy, and reports whether it was read.
func requireJudgedAlike(t *testing.T, c *damaged, answer string) bool {
	t.Helper()
	p, err := packfile.Parse(c.data)
	if err == nil {
		err = p.Check()
	}
	was, read := strings.CutPrefix(answer, "read ")
	var wrong *packfile.Error
	switch {
	case err == nil:
		require.Equal(t, "read "+fmt.Sprintf("%x", sha256.Sum256([]byte(dump(p)))), answer, "%s", c.how)
	case read && errors.As(err, &wrong) && wrong.Section == "types":
		// What a declaration means is worldfs's to check: the C header reads as much of
		// it as values need.
	case read:
		t.Fatalf("%s: C has read it (%s), Go says: %v", c.how, was, err)
	}
	return read
}

// TestDamageIsFound cuts packs off, and flips bits in them: all of it is refused.
func TestDamageIsFound(t *testing.T) {
	seed, n := numberFrom(t, "WORLDFS_DAMAGE_SEED", 1), int(numberFrom(t, "WORLDFS_DAMAGE_CASES", 4))
	r := rand.New(rand.NewPCG(seed, 0))
	packs := manyWorlds(t)
	packs["small"] = encode(t, island.Generate(60, 1))
	for name, data := range packs {
		t.Run(name, func(t *testing.T) {
			var cases []*damaged
			for i := range n * (1 + 20*len(packs["small"])/len(data)) {
				c := &damaged{data: slices.Clone(data)}
				if i%2 == 0 {
					c.cut(r.IntN(len(data)))
				} else {
					c.xor(r.IntN(len(data)), 1<<r.IntN(8))
				}
				cases = append(cases, c)
				_, err := packfile.Parse(c.data)
				require.Error(t, err, "a flipped bit, or an end that came early, in Go")
			}
			readDamaged(t, data, cases)
		})
	}
}

// TestWhatIsWrongBehindItsChecksumIsReadAsGoReadsIt changes bytes and makes the checksums
// right again: as if a program had written it so.
func TestWhatIsWrongBehindItsChecksumIsReadAsGoReadsIt(t *testing.T) {
	seed, n := numberFrom(t, "WORLDFS_DAMAGE_SEED", 1), int(numberFrom(t, "WORLDFS_DAMAGE_CASES", 4))
	r := rand.New(rand.NewPCG(seed, 1))
	packs := map[string][]byte{"island": encode(t, island.Generate(40, 1))}
	for i := range 6 {
		packs[fmt.Sprintf("generated %d", i)] = encode(t, worlds().Example(int(seed)+i))
	}
	packs["odd"] = encode(t, oddWorld())
	for name, data := range packs {
		t.Run(name, func(t *testing.T) {
			var cases []*damaged
			for range 40 * n {
				c := &damaged{data: slices.Clone(data)}
				for range 1 + r.IntN(2) {
					c.xor(afterDeclarations(r, data), byte(1+r.IntN(255)))
				}
				c.seal()
				cases = append(cases, c)
			}
			readDamaged(t, data, cases)
		})
	}
}

// afterDeclarations returns an offset, mostly of what is not JSON.
func afterDeclarations(r *rand.Rand, data []byte) int {
	tables := int(binary.LittleEndian.Uint64(data[80+24+8:]))
	if r.IntN(5) == 0 || tables >= len(data) {
		return r.IntN(len(data))
	}
	return tables + r.IntN(len(data)-tables)
}
