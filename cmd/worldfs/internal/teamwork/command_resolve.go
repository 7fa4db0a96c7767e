package teamwork

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mergecost"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/asking"
	"github.com/worldfs/worldfs/internal/worldtree/gitsetup"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/resolved"
	"github.com/worldfs/worldfs/internal/worldtree/resolvelock"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

type resolveOptions struct {
	take             string
	set              string
	ask              bool
	restore, dismiss bool
	fields           []string
	where            string
	json             bool
}

func newResolveCommand(a *cli.App) *cobra.Command {
	var o resolveOptions
	cmd := &cobra.Command{
		Use:   "resolve [--take SIDE [ID | TYPE]… | --set ID FIELD=VALUE… | -i | --restore-lost | --dismiss-lost]",
		Short: "Merge as a world what git or svn has merged file by file",
		Long: `resolve finishes what git has begun, or has just done: a merge, rebase,
cherry-pick, revert or stash pop; and an svn update, switch or merge that met
conflicts, or an update after which refs dangle or go in a circle. It reads both
sides and what they have in common from git or svn, merges them property by
property, and has the files, and git's index or what svn is to commit, follow.
What you have edited since stands. It never commits; the last line says which
command goes on. Running it again changes nothing more.

What both sides set to two values is left to you, and listed with both: yours,
the person's own edit in every operation, and the shared one. --take mine,
shared or base settles what is named: entities by ID, all of a type, those of
which --where holds, or everything; with --field, only those fields. --set gives
a value of your own, which may be an expression; -i asks about one conflict at a
time. Or edit the file, take the markers out, and run resolve again. Where a
type says yields, a program's bulk change gives way to a person's, and is
listed.

Markers that were committed are settled likewise: of a merge to which something
was added since, a picked commit or a stash, by what stands between them. So are
those that a game's save or worldfs apply has left meanwhile: they are listed
besides.

Where a side's edit that was in no conflict is missing in what came of a merge
or a rebase, since the other side's whole file was taken, resolve and status say
so for 14 days; so they do of what lost by the policy of world.toml. With svn
they say it of conflicts that worldfs has seen: status, resolve, a mount, or
svn update after worldfs vcs install.
--restore-lost brings it back, --dismiss-lost has it be.` + cli.ExitStatus("conflicts are left, or a file does not parse"),
		Example: "  git merge feature; worldfs resolve\n" +
			"  svn update --accept postpone; worldfs resolve\n" +
			"  worldfs resolve --take mine 6555 --field position\n" +
			"  worldfs resolve --take shared Lamp\n" +
			"  worldfs resolve --set 6555 'position=[48, 108.5, 8.7]'\n" +
			"  worldfs resolve --take shared",
		Args: cli.Takes(0, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.take, "take", "", "settle conflicts for a `SIDE`: mine, shared or base")
	flags.StringVar(&o.set, "set", "", "settle conflicts about the entity of this `ID` with values of your own: FIELD=VALUE…")
	flags.BoolVarP(&o.ask, "interactive", "i", false, "ask about one conflict after the other")
	flags.BoolVar(&o.restore, "restore-lost", false, "bring back what merges of the last 14 days have cost: all of it, or of what is named")
	flags.BoolVar(&o.dismiss, "dismiss-lost", false, "have that be, so that it is not told any more")
	flags.StringSliceVar(&o.fields, "field", nil, "with --take, only conflicts about these `FIELDS`")
	flags.StringVar(&o.where, "where", "", "with --take, only conflicts about entities of which `EXPR` holds")
	flags.BoolVar(&o.json, "json", false, "print what was done and what is left as JSON")
	return cmd
}

func (o *resolveOptions) run(a *cli.App, cmd *cobra.Command, args []string) error {
	if err := o.check(cmd, args); err != nil {
		return err
	}
	root, err := worlddir.FindRoot(".")
	if err != nil {
		return err
	}
	_, _ = a.Find(cmd) // which finishes a pull that was interrupted; world.toml itself may be in conflict
	if o.restore || o.dismiss {
		return settleLost(a, cmd, root, o.restore, args)
	}
	var choices []resolve.Choice
	if o.ask {
		if choices, err = o.asked(a, cmd, root); err != nil {
			return o.without(a, cmd, root, args, err)
		}
	}
	r, done, err := o.resolve(a, cmd, root, choices, args)
	if err != nil {
		return o.without(a, cmd, root, args, err)
	}
	if r.Operation.Done && done == (resolve.Done{}) && len(r.Left)+len(r.Unread) == 0 { // what was marked before may be so still
		if s, err := o.settleMarked(a, cmd, root, nil); s != nil || err != nil {
			return o.reportMarked(a, cmd, s, err)
		}
	}
	if len(r.Merged.Renumbered) > 0 && r.Operation.ID == "" { // svn's have one
		remarkNoDriver(a.Noter(cmd), root)
	}
	return o.report(a, cmd, r, done)
}

// remarkNoDriver says where git does not leave to resolve what commits of before a merge do
// to an entity that got another ID there.
func remarkNoDriver(note func(string), root string) {
	setup, err := gitsetup.Open(root)
	if err != nil {
		return // the clone cannot be asked, and status says so
	}
	if lacks, err := setup.Lacks(); err == nil && len(lacks) > 0 {
		note("this clone has no merge driver of worldfs's: git takes a stash, a picked commit or the next of a rebase by itself into the entity that kept an ID, though it may be about the one with the new ID; run worldfs vcs install first, and worldfs resolve sorts that out")
	}
}

// asked returns the choices of a person who is asked. Another process may resolve meanwhile.
func (o *resolveOptions) asked(a *cli.App, cmd *cobra.Command, root string) ([]resolve.Choice, error) {
	unlock, err := resolvelock.Lock(root, a.Noter(cmd))
	if err != nil {
		return nil, err
	}
	r, err := resolve.Open(root, o.opening(a, cmd))
	unlock()
	if err != nil {
		return nil, err
	}
	asker := asking.Asker{Resolution: r, In: cmd.InOrStdin().(*os.File), Out: cmd.OutOrStdout(), Value: func(c merge.Conflict, typed string) (choice resolve.Choice, err error) {
		choices, err := choicesOfValues(r, c.ID, []string{c.Field + "=" + typed})
		if err != nil {
			return choice, err
		}
		return choices[0], nil
	}}
	return asker.Ask()
}

func (o *resolveOptions) opening(a *cli.App, cmd *cobra.Command) resolve.Options {
	return resolve.Options{Note: a.Noter(cmd), Keep: daemon.Keep}
}

// resolve resolves with the choices of a person who was asked, or those of flags and arguments.
func (o *resolveOptions) resolve(a *cli.App, cmd *cobra.Command, root string, choices []resolve.Choice, args []string) (r *resolve.Resolution, done resolve.Done, err error) {
	unlock, err := resolvelock.Lock(root, a.Noter(cmd))
	if err != nil {
		return nil, done, err
	}
	defer unlock()
	if o.take != "" || o.set != "" || len(choices) > 0 {
		takeInMarked(a, cmd)
	}
	if r, err = resolve.Open(root, o.opening(a, cmd)); err != nil {
		return nil, done, err
	}
	if !o.ask {
		if choices, err = o.choices(r, args); err != nil {
			return o.unasked(r, len(args) == 0, err)
		}
	}
	if len(choices) > 0 {
		if err := r.Choose(choices); err != nil {
			return nil, done, err
		}
	}
	if done, err = r.Apply(); err == nil {
		err = tellMoved()
	}
	return r, done, err
}

// takeInMarked has the world know what is marked in its files before it is settled, so that
// undo brings that back and not what was before the merge. Where it cannot be taken in now, it
// is with the settled files, and undo leaves both as they are.
func takeInMarked(a *cli.App, cmd *cobra.Command) {
	dir, err := a.Find(cmd)
	if err != nil {
		return
	}
	w, err := daemon.Open(dir, func(string) {})
	if err != nil {
		return
	}
	_ = w.Sync()
	_ = w.Close()
}

// unasked resolves what a call names of which no conflict is left, in an operation that is
// not over: what git marks in a file may need no choice. why is returned where nothing was to be
// done, unless the call is about all: then it tells of files that are left as they are.
func (o *resolveOptions) unasked(r *resolve.Resolution, ofAll bool, why error) (*resolve.Resolution, resolve.Done, error) {
	var none noConflict
	if !errors.As(why, &none) || r.Operation.Done || len(r.Left) > 0 {
		return nil, resolve.Done{}, why
	}
	done, err := r.Apply()
	if err == nil && done == (resolve.Done{}) && !(ofAll && len(r.Unread) > 0) {
		err = why
	}
	return r, done, err
}

// nothing reports that there is nothing to resolve.
func (o *resolveOptions) nothing(a *cli.App, cmd *cobra.Command, why error) error {
	lost, err := mergecost.Find(a, cmd, nil)
	if err != nil {
		return err
	}
	if o.json {
		return o.print(cmd.OutOrStdout(), resolved.Nothing(), lost)
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), why); err != nil {
		return err
	}
	if err := mergecost.Print(cmd.OutOrStdout(), lost); err != nil {
		return err
	}
	return printUnsettled(a, cmd)
}

// printUnsettled lists what does not fit together in a world that svn has. An update that
// met no conflict leaves no trace in svn, so there is nothing that could be merged.
func printUnsettled(a *cli.App, cmd *cobra.Command) error {
	return a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		if _, svn := vcssync.Uses(dir.Root); !svn {
			return nil
		}
		st, err := w.Status()
		if err != nil {
			return err
		}
		unsettled := slices.DeleteFunc(st.Findings, func(f entity.Finding) bool {
			return f.Code != entity.CodeRefDangling && f.Code != entity.CodeRefCycle && f.Code != entity.CodeNotUnique
		})
		if len(unsettled) == 0 {
			return nil
		}
		out := cmd.OutOrStdout()
		fmt.Fprintln(out, "but this does not fit together, as edits in different files can bring it about:")
		for _, f := range unsettled[:min(len(unsettled), maxBrought)] {
			fmt.Fprintf(out, "  %s\n", f)
		}
		_, err = fmt.Fprintln(out, "worldfs undo ID brings back what an update deleted; worldfs status lists all")
		return err
	})
}

// check refuses flags that do not go together.
func (o *resolveOptions) check(cmd *cobra.Command, args []string) error {
	ways := 0
	for _, set := range []bool{o.take != "", o.set != "", o.ask, o.restore, o.dismiss} {
		if set {
			ways++
		}
	}
	switch {
	case ways > 1:
		return cli.Usagef("--take, --set, -i, --restore-lost and --dismiss-lost each do one thing: name one")
	case o.take == "" && (len(o.fields) > 0 || o.where != "" || len(args) > 0 && o.set == "" && !o.restore && !o.dismiss):
		return cli.Usagef("say with --take whose values stand: mine, shared or base")
	case o.set != "" && len(args) == 0:
		return cli.Usagef("--set %s: say which value, as in worldfs resolve --set %s 'position=[1, 2, 3]'", o.set, o.set)
	case o.ask && !asking.IsTerminal(cmd.InOrStdin()):
		return cli.Usagef("-i asks on a terminal, and the standard input is none: worldfs resolve --take mine|shared|base")
	}
	return nil
}

// choices returns what the flags and arguments choose.
func (o *resolveOptions) choices(r *resolve.Resolution, args []string) ([]resolve.Choice, error) {
	switch {
	case o.take != "":
		return o.taken(r, args)
	case o.set != "":
		return o.assigned(r, args)
	}
	return nil, nil
}

// taken returns the choices of a side.
func (o *resolveOptions) taken(r *resolve.Resolution, args []string) ([]resolve.Choice, error) {
	side, err := resolve.ParseSide(o.take)
	if err != nil {
		return nil, cli.Usagef("--take: %v", err)
	}
	where, err := cli.CompileWhere(o.where)
	if err != nil {
		return nil, err
	}
	choices, err := r.Choices(side, resolve.Selection{Names: args, Fields: o.fields, Where: where.Has})
	if errors.Is(err, resolve.ErrNoBase) {
		return nil, cli.Usagef("--take base: %v", err)
	}
	if err != nil {
		return nil, err
	}
	if len(choices) == 0 {
		return nil, noConflict{cli.Usagef("no conflict is left%s%s", about(slices.Concat(args, o.fields)), instead(r, side))}
	}
	return choices, nil
}

// about says what was named.
func about(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " about " + strings.Join(names, ", ")
}

// instead says what there is that a side can be taken of.
func instead(r *resolve.Resolution, side resolve.Side) string {
	const most = 5
	subjects := make([]string, 0, most)
	for _, c := range r.Left[:min(len(r.Left), most)] {
		subjects = append(subjects, c.Subject())
	}
	if len(r.Left) > 0 {
		return fmt.Sprintf("; of those that are, the first are about %s (worldfs resolve lists all)", strings.Join(subjects, ", "))
	}
	for _, c := range r.Chosen()[:min(len(r.Chosen()), most)] {
		subjects = append(subjects, c.Subject())
	}
	if len(subjects) > 0 {
		return fmt.Sprintf("; as you chose before stand: %s (worldfs resolve --take %s ID changes one)", strings.Join(subjects, ", "), side)
	}
	return ""
}

// assigned returns the choices of values of the person's own.
func (o *resolveOptions) assigned(r *resolve.Resolution, args []string) (choices []resolve.Choice, err error) {
	id, err := entity.ParseID(o.set)
	if err != nil {
		return nil, cli.Usagef("--set: %v", err)
	}
	return choicesOfValues(r, id, args)
}

// choicesOfValues returns the choices of what assignments give the fields of conflicts
// about an entity. They are calculated of the entity as it is merged.
func choicesOfValues(r *resolve.Resolution, id entity.ID, args []string) (choices []resolve.Choice, err error) {
	assignments, err := cli.ParseAssignments(args)
	if err != nil {
		return nil, err
	}
	about := make(map[string]merge.Conflict)
	for _, as := range assignments {
		c, err := conflictAbout(r, id, as.Path)
		if err != nil {
			return nil, err
		}
		about[c.Field] = c
	}
	e, ok := r.Merged.Get(id)
	if !ok {
		return nil, cli.Usagef("the merged world has no entity %d", id)
	}
	if e, err = cli.NewAssigning(r.Merged, assignments).Assigned(e); err != nil {
		return nil, cli.Usagef("%v", err)
	}
	for _, c := range about {
		choices = append(choices, resolve.ValueOf(c, e))
	}
	return choices, nil
}

// conflictAbout returns the conflict that is left about the field that a path leads into.
func conflictAbout(r *resolve.Resolution, id entity.ID, path string) (merge.Conflict, error) {
	for _, c := range r.Left {
		rest, ok := strings.CutPrefix(path, c.Field)
		if c.ID == id && c.Field != "" && ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return c, nil
		}
	}
	return merge.Conflict{}, noConflict{cli.Usagef("no conflict is left about %s of %d (worldfs set --where 'id == %d' changes what is in no conflict)", path, id, id)}
}

func (o *resolveOptions) report(a *cli.App, cmd *cobra.Command, r *resolve.Resolution, done resolve.Done) error {
	summary, err := withBesides(r, r.Summary(done))
	if err != nil {
		return err
	}
	lost, err := mergecost.Find(a, cmd, r.Lost)
	if err != nil {
		return err
	}
	if err := o.print(cmd.OutOrStdout(), summary, lost); err != nil {
		return err
	}
	switch n := len(summary.Left); {
	case n > 0:
		return cli.Problemsf("%s left: worldfs resolve -i, or --take mine|shared|base [ID], or edit the files and run worldfs resolve again", cli.Counted(n, "conflict is", "conflicts are"))
	case len(summary.Unread) > 0:
		return cli.Problemsf("%s: mend what is named and run worldfs resolve again, or have worldfs resolve --take mine|shared|base ID write it anew from both sides", cli.Counted(len(summary.Unread), "file is left as it is", "files are left as they are"))
	case len(summary.Besides) > 0:
		l := summary.Besides[0]
		return cli.Problemsf("%s marked besides, which would be committed with the markers: worldfs resolve --take mine|shared %s, or edit the files, then run worldfs resolve again", cli.Counted(len(summary.Besides), "conflict is", "conflicts are"), selecting(l))
	}
	return nil
}

func (o *resolveOptions) print(out io.Writer, summary resolved.Summary, lost []*resolve.Lost) error {
	if o.json {
		entries, err := mergecost.Entries(lost)
		if err != nil {
			return err
		}
		return cli.PrintJSON(out, struct {
			resolved.Summary
			Lost []mergecost.Entry `json:"lost"`
		}{summary, entries})
	}
	if err := mergecost.Print(out, lost); err != nil {
		return err
	}
	_, err := summary.WriteTo(out)
	return err
}
