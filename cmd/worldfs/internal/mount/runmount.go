package mount

import (
	"errors"
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// mount mounts the world, or finds the mount that is there. That it cannot be mounted is no
// error, unless the call says how it is to be: the pack is all that a game needs.
func (s *session) mount() error {
	m, shapeErr := s.options.mounting(s.dir)
	if shapeErr != nil && namesShape(s.cmd) {
		return shapeErr
	}
	for {
		err := shapeErr
		if err == nil {
			_, err = s.options.start(s.app, s.cmd, s.dir, m)
		}
		already := s.mountThere()
		switch {
		case already != nil && err != nil && !s.options.isSatisfied(s.cmd, m, *already):
			return err
		case already == nil:
			s.goWithout(err)
			return nil
		}
		shared := s.share(*already, err == nil)
		if errors.Is(shared, daemon.ErrNoDaemon) {
			continue // the run that had it has just ended it
		}
		if shared != nil {
			s.warn(shared.Error() + "; the mount stays when the game has ended: worldfs unmount")
		}
		s.noteMount(m, *already, err == nil)
		return nil
	}
}

// mountThere returns where the world is mounted, nil if it is not.
func (s *session) mountThere() *daemon.Record {
	client, err := daemon.Mounted(s.dir)
	if client == nil || err != nil {
		return nil
	}
	return &client.Record
}

// goWithout says that the world is not mounted, and why.
func (s *session) goWithout(err error) {
	if err != nil {
		s.warn(err.Error())
	}
	s.note("going on without a mount: the files are watched instead, and what is saved is taken in all the same")
}

func (s *session) noteMount(m worlddir.Mounting, record daemon.Record, isNew bool) {
	if !isNew {
		s.note("mounted already at " + record.Mount)
		return
	}
	noteShape(s.app, s.cmd, m)
	s.note("mounted at " + record.Mount)
}

// share uses a mount until the game has ended, and has the last that does so end it where it
// is new.
func (s *session) share(record daemon.Record, isNew bool) (err error) {
	s.mounted = record
	if s.use, err = daemon.Share(s.dir, record); err == nil && isNew {
		err = s.use.Claim()
	}
	return err
}

// unmount ends the mount, if a run has begun it and no other uses it.
func (s *session) unmount() error {
	if s.use == nil {
		return nil
	}
	defer s.use.Close()
	if !s.use.Claimed() {
		return nil
	}
	if !s.use.IsLast() {
		s.note("another worldfs run uses the mount, and ends it")
		return nil
	}
	_, how, err := daemon.Unmount(s.dir, false)
	if text := strings.TrimSuffix(sayBeneath(s.dir, how.Beneath)+leaving(how.Standing), "\n"); text != "" {
		s.note(text)
	}
	if err == nil || errors.Is(err, daemon.ErrNoDaemon) { // it was unmounted meanwhile
		return nil
	}
	return &daemon.Failure{Message: fmt.Sprintf("the world stays mounted: %v; worldfs unmount ends it", err), Exit: daemon.Exit(err)}
}
