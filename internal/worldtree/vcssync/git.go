package vcssync

import (
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func (s *syncing) git() error {
	x, err := vcs.Git{Dir: s.Dir.Root}.OpenIndex()
	if err != nil {
		return err
	}
	middle, err := x.Middle()
	if err != nil {
		return err
	}
	if middle != "" {
		return &MiddleError{middle}
	}
	if tracked, err := x.Tracked(worlddir.ConfigName); err != nil || len(tracked) == 0 {
		return orElse(err, ErrNotAdded)
	}
	c, err := x.Changes(names...)
	if err != nil {
		return err
	}
	c.Select(s.isThere, s.isOurs)
	s.done.Created, s.done.Deleted, s.done.Returned = c.Created, c.Deleted, c.Returned
	return x.Update(c)
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
