package changes

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/changelog"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/asking"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

// takeBack is what undo and redo have in common.
type takeBack struct {
	request changelog.Request
	yes     bool
	json    bool
}

func (o *takeBack) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.request.DryRun, "dry-run", "n", false, "only say what would be done")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what was done as JSON")
}

// do says what is to be done, asks on a terminal, and does it.
func (o *takeBack) do(a *cli.App, cmd *cobra.Command) error {
	ask := !o.yes && !o.request.DryRun
	if ask {
		planned := *o
		planned.request.DryRun = true
		plan, err := planned.call(a, cmd)
		if err != nil {
			return err
		}
		if done, err := o.agree(cmd, plan); done || err != nil {
			return err
		}
		if len(o.request.IDs) == 0 && o.request.Since.IsZero() && !o.request.Redo && len(plan.Sets) == 1 {
			o.request.Set = plan.Sets[0].Set // what was agreed to, whatever has happened since
		}
	}
	answer, err := o.call(a, cmd)
	if err != nil {
		return err
	}
	return o.print(cmd, answer)
}

func (o *takeBack) call(a *cli.App, cmd *cobra.Command) (answer changelog.Answer, err error) {
	err = a.Use(cmd, func(_ *worlddir.Dir, w *daemon.World) (err error) {
		answer, err = w.TakeBack(o.request)
		return err
	})
	return answer, err
}

// agree has the user agree to a plan; done says that nothing is to be done.
func (o *takeBack) agree(cmd *cobra.Command, plan changelog.Answer) (done bool, err error) {
	ids := make(map[entity.ID]bool)
	for _, e := range plan.Changes {
		ids[e.ID] = true
	}
	switch {
	case len(ids) == 0:
		return false, nil // the call finds what has come since, or says the same
	case asking.IsTerminal(cmd.InOrStdin()) && !o.json:
		fmt.Fprint(cmd.ErrOrStderr(), o.planText(plan), "Go on? [y/N] ")
		line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		if answer := strings.ToLower(strings.TrimSpace(line)); answer == "y" || answer == "yes" {
			return false, nil
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "nothing is changed")
		if err == io.EOF {
			err = nil
		}
		return true, err
	case len(ids) > 1:
		return true, cli.Usagef("this changes %d entities: --dry-run lists them, --yes does it", len(ids))
	}
	return false, nil
}

// verb is what the command does.
func (o *takeBack) verb() string {
	if o.request.Redo {
		return "redo"
	}
	return "undo"
}

// planText says what would be done.
func (o *takeBack) planText(plan changelog.Answer) string {
	var b strings.Builder
	for _, s := range plan.Sets {
		fmt.Fprintf(&b, "%s: %s", o.verb(), setLine(s))
	}
	for _, e := range plan.Changes {
		b.WriteString(changeText(e))
	}
	return b.String()
}

// changeText returns what becomes of an entity.
func changeText(e events.Event) string {
	text := cli.NamedEventText(e)
	_, rest, _ := strings.Cut(text, "  ") // without the time: it is to come
	return "  " + rest
}

func (o *takeBack) print(cmd *cobra.Command, a changelog.Answer) error {
	if o.json {
		if err := cli.PrintJSON(cmd.OutOrStdout(), a); err != nil {
			return err
		}
	} else if _, err := io.WriteString(cmd.OutOrStdout(), o.text(a)); err != nil {
		return err
	}
	for _, e := range a.Unnamed {
		fmt.Fprintf(cmd.ErrOrStderr(), "not %s, since it was not named: %s", o.done(), changeText(e))
	}
	return stands(cmd, a.Report, len(a.Unnamed))
}

func (o *takeBack) done() string {
	if o.request.Redo {
		return "made again"
	}
	return "undone"
}

func (o *takeBack) text(a changelog.Answer) string {
	switch {
	case len(a.Changes) == 0 && len(a.Unnamed) > 0, isOfNoEffect(a.Report):
		return "nothing was " + o.done() + "\n"
	case len(a.Changes) == 0:
		return nothingDone(a.Report)
	case o.request.DryRun:
		return o.planText(a)
	case o.request.Redo && len(a.Changes) == 1 && len(a.Sets) <= 1:
		return o.done() + ": " + o.eventText(a.Changes[0]) // what was undone is an undo's change
	case len(a.Changes) == 1 && a.Undone != nil && len(a.Sets) <= 1:
		return o.done() + ": " + o.eventText(*a.Undone)
	}
	var b strings.Builder
	for _, s := range a.Sets {
		fmt.Fprintf(&b, "%s: %s", o.done(), setLine(s))
	}
	for _, e := range a.Changes {
		b.WriteString(changeText(e))
	}
	return b.String()
}

// eventText returns what was done to one entity, which it names unless the user has.
func (o *takeBack) eventText(e events.Event) string {
	if len(o.request.IDs) == 1 {
		return cli.EventText(e)
	}
	return cli.NamedEventText(e)
}

func nothingDone(r cache.Report) string {
	switch {
	case len(r.Conflicts) > 0 && r.Left() == len(r.Conflicts):
		return "nothing was undone: what is in conflict is kept\n"
	case len(r.Conflicts) > 0:
		return "nothing was undone: what was changed since is kept\n"
	case isOfNoEffect(r):
		return "nothing was undone\n"
	}
	return "nothing changed: that is undone already\n"
}

// isOfNoEffect reports whether all that was to be changed are poses that are derived.
func isOfNoEffect(r cache.Report) bool {
	return len(r.Derived) > 0 && r.Created+r.Changed+r.Deleted == 0
}

// stands says what was changed since, what was not named, and which poses follow from what
// their entities are mounted on, if any.
func stands(cmd *cobra.Command, r cache.Report, unnamed int) error {
	for _, c := range r.Conflicts {
		fmt.Fprintln(cmd.ErrOrStderr(), c.Words)
	}
	since, disputed, twice := countStanding(r.Conflicts)
	if since > 0 {
		return cli.Problemsf("%s: undo the later change first, or worldfs undo ID --at TIME (worldfs history ID lists them)", cli.Counted(since, "property was changed since, and stands", "properties were changed since, and stand"))
	}
	if disputed > 0 {
		return cli.Problemsf("%s with both sides: worldfs resolve -i, or --take mine|shared [ID]", cli.Counted(disputed, "property is in conflict, and stands", "properties are in conflict, and stand"))
	}
	if twice > 0 {
		return cli.Problemsf("%s twice: give one of them another with worldfs set", cli.Counted(twice, "property has a value that no two entities may have, and stands", "properties have values that no two entities may have, and stand"))
	}
	if unnamed > 0 {
		return cli.Problemsf("what was created goes, and what was deleted comes back, only by its ID: worldfs %s ID; worldfs undo --set NUMBER takes back an earlier change set (worldfs history)", cmd.Name())
	}
	return cli.NoEffect(cmd, r.NoEffect())
}

// countStanding counts what was changed since, what is in conflict in the text, and the unique
// values that two entities would have: of these either side is one too many.
func countStanding(conflicts []cache.Conflict) (since, disputed, twice int) {
	for _, c := range conflicts {
		switch {
		case !c.Left:
			since++
		case c.Kind == merge.NotUnique:
			twice++
		default:
			disputed++
		}
	}
	return since, disputed, twice
}

// setLine returns a change set as a line.
func setLine(s changelog.Summary) string {
	var what []string
	for _, n := range []struct {
		n    int
		word string
	}{{s.Created, "created"}, {s.Changed, "changed"}, {s.Deleted, "deleted"}, {s.Broken, "broken"}} {
		if n.n > 0 {
			what = append(what, fmt.Sprintf("%d %s", n.n, n.word))
		}
	}
	line := fmt.Sprintf("%d  %s  %s", s.Set, s.Time.Local().Format(time.DateTime), s.How())
	if s.Who != "" {
		line += " by " + s.Who
	}
	if len(what) > 0 {
		line += "  " + strings.Join(what, ", ")
	}
	if s.Note != "" {
		line += "  (" + s.Note + ")"
	}
	if s.Undone {
		line += "  undone"
	}
	return line + "\n"
}
