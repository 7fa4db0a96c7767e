package changes

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/settling"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type restoreOptions struct {
	at   string
	list bool
	json bool
}

func newRestoreCommand(a *cli.App) *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore [HASH | --at TIME | --list]",
		Short: "Mend a damaged pack or state, or bring the world back to an earlier one",
		Long: `restore without arguments mends what is damaged. A world.pack is mended from
the packs that are kept in .worldfs/packs, else from the plain files; the
damaged one is put aside there. A state.db, which has the edits that no pack has
yet, or its log, state.wal, is made anew of all that is whole in both, and what
is lost there of what the history was told. The damaged ones stay beside it;
what is lost, or may be, is listed.

With the beginning of a kept pack's HASH, or with --at, it makes the world what
it was in that pack, or in the newest from that TIME or before. That is a change
like any other: the state before it is kept too, and restoring that takes it
back. What is no value of its field any more, as types/ declares it now, is told
and kept as lines of the text. TIME is a date and time, a time of the last 24
hours, or how long ago, such as 2h30m or 2d.

Kept are the newest packs, those that an engine has loaded or saved, and of the
others fewer the older they are, for 14 days. One that lacks most of what the
world has now is restored only with --allow-loss.` + cli.ExitStatus(cli.StatusOfLoss),
		Example: "  worldfs restore\n  worldfs restore --list\n  worldfs restore 9ebe7e5c\n  worldfs restore --at '2024-05-01 17:30'",
		Args:    cli.Takes(0, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	cmd.Flags().StringVar(&o.at, "at", "", "the newest kept pack from `TIME` or before")
	cmd.Flags().BoolVar(&o.list, "list", false, "list the kept packs")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the answer as JSON")
	cli.AddAllowLoss(cmd)
	return cmd
}

func (o *restoreOptions) run(a *cli.App, cmd *cobra.Command, args []string) error {
	target, wanted, err := o.target(args, time.Now())
	if err != nil {
		return err
	}
	if o.list {
		return a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error { return o.printKept(cmd, w) })
	}
	mended, err := o.mend(a, cmd)
	if err != nil {
		return err
	}
	if wanted {
		return o.restore(a, cmd, target)
	}
	if o.json {
		return cli.PrintJSON(cmd.OutOrStdout(), mended)
	}
	if mended.Damage != "" || mended.State.Damage != "" {
		return nil
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), "world.pack and the state are whole; there is nothing to mend"); err != nil {
		return err
	}
	return a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error { return o.checkLoss(w) })
}

// checkLoss returns an error where most entities are gone: a caller that means to have
// them back is told how.
func (o *restoreOptions) checkLoss(w *daemon.World) error {
	st, err := w.Status()
	for _, f := range st.Findings {
		if f.Code == entity.CodeGreatLoss {
			err = &daemon.Failure{Message: f.Message, Exit: daemon.ExitProblems}
		}
	}
	return err
}

// target returns the pack that is named, if one is.
func (o *restoreOptions) target(args []string, now time.Time) (t cache.Target, wanted bool, err error) {
	named := len(args)
	if o.at != "" {
		named++
	}
	if o.list {
		named++
	}
	if named > 1 {
		return t, false, cli.Usagef("give a hash, --at or --list, not more than one of them")
	}
	if o.at != "" {
		t.At, err = parseTime("--at", o.at, now)
		t.At = endOfSecond(t.At)
		return t, true, err
	}
	if len(args) == 0 {
		return t, false, nil
	}
	const fewest = 4
	if len(args[0]) < fewest {
		return t, false, cli.Usagef("%q is too short: give at least %d digits of the hash", args[0], fewest)
	}
	t.Hash = args[0]
	return t, true, nil
}

// endOfSecond returns the last moment of a time that is given to the second, as
// the list gives those of the packs: the pack listed with that time is meant, too.
func endOfSecond(t time.Time) time.Time {
	if t.Nanosecond() != 0 {
		return t
	}
	return t.Add(time.Second - time.Nanosecond)
}

// mend mends the pack where it is damaged, and says what it did.
func (o *restoreOptions) mend(a *cli.App, cmd *cobra.Command) (mend.Mended, error) {
	dir, err := a.Find(cmd)
	if err != nil {
		return mend.Mended{}, err
	}
	mended, err := daemon.Mend(dir, a.Noter(cmd))
	if err != nil || mended.Damage == "" && mended.State.Damage == "" {
		return mended, err
	}
	// Opening the world takes in what the plain files have.
	if err := a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) error { return w.Sync() }); err != nil {
		return mended, err
	}
	if o.json {
		return mended, nil
	}
	if err := printMendedState(cmd.OutOrStdout(), mended.State); err != nil || mended.Damage == "" {
		return mended, err
	}
	from := "made anew from the plain files"
	switch {
	case mended.Last:
		from = "brought back: " + mended.From.At.Local().Format(time.DateTime) + ", the last that was published"
	case mended.From.Hash != "":
		from = "brought back: that of " + mended.From.At.Local().Format(time.DateTime) +
			" and what the plain files have beyond it"
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\nThe pack was %s. What lay there is %s\n", mended.Damage, from, mended.Aside)
	return mended, err
}

// printMendedState says what became of a damaged state.
func printMendedState(w io.Writer, m state.Mended) error {
	if m.Damage == "" {
		return nil
	}
	what, _, _ := strings.Cut(m.Damage, "; nothing was changed") // it was, by now
	fmt.Fprintf(w, "%s\nThe state was made anew: what was noted of %s is whole.\n", what, cli.Counted(m.Records, "entity", "entities"))
	for _, path := range m.Aside {
		fmt.Fprintf(w, "The damaged file is %s\n", path)
	}
	if len(m.Lost)+len(m.Unnamed)+len(m.Salvaged) == 0 {
		_, err := fmt.Fprintln(w, "Nothing is lost.")
		return err
	}
	for _, s := range m.Salvaged {
		fmt.Fprintf(w, "salvaged: entity %d is as the history has it, of %s; an edit after that is lost\n", s.ID, s.At.Local().Format(time.DateTime))
	}
	for _, text := range m.Unnamed {
		fmt.Fprintf(w, "lost: %s\n", text)
	}
	for _, id := range m.Lost {
		fmt.Fprintf(w, "lost: the last edit of entity %d may be; it is as an older note or the pack has it (worldfs history %d)\n", id, id)
	}
	return nil
}

func (o *restoreOptions) restore(a *cli.App, cmd *cobra.Command, target cache.Target) error {
	var r cache.Restored
	undeclared := 0
	err := a.Use(cmd, func(dir *worlddir.Dir, w *daemon.World) error {
		err := settling.Around(dir, w, a.Noter(cmd), func() (err error) {
			r, err = w.Restore(target)
			return err
		})
		if err != nil {
			return err
		}
		st, err := w.Status()
		for _, f := range st.Findings {
			if f.Code == entity.CodeTypeUnknown {
				undeclared++
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if o.json {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "restored the pack of %s, %.12s\n", r.At.Local().Format(time.DateTime), r.Hash)
	if undeclared > 0 {
		a.Noter(cmd)(cli.Counted(undeclared, "entity is of a type that types/ does not declare, and is kept as text",
			"entities are of types that types/ does not declare, and are kept as text") + "; worldfs status names them")
	}
	return cli.PrintReport(cmd, false, r.Report)
}

func (o *restoreOptions) printKept(cmd *cobra.Command, w *daemon.World) error {
	packs, err := w.Kept()
	if err != nil {
		return err
	}
	if o.json {
		if packs == nil {
			packs = []packstore.Kept{}
		}
		return cli.PrintJSON(cmd.OutOrStdout(), packs)
	}
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, k := range packs {
		how := "published"
		if k.Saved {
			how = "saved by another program"
		}
		fmt.Fprintf(t, "%.12s\t%s\t%s\t%s\n", k.Hash, k.At.Local().Format(time.DateTime), cli.BytesOf(int(k.Size)), how)
	}
	return t.Flush()
}
