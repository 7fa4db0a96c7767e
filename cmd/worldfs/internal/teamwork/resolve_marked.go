package teamwork

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mergecost"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/marked"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/resolved"
	"github.com/worldfs/worldfs/internal/worldtree/resolvelock"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// noConflict says that a call of resolve names no conflict of what version control merges.
type noConflict struct{ error }

func (e noConflict) Unwrap() error { return e.error }

// notMarked says that a call of resolve names nothing that is marked.
type notMarked struct{ error }

func (e notMarked) Unwrap() error { return e.error }

// hasNothing reports whether an error of resolve says that version control has nothing to
// resolve, or nothing of what the call names.
func hasNothing(err error) bool {
	var none noConflict
	return errors.As(err, &none) || errors.Is(err, resolve.ErrNothing) || errors.Is(err, vcs.ErrNoRepository)
}

// without goes on where version control gives nothing to resolve: with conflicts that are
// marked in files all the same. why is returned where there are none.
func (o *resolveOptions) without(a *cli.App, cmd *cobra.Command, root string, args []string, why error) error {
	if !hasNothing(why) {
		return why
	}
	s, err := o.settleMarked(a, cmd, root, args)
	var none noConflict
	var unmarked notMarked
	switch {
	case errors.As(why, &none) && errors.As(err, &unmarked):
		return why
	case s != nil || err != nil:
		return o.reportMarked(a, cmd, s, err)
	case errors.Is(why, resolve.ErrNothing):
		return o.nothing(a, cmd, why)
	}
	return why
}

// settleMarked settles what is marked in the files of the world as the flags say, and
// returns what came of it, nil where nothing is marked.
func (o *resolveOptions) settleMarked(a *cli.App, cmd *cobra.Command, root string, args []string) (*resolved.Summary, error) {
	unlock, err := resolvelock.Lock(root, a.Noter(cmd))
	if err != nil {
		return nil, err
	}
	defer unlock()
	settings, err := marked.MergeSettings(root, a.Noter(cmd))
	if err != nil {
		return nil, err
	}
	if dir, err := worlddir.Open(root); err == nil && len(settings) == 0 {
		if may, err := marked.MayBeAny(dir); err != nil || !may {
			return nil, err
		}
	}
	m, err := openMarked(a, cmd)
	if err != nil || m.IsEmpty() && len(settings) == 0 {
		return nil, err
	}
	if err := o.chooseMarked(m, args); err != nil {
		return nil, err
	}
	s := resolved.Nothing()
	if s.Written, s.Removed, err = applyMarked(a, cmd, m); err != nil {
		return nil, err
	}
	s.Operation, s.Done, s.Left = "markers", true, m.Left()
	s.Written += len(settings)
	for _, u := range m.Unread {
		s.Unread, s.Why = append(s.Unread, u.File), append(s.Why, u.String())
	}
	if len(s.Left)+len(s.Unread) == 0 {
		s.Next = nextMarked(root, s.Removed > 0)
	}
	return &s, nil
}

// openMarked reads the files with markers, of which the findings of the world tell.
func openMarked(a *cli.App, cmd *cobra.Command) (m *marked.Files, err error) {
	return m, a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		st, err := w.Status()
		if err != nil {
			return err
		}
		texts := w.Text
		if w.IsMounted() || dir.WantsPlain() {
			texts = nil // they are in files
		}
		m, err = marked.Open(dir, st.Findings, texts)
		return err
	})
}

// applyMarked writes what was settled, the declarations first, and returns how many files, or
// texts of entities without files, were written and removed.
func applyMarked(a *cli.App, cmd *cobra.Command, m *marked.Files) (written, removed int, err error) {
	written, removed, err = m.Apply()
	texts := m.Replacements()
	if err != nil || len(texts) == 0 {
		return written, removed, err
	}
	for _, t := range texts {
		if t.Text == nil {
			removed++
		} else {
			written++
		}
	}
	return written, removed, a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error { return w.Replace(texts, cmd.Name()) })
}

// chooseMarked chooses as the flags and arguments say.
func (o *resolveOptions) chooseMarked(m *marked.Files, args []string) error {
	switch {
	case o.take != "":
		return o.takeMarked(m, args)
	case o.set != "":
		return o.setMarked(m, args)
	}
	return nil
}

func (o *resolveOptions) takeMarked(m *marked.Files, args []string) error {
	side, err := resolve.ParseSide(o.take)
	if err != nil {
		return cli.Usagef("--take: %v", err)
	}
	where, err := cli.CompileWhere(o.where)
	if err != nil {
		return err
	}
	n, err := m.Take(side, resolve.Selection{Names: args, Fields: o.fields, Where: where.Has})
	switch {
	case errors.Is(err, marked.ErrNoBase):
		return cli.Usagef("--take base: %v", err)
	case err == nil && n == 0 && len(m.Left())+len(args)+len(o.fields) > 0:
		return notMarked{cli.Usagef("no conflict is marked%s (worldfs resolve lists all)", about(append(args, o.fields...)))}
	}
	return err
}

func (o *resolveOptions) setMarked(m *marked.Files, args []string) error {
	id, err := entity.ParseID(o.set)
	if err != nil {
		return cli.Usagef("--set: %v", err)
	}
	assignments, err := cli.ParseAssignments(args)
	if err != nil {
		return err
	}
	var fields []string
	for _, as := range assignments {
		field, _, _ := strings.Cut(as.Path, ".")
		field, _, _ = strings.Cut(field, "[")
		if !m.IsLeft(id, field) {
			return notMarked{cli.Usagef("no conflict is marked about %s of %d (worldfs set --where 'id == %d' changes what is in no conflict)", field, id, id)}
		}
		fields = append(fields, field)
	}
	e := m.Entity(id)
	world := entity.NewWorld(entity.GUID{}, entity.NewTypes(e.Layout.Type))
	world.Put(e)
	if e, err = cli.NewAssigning(world, assignments).Assigned(e); err != nil {
		return cli.Usagef("%v", err)
	}
	for _, field := range fields {
		m.Set(e, field)
	}
	return nil
}

// nextMarked returns the command that commits what was settled, "" where there is none. svn
// commits no removal that it was not told of.
func nextMarked(root string, removed bool) string {
	switch used, svn := vcssync.Uses(root); {
	case svn && removed:
		return "worldfs vcs sync; svn commit"
	case svn:
		return "svn commit"
	case used:
		return "git commit -a"
	}
	return ""
}

// reportMarked reports what settleMarked returned.
func (o *resolveOptions) reportMarked(a *cli.App, cmd *cobra.Command, s *resolved.Summary, err error) error {
	if err != nil {
		return err
	}
	lost, err := mergecost.Find(a, cmd, nil)
	if err != nil {
		return err
	}
	if err := o.print(cmd.OutOrStdout(), *s, lost); err != nil {
		return err
	}
	switch {
	case len(s.Left) > 0:
		return cli.Problemsf("%s marked, of a merge that is over: worldfs resolve --take mine|shared [ID], or --set ID FIELD=VALUE, or edit the files", cli.Counted(len(s.Left), "conflict is", "conflicts are"))
	case len(s.Unread) > 0:
		return cli.Problemsf("%s with conflict markers", cli.Counted(len(s.Unread), "file is left as it is", "files are left as they are"))
	}
	return nil
}

// withBesides adds to a summary the conflicts that are marked in the files and that are none of
// what was merged: a commit would take their markers along.
func withBesides(r *resolve.Resolution, s resolved.Summary) (resolved.Summary, error) {
	findings := r.Markers()
	if len(findings) == 0 {
		return s, nil
	}
	root, err := worlddir.FindRoot(".")
	if err != nil {
		return s, err
	}
	dir, err := worlddir.Open(root)
	if err != nil {
		return s, err
	}
	m, err := marked.Open(dir, findings, nil)
	if err != nil {
		return s, err
	}
	for _, l := range m.Left() {
		if r.IsBesides(l) {
			s.Besides, s.Next = append(s.Besides, l), ""
		}
	}
	return s, nil
}

// selecting returns the arguments by which resolve --take is about one conflict alone.
func selecting(l leftconflict.Conflict) string {
	switch {
	case l.ID == 0:
		return l.Type
	case l.Field == "":
		return l.ID.String()
	}
	return fmt.Sprintf("%s --field %s", l.ID, l.Field)
}
