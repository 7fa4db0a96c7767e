package mount

import (
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/asking"
)

// setupDeclined is the remark that notes that a person wants no vcs install in this clone.
const setupDeclined = "vcs-install-declined"

// offerSetup offers worldfs vcs install where this clone lacks it. Nothing of version
// control's is changed but after a yes; that it could not be set up keeps no game from
// being started.
func (s *session) offerSetup() {
	where, lacks := s.setupLacks()
	if len(lacks) == 0 || s.dir.CheckWritable() != nil {
		return
	}
	what := where + " lacks " + strings.Join(lacks, ", ") + ", by which the world is merged"
	if !asking.IsTerminal(s.cmd.InOrStdin()) || !asking.IsTerminal(s.cmd.ErrOrStderr()) {
		s.note(what + ": worldfs vcs install")
		return
	}
	if s.dir.WasSaid(setupDeclined) {
		return
	}
	yes, err := asking.Confirm(s.cmd.InOrStdin(), s.cmd.ErrOrStderr(), "worldfs: "+what+".\nRun worldfs vcs install now?")
	switch {
	case err != nil: // the person has left, and answered nothing
	case yes:
		err = s.install()
	default:
		if err = s.dir.EnsureState(); err == nil {
			_, err = s.dir.FirstTime(setupDeclined)
		}
		s.note("it is not asked again here; worldfs vcs install does it at any time")
	}
	if err != nil {
		s.warn("worldfs vcs install: " + err.Error())
	}
}

// setupLacks returns what this clone or working copy lacks of what vcs install sets up.
func (s *session) setupLacks() (where string, lacks []string) {
	if lacks := svnLacks(s.dir); len(lacks) > 0 {
		return "this working copy", lacks
	}
	g, _ := readGit(s.dir)
	return "this clone", g.lacks
}

// install runs worldfs vcs install, which is another group's command, as if it was typed.
func (s *session) install() error {
	install, _, err := s.cmd.Root().Find([]string{"vcs", "install"})
	if err != nil {
		return err
	}
	install.SetContext(s.cmd.Context())
	install.SetOut(s.cmd.ErrOrStderr()) // standard output is the game's
	return install.RunE(install, nil)
}
