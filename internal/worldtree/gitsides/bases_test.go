package gitsides_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/textcodec"
)

// bothWays makes branches ours and theirs, that have each merged what follows on both of two
// commits, made by one and other: these are the merge bases. After a merge, settle is called. The commit that
// is the lesser by its object ID, and so the first that is merged, is that of one if first.
func (r *repository) bothWays(first bool, one, other, settle func()) {
	r.Helper()
	for i := 0; ; i++ {
		for name, do := range map[string]func(){"one": one, "other": other} {
			r.git("checkout", "-q", "-B", name, "main")
			do()
			r.git("add", "-A")
			r.git("commit", "-q", "-m", fmt.Sprint(name, i))
		}
		if (r.git("rev-parse", "one") < r.git("rev-parse", "other")) == first {
			break
		}
	}
	for _, branch := range []string{"ours", "theirs"} {
		of := map[string][2]string{"ours": {"one", "other"}, "theirs": {"other", "one"}}[branch]
		for i, commit := range of {
			r.git("checkout", "-q", "-B", fmt.Sprint(branch, i), commit)
			r.git("commit", "-q", "--allow-empty", "-m", branch)
		}
		r.git("checkout", "-q", "-b", branch, branch+"0")
		_, err := r.try("merge", "-q", "--no-commit", branch+"1")
		require.Error(r, err, "it has conflicts")
		settle()
		r.git("add", "-A")
		r.git("commit", "-q", "-m", branch)
	}
	require.Len(r, strings.Fields(r.git("merge-base", "--all", "ours", "theirs")), 2)
}

// put writes a lamp, and remove removes one.
func (r *repository) put(id entity.ID, radius int) {
	r.Helper()
	r.write("entities/"+layout.FileName(id), fmt.Sprintf("Lamp\n1\n%d\n; radius\n    %d\n", id, radius))
}

func (r *repository) remove(id entity.ID) {
	r.Helper()
	r.git("rm", "-q", "-f", "--ignore-unmatch", filepath.Join(r.in, "entities", layout.FileName(id)))
}

// eachOrder runs a test with a world whose lamp 2 has the radius 2, with the merge bases in
// either order.
func eachOrder(t *testing.T, f func(r *repository, first bool)) {
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("first %t", first), func(t *testing.T) {
			r := newRepositoryIn(t, "Wélt")
			r.lamp(2, 2)
			f(r, first)
		})
	}
}

// One merge base has deleted a lamp that the other has changed, and both sides have decided
// that it stays.
func TestTheBaseHasWhatOneOfTwoDeleted(t *testing.T) {
	eachOrder(t, func(r *repository, first bool) {
		r.bothWays(first, func() { r.remove(2) }, func() { r.put(2, 3) }, func() { r.put(2, 3) })
		r.git("checkout", "-q", "ours")
		r.lamp(2, 4)
		base, common := r.open("ours", "theirs")
		require.Empty(r, common)
		r.requireRadius(base, 2, "3")
	})
}

// Where one side has decided that it stays, and the other that it does not, that is a
// conflict of a change with a deletion.
func TestTheBaseOfWhatOneSideDeleted(t *testing.T) {
	eachOrder(t, func(r *repository, first bool) {
		decide := []func(){func() { r.put(2, 3) }, func() { r.remove(2) }}
		r.bothWays(first, func() { r.remove(2) }, func() { r.put(2, 3) }, func() { decide[0](); decide = decide[1:] })
		base, _ := r.open("ours", "theirs")
		r.requireRadius(base, 2, "2")
	})
}

// Where two merge bases have changed the same, the sides may have decided for either, or for
// none: the base is what neither has.
func TestTheBaseDecidesForNone(t *testing.T) {
	for _, decided := range [][3]int{{3, 4, 2}, {2, 3, 4}, {4, 2, 3}, {9, 2, 3}, {9, 3, 2}} {
		eachOrder(t, func(r *repository, first bool) {
			radius := decided[:]
			r.bothWays(first, func() { r.put(2, 3) }, func() { r.put(2, 4) }, func() { r.put(2, radius[0]); radius = radius[1:] })
			base, _ := r.open("ours", "theirs")
			if decided[0] == 9 && decided[1] == 2 { // either that was changed
				require.NotContains(r, textOf(r, base, 2), "; radius\n    2\n")
				return
			}
			r.requireRadius(base, 2, fmt.Sprint(decided[2]))
		})
	}
}

func textOf(t require.TestingT, world entity.Source, id entity.ID) string {
	e, ok := world.Get(id)
	require.True(t, ok)
	return string(textcodec.Append(nil, e))
}

// Two merge bases have each made a lamp of one ID, and in the sides one of those has got
// another: the base has both by the IDs of the sides.
func TestTheBaseHasTheIDsOfTheSides(t *testing.T) {
	eachOrder(t, func(r *repository, first bool) {
		r.bothWays(first, func() { r.put(5, 8) }, func() { r.put(5, 9) }, func() { r.put(5, 9); r.put(7, 8) })
		base, _ := r.open("ours", "theirs")
		r.requireRadius(base, 5, "9")
		r.requireRadius(base, 7, "8")
		require.Equal(r, []entity.ID{1, 2, 5, 7}, idsOf(base))
	})
}

func idsOf(world entity.Source) (ids []entity.ID) {
	for e := range world.All() {
		ids = append(ids, e.ID)
	}
	return slices.Sorted(slices.Values(ids))
}
