package mount

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// session is the time in which a game runs on a world.
type session struct {
	app *cli.App
	cmd *cobra.Command
	dir *worlddir.Dir

	mounted  *daemon.Record // nil: the world is not mounted
	ours     bool           // this process has mounted it
	readOnly bool           // nothing can be published, nor saved
	before   *packfile.Pack // what the game has loaded
}

// run makes the world ready, runs the game and settles what it did. Once anything is
// mounted it is settled, whatever has failed.
func (s *session) run(g *game) error {
	s.offerSetup()
	if err := s.mount(); err != nil {
		return err
	}
	status, err := 0, s.prepare()
	if err == nil {
		status, err = g.run(s.cmd, s.environment())
	}
	if settled := s.settle(); settled != nil && (err != nil || status != 0) {
		s.note(settled.Error())
	} else if settled != nil {
		err = settled
	}
	if err == nil && status != 0 {
		err = &cli.Ended{Status: status}
	}
	return err
}

func (s *session) note(text string) { s.app.Noter(s.cmd)(text) }

// warn says what also a quiet call has to hear.
func (s *session) warn(text string) { fmt.Fprintf(s.cmd.ErrOrStderr(), "worldfs: %s\n", text) }

// mount mounts the world, or finds the mount that is there. That it cannot be mounted is no
// error: the pack is all that a game needs.
func (s *session) mount() error {
	var o mountOptions
	m, err := o.mounting(s.dir)
	if err != nil {
		return err
	}
	record, err := o.start(s.app, s.cmd, s.dir, m)
	var already *daemon.MountedError
	switch {
	case errors.As(err, &already):
		s.mounted = &already.Record
		s.note("mounted already at " + already.Mount + ", and stays so")
	case err != nil:
		s.warn(err.Error())
		s.note("going on without a mount: what is saved meanwhile is taken in when the game has ended")
	default:
		s.mounted, s.ours = &record, true
		noteShape(s.app, s.cmd, m)
		s.note("mounted at " + record.Mount)
	}
	return nil
}

// use opens the world for a moment.
func (s *session) use(do func(w *daemon.World) error) error {
	w, err := daemon.Open(s.dir, s.app.Noter(s.cmd))
	if err != nil {
		return err
	}
	return errors.Join(do(w), w.Close())
}

// prepare brings the pack up to date and says what is wrong in it. It fails only where there
// is no pack that a game could load.
func (s *session) prepare() error {
	err := s.use(func(w *daemon.World) error {
		err := w.Sync()
		s.readOnly = errors.Is(err, worlddir.ErrReadOnly)
		st, statusErr := w.Status()
		return errors.Join(err, statusErr, s.printFindings(st.Findings))
	})
	if err != nil {
		s.warn("the pack is as it was published last: " + err.Error())
	}
	if s.before, err = cache.ReadPublished(s.dir); err != nil {
		return fmt.Errorf("there is no pack that the game could load: %w", err)
	}
	return nil
}

// maxShown is how many findings are printed before the game draws over them.
const maxShown = 10

// printFindings prints those findings that the game's person has to know of: what could not
// be loaded as it is written, and what is in conflict.
func (s *session) printFindings(findings []entity.Finding) error {
	told := slices.DeleteFunc(slices.Clone(findings), func(f entity.Finding) bool {
		return !f.Blocks && f.Code != entity.CodeConflict && f.Code != entity.CodeConflictFiles
	})
	shown := told[:min(len(told), maxShown)]
	if len(shown) == 0 {
		return nil
	}
	err := cli.PrintFindings(s.cmd.ErrOrStderr(), s.dir.Settings.Shard, shown, false)
	if more := len(told) - len(shown); more > 0 {
		s.warn(fmt.Sprintf("and %s more: worldfs status", cli.Count(more)))
	}
	return err
}

// The variables by which a game finds its world.
const (
	worldVariable  = "WORLDFS_WORLD"
	packVariable   = "WORLDFS_PACK"
	socketVariable = "WORLDFS_SOCKET"
)

// environment returns the game's environment: ours, and where the world is. A socket that it
// names is of this world's daemon, and of no other's in which this process may run.
func (s *session) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, socketVariable+"=") })
	env = append(env, worldVariable+"="+s.dir.Root, packVariable+"="+s.dir.PackPath())
	if s.mounted != nil {
		env = append(env, socketVariable+"="+s.mounted.Socket)
	}
	return env
}

// settle takes in what was saved, says what the session has changed, and unmounts what it
// has mounted.
func (s *session) settle() error {
	if s.readOnly {
		return nil
	}
	err := s.use(func(w *daemon.World) error { return w.Sync() })
	if err == nil {
		err = s.noteChanges()
	}
	if !s.ours {
		return err
	}
	_, standing, unmountErr := daemon.Unmount(s.dir, false)
	if errors.Is(unmountErr, daemon.ErrNoDaemon) {
		unmountErr = nil // it was unmounted while the game ran
	}
	if text := strings.TrimSuffix(leaving(standing), "\n"); text != "" {
		s.note(text)
	}
	return errors.Join(err, unmountErr)
}

// noteChanges says what the session has changed, and the next command.
func (s *session) noteChanges() error {
	if s.before == nil {
		return nil
	}
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
