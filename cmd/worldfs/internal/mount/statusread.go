package mount

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mergecost"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/gitsetup"
	"github.com/worldfs/worldfs/internal/worldtree/gitstopped"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/sparse"
	"github.com/worldfs/worldfs/internal/worldtree/svnsetup"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// status is what the command prints.
type status struct {
	daemon.Status
	Untold   bool              `json:"git_has_no_entities,omitempty"` // though the world has
	GitLacks []string          `json:"git_lacks,omitempty"`           // of what vcs install sets up
	LeftOut  int               `json:"git_left_out,omitempty"`        // entities, by a sparse checkout
	SVNLacks []string          `json:"svn_lacks,omitempty"`
	SVNOut   []sparse.SVNPart  `json:"svn_left_out,omitempty"`
	Lost     []mergecost.Entry `json:"lost"` // what merges have cost
}

// readGit reads what this clone lacks of what vcs install sets up, in words, whether it has
// the world without its entities, and what git has stopped in the middle of: nothing where git
// does not have the world, or cannot be asked.
func (st *status) readGit(dir *worlddir.Dir) {
	g, tracked := readGit(dir)
	if !tracked {
		return
	}
	st.GitLacks, st.LeftOut = g.lacks, g.leftOut
	st.Untold = dir.WantsPlain() && st.Entities > 0 && !g.entities
	if op, err := gitstopped.Of(dir); op != nil && err == nil {
		st.Findings = append(st.Findings, op.Finding())
	}
}

// gitState is what git has of a world.
type gitState struct {
	entities bool     // it has some
	lacks    []string // of what vcs install sets up, in words
	leftOut  int      // entities, by a sparse checkout
}

// readGit asks git. tracked is false where it does not have the world, or cannot be asked.
func readGit(dir *worlddir.Dir) (g gitState, tracked bool) {
	if dir.WorkingCopy(".git") == "" {
		return g, false
	}
	setup, err := gitsetup.Open(dir.Root)
	if err != nil {
		return g, false
	}
	tracked, g.entities, err = setup.Tracked()
	if !tracked || err != nil {
		return g, false
	}
	if lacks, err := setup.Lacks(); err == nil {
		g.lacks = lacks
	}
	if n, err := sparse.GitLeavesOut(dir.Root); err == nil {
		g.leftOut = n
	}
	return g, true
}

// svnLacks returns what this working copy of svn's lacks of what vcs install sets up.
func svnLacks(dir *worlddir.Dir) []string {
	if _, svn := vcssync.Uses(dir.Root); !svn {
		return nil
	}
	setup, err := svnsetup.Open(dir.Root, "", daemon.Keep)
	if err != nil {
		return nil
	}
	lacks, err := setup.Lacks()
	if err != nil {
		return nil
	}
	return lacks
}

// svnLeavesOut returns which parts of the world this working copy of svn's was told to leave out;
// none where it cannot be asked.
func svnLeavesOut(dir *worlddir.Dir) []sparse.SVNPart {
	if _, svn := vcssync.Uses(dir.Root); !svn {
		return nil
	}
	parts, err := sparse.SVNLeavesOut(dir.Root, dir.Settings.Shard)
	if err != nil {
		return nil
	}
	return parts
}

// crashed reports whether the process behind a mount of the world was killed, and no command
// has recovered from that yet. Opening the world does.
func crashed(dir *worlddir.Dir) bool { return daemon.Crashed(dir) || daemon.Killed(dir) }

// about adds the findings about this copy of the world: those that take a look at version
// control, or at what was before the world was opened.
func (st *status) about(dir *worlddir.Dir, crashed bool) {
	var found []entity.Finding
	if crashed {
		found = append(found, crashFinding(st.Status))
	}
	if st.Untold {
		found = append(found, entity.Finding{Code: entity.CodeVCSUntold, File: worlddir.EntitiesName, Mend: "git add -A",
			Message: "git has none of the entities: git add -A, then git commit"})
	}
	if len(st.GitLacks) > 0 {
		found = append(found, entity.Finding{Code: entity.CodeVCSSetup, File: ".git",
			Message: fmt.Sprintf("this clone lacks %s: worldfs vcs install", strings.Join(st.GitLacks, ", "))})
	}
	if st.LeftOut > 0 {
		found = append(found, entity.Finding{Code: entity.CodeVCSSparse, File: worlddir.EntitiesName,
			Message: fmt.Sprintf("git's checkout is sparse, and leaves %s out: they are missing in this world and in its pack; git sparse-checkout disable brings them back", cli.Counted(st.LeftOut, "entity", "entities"))})
	}
	if len(st.SVNOut) > 0 {
		found = append(found, sparse.SVNFinding(st.SVNOut))
	}
	if len(st.SVNLacks) > 0 {
		found = append(found, entity.Finding{Code: entity.CodeVCSSetup, File: ".svn",
			Message: fmt.Sprintf("this working copy lacks %s: worldfs vcs install", strings.Join(st.SVNLacks, ", "))})
	}
	st.Findings = advice.Give(dir.Settings.Shard, append(st.Findings, found...))
	bringBack(st.Findings)
}

// bringBack has findings about entities that are gone name the command by which version control
// brings them back where it leaves them out: what is unpacked in their place, it would not know.
func bringBack(findings []entity.Finding) {
	out := slices.IndexFunc(findings, func(f entity.Finding) bool { return f.Code == entity.CodeVCSSparse })
	if out < 0 {
		return
	}
	for i, f := range findings {
		if f.Code == entity.CodeNoEntities || f.Code == entity.CodeGreatLoss {
			findings[i].Mend = cmp.Or(findings[out].Mend, f.Mend)
		}
	}
}

// crashFinding says what has become of a mount whose process was killed.
func crashFinding(st daemon.Status) entity.Finding {
	f := entity.Finding{Code: entity.CodeMountCrashed, File: worlddir.EntitiesName, Message: "the process behind the mount was killed; " +
		"what was edited there is recovered, but for perhaps the last second"}
	for _, other := range st.Findings {
		if other.Code == entity.CodeFormatNewer || other.Code == entity.CodeDisk {
			f.Message = "the process behind the mount was killed; what was edited there is in .worldfs, and is not recovered: " +
				"it will be once the world can be written"
		}
	}
	return f
}

// untoldIDs returns what version control tells of whose the entities' IDs are. While the
// world is mounted that is about its pack: status publishes nothing. What cannot be found out
// is left out.
func untoldIDs(ctx context.Context, dir *worlddir.Dir, w *daemon.World) []entity.Finding {
	entities, err := publishedOf(dir, w)
	if err != nil {
		return nil
	}
	found, err := rangecheck.Untold(ctx, cli.IDsOf(dir, w, entities, nil))
	if err != nil {
		return nil
	}
	return found
}

func publishedOf(dir *worlddir.Dir, w *daemon.World) (entity.Source, error) {
	if w.IsMounted() {
		return mend.ReadPublished(dir)
	}
	r, err := w.Read()
	return r.Source, err
}

// readStatus reads the state of a world that is open.
func readStatus(ctx context.Context, dir *worlddir.Dir, w *daemon.World, crashed bool) (st status, err error) {
	if st.Status, err = w.Status(); err != nil {
		return st, err
	}
	st.SVNLacks, st.SVNOut = svnLacks(dir), svnLeavesOut(dir)
	st.readGit(dir)
	st.Findings = append(st.Findings, untoldIDs(ctx, dir, w)...)
	st.about(dir, crashed)
	return st, nil
}

// addLost adds what merges have cost.
func (st *status) addLost(w *daemon.World, lost []*resolve.Lost) ([]*resolve.Lost, error) {
	lost, err := mergecost.Still(w, lost)
	if err != nil {
		return nil, err
	}
	st.Lost, err = mergecost.Entries(lost)
	return lost, err
}
