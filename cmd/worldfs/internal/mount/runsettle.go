package mount

import (
	"errors"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
)

// settle takes in what was saved, says what the session has changed and what of it went
// wrong, and ends the mount.
func (s *session) settle() error {
	if s.readOnly {
		return nil
	}
	err := s.publish()
	if s.before != nil {
		err = errors.Join(err, s.noteChanges())
	}
	return errors.Join(err, s.unmount())
}

// publish takes in what was saved and publishes it. The error is also of a save that could not
// be taken in.
func (s *session) publish() error {
	var found []entity.Finding
	err := s.open(func(w *daemon.World) error {
		err := w.Sync()
		st, statusErr := w.Status()
		found = concerning(st, s.told)
		return errors.Join(err, statusErr)
	})
	if printErr := s.print(found); err == nil {
		err = printErr
	}
	if err == nil && slices.ContainsFunc(found, isSaveRefused) {
		err = cli.Problemsf("what the game has saved was not taken in; the world is as it was without that")
	}
	return err
}

// noteChanges says what the session has changed, and the next command.
func (s *session) noteChanges() error {
	after, err := cache.ReadPublished(s.dir)
	if err != nil {
		return err
	}
	set := entity.Diff(s.before, after)
	if len(set) == 0 {
		s.note("nothing has changed in this session")
		return nil
	}
	s.note("in this session: " + changeset.Summary(set))
	s.note("next: " + s.next())
	return nil
}

// next returns the commands that come after a change.
func (s *session) next() string {
	if _, svn := vcssync.Uses(s.dir.Root); svn {
		return "worldfs diff, worldfs vcs sync, svn commit"
	}
	if s.dir.WorkingCopy(".git") != "" {
		return "worldfs diff, git add -A, git commit"
	}
	return "worldfs status"
}
