package gitsides_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitsides"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/textcodec"
)

const lampType = "name = \"Lamp\"\nrevision = 1\n\n[[fields]]\nname = \"radius\"\nkind = \"u32\"\n"

// repository is a world in a git repository with a door.
type repository struct {
	*testing.T
	dir string
	in  string // of the repository, where the world lies
}

// newRepository makes one with lamp 1, of radius 1.
func newRepository(t *testing.T) *repository {
	return newRepositoryIn(t, "")
}

func newRepositoryIn(t *testing.T, in string) *repository {
	r := &repository{t, t.TempDir(), in}
	r.git("init", "-q", "-b", "main")
	r.write("world.toml", "id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n")
	r.write("types/Lamp.toml", lampType)
	r.lamp(1, 1)
	return r
}

// lamp commits a lamp.
func (r *repository) lamp(id entity.ID, radius int) {
	r.Helper()
	r.write("entities/"+layout.FileName(id), fmt.Sprintf("Lamp\n1\n%d\n; radius\n    %d\n", id, radius))
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "c")
}

func (r *repository) git(args ...string) string {
	r.Helper()
	out, err := r.try(args...)
	require.NoError(r, err, "git %v: %s", args, out)
	return strings.TrimSpace(out)
}

func (r *repository) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *repository) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, r.in, name)
	require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r, os.WriteFile(path, []byte(text), 0o644))
}

// open opens the sides of a merge of a branch into another.
func (r *repository) open(ours, theirs string) (base entity.Source, common map[entity.ID]*entity.Entity) {
	r.Helper()
	bases, err := vcs.Git{Dir: r.dir}.MergeBases(ours, theirs)
	require.NoError(r, err)
	git := vcs.Git{Dir: filepath.Join(r.dir, r.in)}
	op := &vcs.Operation{Kind: vcs.Merging, Bases: bases}
	op.Ours, err = git.Resolve(ours)
	require.NoError(r, err)
	op.Theirs, err = git.Resolve(theirs)
	require.NoError(r, err)
	sides, common, err := gitsides.Open(git.Dir, op, renumbered.InHistory(git, op))
	require.NoError(r, err)
	return sides[0].Source, common
}

// requireRadius fails unless a world has a lamp of that radius.
func (r *repository) requireRadius(world entity.Source, id entity.ID, radius string) {
	r.Helper()
	e, ok := world.Get(id)
	require.True(r, ok)
	require.Contains(r, string(textcodec.Append(nil, e)), "; radius\n    "+radius+"\n")
}

// What was picked is on both sides as two commits; the base is as both sides last had it.
func TestTheBaseHasWhatCameToBothSides(t *testing.T) {
	for _, in := range []string{"", "games/world", "Wélt"} {
		r := newRepositoryIn(t, in)
		r.git("checkout", "-q", "-b", "theirs")
		r.lamp(2, 2)
		r.git("checkout", "-q", "-b", "ours", "main")
		r.lamp(3, 1)
		r.git("cherry-pick", "theirs")
		r.lamp(2, 3)
		base, common := r.open("ours", "theirs")
		require.Len(t, common, 1, in)
		r.requireRadius(base, 1, "1")
		r.requireRadius(base, 2, "2")
	}
}

// After merges both ways there are two bases. What comes of merging those is the base: from
// either side the same.
func TestTheBaseOfMergesBothWays(t *testing.T) {
	r := newRepository(t)
	r.lamp(2, 2)
	r.git("checkout", "-q", "-b", "theirs")
	r.lamp(2, 3)
	r.git("checkout", "-q", "-b", "ours", "main")
	r.lamp(1, 4)
	r.git("tag", "before")
	r.git("merge", "-q", "-m", "m", "theirs")
	r.git("checkout", "-q", "theirs")
	r.git("merge", "-q", "-m", "m", "before")
	for _, sides := range [][2]string{{"ours", "theirs"}, {"theirs", "ours"}} {
		base, _ := r.open(sides[0], sides[1])
		r.requireRadius(base, 1, "4")
		r.requireRadius(base, 2, "3")
	}
}

// Where the sides have nothing in common, the base is empty.
func TestNoBase(t *testing.T) {
	r := newRepository(t)
	r.git("checkout", "-q", "--orphan", "other")
	r.lamp(1, 5)
	base, common := r.open("main", "other")
	require.Empty(t, common)
	_, ok := base.Get(1)
	require.False(t, ok)
}

// An entity that was deleted before, and that both sides have brought back, is the same one.
func TestTheBaseHasWhatBothBroughtBack(t *testing.T) {
	for _, in := range []string{"", "games/world", "Wélt"} {
		r := newRepositoryIn(t, in)
		r.lamp(2, 2)
		r.lamp(2, 3)
		r.git("checkout", "-q", "-b", "side")
		r.lamp(1, 9)
		r.git("checkout", "-q", "main")
		r.git("rm", "-q", filepath.Join(in, "entities", layout.FileName(2)))
		r.git("commit", "-q", "-m", "deleted")
		r.git("merge", "-q", "-m", "m", "side")
		r.git("checkout", "-q", "-b", "theirs")
		r.lamp(2, 4)
		r.lamp(5, 1)
		r.git("checkout", "-q", "-b", "ours", "main")
		r.lamp(2, 5)
		r.lamp(5, 2)
		base, common := r.open("ours", "theirs")
		require.Len(t, common, 1, in)
		r.requireRadius(base, 2, "3")
		_, ok := base.Get(5)
		require.False(t, ok, "that was made twice")
	}
}

func TestByWhomASideWasMade(t *testing.T) {
	r := newRepository(t)
	r.git("tag", "base")
	for i, person := range []string{"Ann", "Bob"} {
		r.lamp(entity.ID(i+2), 1)
		r.git("commit", "-q", "--amend", "--no-edit", "--author", person+" <x@y>")
	}
	git := vcs.Git{Dir: r.dir}
	require.True(t, gitsides.AllBy(git, []string{"base"}, "HEAD", []string{"Bob", "Ann", "Carol"}))
	require.False(t, gitsides.AllBy(git, []string{"base"}, "HEAD", []string{"Ann"}))
	require.False(t, gitsides.AllBy(git, []string{"HEAD"}, "HEAD", []string{"Ann"}), "there are none")
	require.False(t, gitsides.AllBy(git, nil, "HEAD", nil))
}

// A commit that was picked before, and taken back since, is made again when it is picked again:
// the base is what it changed. What it made, and is there still, is not made twice.
func TestTheBaseOfAPickIsWhatItChanged(t *testing.T) {
	r := newRepository(t)
	r.git("checkout", "-q", "-b", "theirs")
	r.lamp(2, 2)
	r.lamp(1, 8)
	r.git("checkout", "-q", "-b", "ours", "main")
	r.lamp(3, 1)
	r.git("cherry-pick", "theirs~", "theirs")
	r.lamp(1, 1)
	r.lamp(2, 3)
	git := vcs.Git{Dir: filepath.Join(r.dir, r.in)}
	op := &vcs.Operation{Kind: vcs.CherryPicking}
	for rev, to := range map[string]*string{"ours": &op.Ours, "theirs": &op.Theirs} {
		var err error
		*to, err = git.Resolve(rev)
		require.NoError(t, err)
	}
	bases, err := git.MergeBases("ours", "theirs")
	require.NoError(t, err)
	op.Bases = bases // as one commit that does both
	sides, common, err := gitsides.Open(git.Dir, op, nil)
	require.NoError(t, err)
	require.Len(t, common, 1)
	r.requireRadius(sides[0].Source, 1, "1")
	r.requireRadius(sides[0].Source, 2, "2")
}
