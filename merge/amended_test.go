package merge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// A person has chosen the base's ref in both sides, and one of them has deleted what it
// refers to.
func TestWhatIsChosenRefersToWhatIsDeleted(t *testing.T) {
	for _, by := range []string{"ours", "theirs", "both"} {
		s := newScene(t)
		s.all(1, 0)
		s.all(2, 1)
		for _, w := range []*entity.World{s.base, s.ours, s.theirs} {
			s.put(w, 3, map[string]entity.Value{"link": entity.NewRef(1)})
		}
		if by != "theirs" {
			s.ours.Delete(1)
		}
		if by != "ours" {
			s.theirs.Delete(1)
		}
		r := s.merge(Options{})
		dangling := len(entity.Check(r))
		require.NotZero(t, dangling, "it is the sides' own")

		r = s.merge(Options{Policy: Shared, Amended: map[Amendment]bool{{2, "parent"}: true, {3, ""}: true}})
		require.Empty(t, entity.Check(r), by)
	}
}

func TestWhatIsChosenFollowsItself(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 0)
	for _, w := range []*entity.World{s.base, s.ours, s.theirs} {
		s.put(w, 1, to("parent", 2))
	}
	s.put(s.theirs, 2, to("parent", 1)) // and 1 hung elsewhere
	r := s.merge(Options{Amended: map[Amendment]bool{{1, "parent"}: true}})
	require.Empty(t, entity.Check(r))
	require.Equal(t, []string{"cycle-cut 1"}, kinds(r))
}
