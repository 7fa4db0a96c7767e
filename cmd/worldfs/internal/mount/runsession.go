package mount

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// session is the time in which a game runs on a world.
type session struct {
	app *cli.App
	cmd *cobra.Command
	dir *worlddir.Dir

	options mountOptions

	caught <-chan os.Signal // what is to end this process

	use      *daemon.Use      // of the mount; nil: the world is not mounted
	mounted  daemon.Record    // where it is
	kept     daemon.Record    // where the control socket is of a world that is not mounted
	readOnly bool             // nothing can be published, nor saved
	before   *packfile.Pack   // what the game has loaded
	told     []entity.Finding // what was found before the game had started
}

// run makes the world ready, runs the game and settles what it did. Once anything is
// mounted it is settled, whatever has failed.
func (s *session) run(g *game) error {
	s.offerSetup()
	caught, stop := catchSignals()
	defer stop()
	s.caught = caught
	if err := s.mount(); err != nil {
		return err
	}
	err := s.prepare()
	if err == nil {
		err = s.play(g)
	}
	return s.ended(err, s.settle())
}

// play runs the game, and returns how it ended if not well.
func (s *session) play(g *game) error {
	if signal := ending(s.caught); signal != nil {
		return &cli.Ended{Status: exitBySignal(signal)}
	}
	if s.mounted.Socket == "" && !s.readOnly {
		defer s.keep()()
	}
	if err := adoptOrphans(); err != nil {
		s.warn(fmt.Sprintf("what the game leaves in the background is not waited for: %v", err))
	}
	status, err := g.run(s.cmd, s.environment(), s.caught)
	if err != nil {
		return err
	}
	awaitLeft(s.note, g.passed, s.caught)
	if status != 0 {
		return &cli.Ended{Status: status}
	}
	return nil
}

// keep has pack and plain files in step while the game runs on a world that is not mounted.
// What goes wrong is said when the game has ended. The caller calls stop, which returns when
// the world is not used any more.
func (s *session) keep() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	k := newKeeper(s.app, s.cmd, s.dir)
	var noEffect []entity.Finding // which only the step that undoes such an edit knows of
	k.onStep = func(did kept) {
		for _, f := range concerning(did.findings, noEffect) {
			if f.Code == entity.CodePoseDerived {
				noEffect = append(noEffect, f)
			}
		}
	}
	unlock := s.listen(k)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer unlock()
		defer k.close()
		k.keep(ctx)
	}()
	return func() { cancel(); <-ended; _ = s.print(noEffect) }
}

// listen opens the control socket of a world that is not mounted, or finds that of another
// process that keeps it in step. The caller calls unlock once the socket is closed.
func (s *session) listen(k *keeper) (unlock func()) {
	unlock, err := s.dir.LockKeeper()
	if err == nil {
		if err = k.kept.Listen(); err == nil {
			s.kept = k.kept.Record()
			return unlock
		}
		unlock()
	} else if client, _ := daemon.KeptBy(s.dir); client != nil {
		s.kept = client.Record
		return func() {}
	}
	s.note(fmt.Sprintf("the game cannot ask of the world: %v", err))
	return func() {}
}

// ended returns how run has ended: as the game did, unless that is well.
func (s *session) ended(played, settled error) error {
	if played == nil || settled == nil {
		return errors.Join(played, settled)
	}
	s.warn(settled.Error())
	return played
}

func (s *session) note(text string) { s.app.Noter(s.cmd)(text) }

// warn says what also a quiet call has to hear.
func (s *session) warn(text string) { fmt.Fprintf(s.cmd.ErrOrStderr(), "worldfs: %s\n", text) }

// open opens the world for a moment.
func (s *session) open(do func(w *daemon.World) error) error {
	return s.app.UseDir(s.cmd, s.dir, do)
}

// prepare brings the pack up to date and says what is wrong in it. It fails only where there
// is no pack that a game could load.
func (s *session) prepare() error {
	err := s.open(func(w *daemon.World) error {
		err := w.Sync()
		s.readOnly = errors.Is(err, worlddir.ErrReadOnly)
		st, statusErr := w.Status()
		s.told = st.Findings
		return errors.Join(err, statusErr, s.print(concerning(st.Findings, nil)))
	})
	if err != nil {
		s.warn("the pack is as it was published last: " + err.Error())
	}
	if s.before, err = mend.ReadPublished(s.dir); err != nil {
		return fmt.Errorf("there is no pack that the game could load: %w", err)
	}
	return nil
}

// maxShown is how many findings are printed: before the game draws over them, or after it.
const maxShown = 10

// print prints findings, the first of them if they are many.
func (s *session) print(findings []entity.Finding) error {
	shown := findings[:min(len(findings), maxShown)]
	if len(shown) == 0 {
		return nil
	}
	err := cli.PrintFindings(s.cmd.ErrOrStderr(), s.dir.Settings.Shard, shown, false)
	if more := len(findings) - len(shown); more > 0 {
		s.warn(fmt.Sprintf("and %s more: worldfs status", cli.Count(more)))
	}
	return err
}

// The variables by which a game finds its world.
const (
	worldVariable  = "WORLDFS_WORLD"
	packVariable   = "WORLDFS_PACK"
	socketVariable = "WORLDFS_SOCKET"
	recordVariable = "WORLDFS_CONTROL"
)

// environment returns the game's environment: ours, and where the world is. A socket that it
// names is of this world, and of no other in which this process may run.
func (s *session) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, socketVariable+"=") || strings.HasPrefix(v, recordVariable+"=")
	})
	env = append(env, worldVariable+"="+s.dir.Root, packVariable+"="+s.dir.PackPath())
	record, socket := "", cmp.Or(s.mounted.Socket, s.kept.Socket)
	switch {
	case s.mounted.Socket != "":
		record = s.mounted.Path()
	case s.kept.Pid != 0:
		record = s.dir.KeeperPath()
	}
	if socket != "" {
		env = append(env, socketVariable+"="+socket)
	}
	if record != "" {
		env = append(env, recordVariable+"="+record)
	}
	return env
}
