package mount

import (
	"errors"
	"slices"
	"time"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/packfile"
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
	if err := s.putAsideCutOff(); err != nil {
		return err
	}
	st, err := s.judged()
	found := concerning(st.Findings, s.told)
	if printErr := s.print(found); err == nil {
		err = printErr
	}
	if err == nil && slices.ContainsFunc(found, isSaveRefused) {
		err = cli.Problemsf("what the game has saved was not taken in; the world is as it was without that")
	}
	return err
}

// putAsideCutOff has the good pack take the place of one that the game was ended amid writing.
// Where the world is mounted its daemon does.
func (s *session) putAsideCutOff() error {
	f, err := packfile.OpenQuietly(s.dir.PackPath())
	if err != nil {
		return nil // then nothing was written
	}
	writing := packfile.HasWriter(f)
	f.Close()
	if writing || s.before == nil {
		return nil
	}
	_, err = daemon.Mend(s.dir, s.app.Noter(s.cmd))
	return err
}

// How long a save that is not whole is waited for: a daemon finds it cut off after less.
const (
	judgeTimeout = 6 * time.Second
	judgeAgain   = 200 * time.Millisecond
)

// judged publishes the world once it is known what the game's last save is, and returns how the
// world is then.
func (s *session) judged() (st daemon.Status, err error) {
	latest := time.Now().Add(judgeTimeout)
	for {
		err = s.open(func(w *daemon.World) (err error) {
			syncErr := w.Sync()
			st, err = w.Status()
			return errors.Join(syncErr, err)
		})
		if err != nil || !slices.ContainsFunc(st.Findings, isUnderWay) || time.Now().After(latest) {
			return st, err
		}
		time.Sleep(judgeAgain)
	}
}

// noteChanges says what the session has changed, and the next command.
func (s *session) noteChanges() error {
	after, err := mend.ReadPublished(s.dir)
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
