package test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scribbler makes edits at random, as a designer and as tools make them.
type scribbler struct {
	*bench
	*rand.Rand
}

// edit makes one edit of the world.
func (s *scribbler) edit() {
	s.Helper()
	switch s.IntN(14) {
	case 0:
		s.remove()
	case 1:
		s.copyOne()
	case 2:
		s.try("worldfs", "shard", []string{"none", "tens", "hundreds"}[s.IntN(3)])
	case 3:
		s.run("sh", "-c", fmt.Sprintf(`printf '\n[[fields]]\nname = "extra_%d"\nkind = "u32"\noptional = true\n' >>types/Sound.toml`, s.IntN(4)))
	case 4:
		n := s.IntN(5)
		s.run("sh", "-c", fmt.Sprintf(`grep -q Key%d id_ranges || echo '%d %d Key%d #added' >>id_ranges`, n, 200000+n*1000, 201000+n*1000, n))
	case 5:
		s.write("notes-"+strconv.Itoa(s.IntN(3)), fmt.Sprint(s.IntN(2)))
	case 6: // refs of a door
		s.try("worldfs", "set", "--where", "id == 6555", fmt.Sprintf("targets = [%d, %d]", s.any(), s.any()))
	case 7:
		s.try("worldfs", "set", "--where", fmt.Sprint("id == ", s.any()), fmt.Sprintf("mount_parent_id = %d", s.any()))
	default:
		field := []string{"position.x = %d", "position = [%d, 1, 2]", `entity_name = "name %d"`, "group_id = 0 * %d"}[s.IntN(4)]
		s.try("worldfs", "set", "--where", fmt.Sprint("id == ", s.any()), fmt.Sprintf(field, s.IntN(3)))
	}
}

// texts returns the files of entities.
func (s *scribbler) texts() []string {
	s.Helper()
	return strings.Fields(s.run("sh", "-c", "find entities -name '*.entity_text' | LC_ALL=C sort"))
}

// any returns one of the first entities, so that two people meet.
func (s *scribbler) any() int {
	texts := s.texts()
	name := texts[s.IntN(min(len(texts), 12))]
	id, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(name), ".entity_text"))
	require.NoError(s, err)
	return id
}

func (s *scribbler) remove() {
	texts := s.texts()
	s.run("rm", texts[s.IntN(min(len(texts), 12))])
}

// copyOne makes an entity of another, under one of a few IDs.
func (s *scribbler) copyOne() {
	texts := s.texts()
	from := texts[s.IntN(len(texts))]
	id := 150000 + s.IntN(4)
	lines := strings.SplitN(s.read(from), "\n", 4)
	lines[2] = strconv.Itoa(id)
	s.write(filepath.Join(filepath.Dir(from), strconv.Itoa(id)+".entity_text"), strings.Join(lines, "\n"))
	s.run("worldfs", "fmt") // and has it lie where it belongs
}

// What a pull makes of edits at random is what the merge of the three worlds makes of them:
// in the commits with what is shared, in the working copy with one's own.
func TestPullOfRandomEdits(t *testing.T) {
	t.Parallel()
	seed := uint64(number(t, "WORLDFS_PULLS_SEED", 1))
	for i := range number(t, "WORLDFS_PULLS", 3) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			seed := seed + uint64(i)
			t.Logf("WORLDFS_PULLS=1 WORLDFS_PULLS_SEED=%d", seed)
			r := rand.New(rand.NewPCG(seed, 1))
			w := newShared(t, []string{"plain", "below", "mounted"}[r.IntN(3)], 60)
			b := w.ann
			ann, bob := &scribbler{b, r}, &scribbler{w.bob, r}
			base := b.head()
			for range 1 + r.IntN(3) {
				for range 1 + r.IntN(5) {
					bob.edit()
				}
				w.bob.run("worldfs", "sync")
				w.bob.run("git", "add", "-A")
				w.bob.try("git", "commit", "-q", "-m", "Bob")
			}
			w.bob.run("git", "push", "-q")
			for range r.IntN(3) {
				for range 1 + r.IntN(4) {
					ann.edit()
				}
				b.run("worldfs", "sync")
				b.run("git", "add", "-A")
				b.try("git", "commit", "-q", "-m", "Ann")
			}
			for range r.IntN(4) {
				ann.edit()
			}
			b.run("worldfs", "sync")
			own := b.head()
			all := b.root + "/all.jsonl"
			b.run("worldfs", "export", "-o", all)
			b.run("git", "fetch", "-q")
			out, code := b.try("worldfs", "pull", "--offline")
			if strings.Contains(out, "nothing was touched") { // notes of both, or types that cannot be read
				require.Equal(t, own, b.head())
				require.NotContains(t, b.run("worldfs", "ls"), "interrupted")
				return
			}
			require.LessOrEqual(t, code, 1, out)
			mine := "git:" + own
			merged := func(mine, policy string) string {
				name := b.root + "/" + policy + ".jsonl"
				out, code := b.try("worldfs", "merge", "git:"+base, mine, "git:"+w.bob.head(), "-o", name, "--policy", policy)
				require.Equal(t, 0, code, out)
				return name
			}
			same := func(a, c string) {
				out, code := b.try("worldfs", "diff", "--exit-code", a, c)
				require.Zero(t, code, out)
			}
			same(merged(mine, "shared"), "git:HEAD")
			if code == 1 {
				said := out
				out, code = b.try("worldfs", "resolve", "--take", "mine")
				require.Zero(t, code, "%s\n%s", said, out)
			}
			same(merged(all, "mine"), ".")
			require.NotContains(t, b.dirty(), "UU ")
			out, code = b.try("worldfs", "resolve")
			require.Zero(t, code, out)
			require.Contains(t, out, "nothing")
			require.Contains(t, b.run("worldfs", "pull"), "nothing comes in")
		})
	}
}
