package vcssync

import (
	"errors"
	"path"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Moved tells svn of the files that it was to add with the next commit, and that a change of
// the layout has moved: it is to add them where they are now. It hears of nothing else.
func Moved(o Options) error {
	s := syncing{Options: o}
	err := s.patiently((*syncing).moved)
	if errors.Is(err, vcs.ErrNoTool) || errors.Is(err, vcs.ErrNoRepository) {
		return nil
	}
	return err
}

func (s *syncing) moved() error {
	w, err := vcs.SVN{Dir: s.Dir.Root}.OpenCopy()
	if err != nil {
		return err
	}
	c, _, err := w.Changes(worlddir.EntitiesName)
	if err != nil {
		return err
	}
	places := make(map[string]string) // the new one, by the old one
	var both []string
	for _, from := range c.Deleted {
		if to := s.place(from); to != from && s.exists(to) {
			places[from] = to
			both = append(both, from, to)
		}
	}
	known, err := w.Knows(both)
	if err != nil {
		return err
	}
	var gone, here []string
	for from, to := range places {
		_, told := known[to]
		if was, is := known[from]; is && was.Base == "" && !told {
			gone, here = append(gone, from), append(here, to)
		}
	}
	if err := w.Add(here); err != nil {
		return err
	}
	return w.Delete(gone)
}

// place returns where an entity's file lies in the layout that the world has, and of another
// file its own name.
func (s *syncing) place(name string) string {
	file, is := strings.CutPrefix(name, worlddir.EntitiesName+"/")
	if _, id, ours := layout.Of(file); is && ours {
		return path.Join(worlddir.EntitiesName, s.Dir.Settings.Shard.Path(id))
	}
	return name
}
