package teamwork

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/conflictfile"
	"github.com/worldfs/worldfs/internal/compare/jsonmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

type mergeOptions struct {
	out       string
	policy    string
	prefer    string
	jsonFiles bool
	rules     string
	sjson     bool
	json      bool
}

func newMergeCommand(a *cli.App) *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge BASE OURS THEIRS -o OUT",
		Short: "Merge two worlds that were made of one, property by property",
		Long: `merge brings together what two people made of one world. What only one of them
changed is in the result. The same property changed to two values, or a deletion
against a change, is a conflict: --policy says which side stands. With "leave"
ours stands, and in a directory of texts the conflict is marked around that one
property, in entities/ and in types/. Beside a .pack or .jsonl what is left is
kept in OUT.conflicts, which worldfs apply reads. Ours is called yours there and
in what is printed, and theirs shared, as --policy does. Where a type says
yields, a program's bulk change gives way to a person's.

` + cli.WorldNames + `
With --json-files the three and OUT are JSON documents of any content: objects
merge by key, arrays of objects by their ID, other arrays as sequences; a
vector, quaternion or colour is one value. --rules names a file that says for
paths what is an ID, a set, a list, a grid or one value (docs/json-merge.md).
Comments and commas behind last items are kept. SJSON, the simplified JSON of
Bitsquid and Stingray, is known by a name in .sjson, by its first tokens, or by
--sjson. Conflicts are left unless --prefer is given.` +
			cli.ExitStatus("conflicts are left"),
		Example: "  worldfs merge git:origin/main~5 . git:origin/main -o merged.pack\n" +
			"  worldfs merge base.jsonl ours.jsonl theirs.jsonl -o merged.jsonl --policy shared\n" +
			"  worldfs merge --json-files base.json ours.json theirs.json -o level.json\n" +
			"  worldfs merge --json-files --rules merge.toml base.level ours.level theirs.level -o out.level",
		Args: cli.Takes(3, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.out == "" {
				return cli.Usagef("merge needs -o OUT: where the merged world goes")
			}
			if o.jsonFiles {
				return o.mergeJSON(a, cmd, args)
			}
			for _, name := range []string{"rules", "sjson"} {
				if cmd.Flags().Changed(name) {
					return cli.Usagef("--%s is for --json-files", name)
				}
			}
			return o.mergeWorlds(a, cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "output", "o", "", "`OUT`: a new .pack, .jsonl or .jsonl.gz, a new directory, or - for the standard output; relative to -C where that is given")
	flags.StringVar(&o.policy, "policy", "", "who stands in a conflict: leave, shared (theirs) or mine (ours); as world.toml says, else leave")
	flags.BoolVar(&o.jsonFiles, "json-files", false, "merge JSON documents instead of worlds")
	flags.StringVar(&o.prefer, "prefer", "ours", "with --json-files, who stands in a conflict: ours or theirs; given, conflicts count as decided")
	flags.StringVar(&o.rules, "rules", "", "with --json-files, a TOML `FILE` of rules by path")
	flags.BoolVar(&o.sjson, "sjson", false, "with --json-files, the documents are SJSON whatever they look like")
	flags.BoolVar(&o.json, "json", false, "print the report as JSON")
	return cmd
}

func (o *mergeOptions) mergeWorlds(a *cli.App, cmd *cobra.Command, names []string) error {
	if err := worldform.CheckCreate(o.out); err != nil {
		return err
	}
	options, err := o.options()
	if err != nil {
		return err
	}
	var worlds [3]*worldform.World
	err = cli.WithMemoryOf(names, func() (err error) {
		worlds, err = o.open(a, cmd, names)
		return err
	})
	if err != nil {
		return err
	}
	sides := worldform.Sides(worlds)
	result, err := merge.Worlds(sides[0], sides[1], sides[2], options)
	if err != nil {
		return err
	}
	merged := &worldform.World{ID: worlds[1].ID, Types: result.Types, Source: result, Texts: result.Marked(), Disputed: disputed(result)}
	for _, id := range worlds[1].Unread() {
		merged.Texts[id] = worlds[1].Texts[id] // ours goes on as it is, to be mended
	}
	before := markOpen(worldform.OpenConflictsOf(worlds[1], worlds[2]), merged)
	worlds, sides = [3]*worldform.World{}, [3]merge.Side{} // whose room the result may have
	if err := o.create(merged, names, result); err != nil {
		return err
	}
	reportOpen(cmd, merged, before, o.out)
	return o.report(cmd, result, len(before))
}

// open opens the three worlds. Ours comes first: its types are in force where a
// directory of texts has none.
func (o *mergeOptions) open(a *cli.App, cmd *cobra.Command, names []string) (worlds [3]*worldform.World, err error) {
	var types *entity.Types
	var opened []*worldform.World
	for _, i := range [...]int{1, 0, 2} {
		if worlds[i], err = worldform.Open(names[i], worldform.Options{Types: types, Like: opened, First: i == 1, Note: a.Noter(cmd)}); err != nil {
			return worlds, err
		}
		opened = append(opened, worlds[i])
		cli.ReportUnread(cmd, names[i], worlds[i])
		if types == nil || types.Len() == 0 {
			types = worlds[i].Types
		}
	}
	return worlds, nil
}

// options are those of the world directory around, if there is one, and the
// flag.
func (o *mergeOptions) options() (options merge.Options, err error) {
	if dir, findErr := worlddir.Find("."); findErr == nil {
		if options, err = mergerules.Read(dir); err != nil {
			return options, err
		}
	}
	if o.policy != "" {
		if options.Policy, err = merge.ParsePolicy(o.policy); err != nil {
			return options, cli.Usagef("--policy: %v", err)
		}
	}
	options.Peers = options.Policy == merge.Leave
	return options, nil
}

// create writes the merged world, and what was left to people beside it where it has
// no place for that. The conflicts come first, so that the one is never there
// without the other.
func (o *mergeOptions) create(w *worldform.World, names []string, result *merge.Result) error {
	left := !worldform.HasTexts(o.out) && o.out != "-" && result.Counts.Left > 0
	if left {
		if err := writeConflicts(o.out+conflictfile.Suffix, names, result); err != nil {
			return err
		}
	}
	if err := worldform.Create(o.out, w, worldform.Options{Plain: true}); err != nil {
		return err
	}
	if !left && !worldform.HasTexts(o.out) && o.out != "-" {
		err := os.Remove(o.out + conflictfile.Suffix) // of an earlier merge into the same file
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// report prints what the merge did. An error says that conflicts are left, of this
// merge or from before it.
func (o *mergeOptions) report(cmd *cobra.Command, result *merge.Result, before int) error {
	report := result.Report()
	if o.json {
		if err := cli.PrintJSON(o.told(cmd), report); err != nil {
			return err
		}
	} else if _, err := report.WriteTo(o.told(cmd)); err != nil {
		return err
	}
	if left := result.Counts.Left; left > 0 {
		return cli.Problemsf("%s left to people%s", cli.Counted(left, "conflict", "conflicts"), o.whereLeft())
	}
	if before > 0 {
		return cli.Problemsf("%s had a conflict before", cli.Counted(before, "entity", "entities"))
	}
	return nil
}

// told is where the report goes: not into the result, where that is printed.
func (o *mergeOptions) told(cmd *cobra.Command) io.Writer {
	if o.out == "-" {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// whereLeft says where the conflicts are that were left.
func (o *mergeOptions) whereLeft() string {
	switch {
	case worldform.HasTexts(o.out):
		return "; each is marked in its file"
	case o.out == "-":
		return "; each says what stands in the result meanwhile"
	}
	return "; they are kept in " + o.out + conflictfile.Suffix + ", and worldfs apply marks them in a world"
}

func (o *mergeOptions) mergeJSON(a *cli.App, cmd *cobra.Command, names []string) error {
	options, err := o.jsonOptions(names)
	if err != nil {
		return err
	}
	if o.out != "-" {
		if err := cli.CheckOutput(o.out); err != nil {
			return err
		}
	}
	var docs [3][]byte
	for i, name := range names {
		if docs[i], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	out, report, err := jsonmerge.Merge(docs[0], docs[1], docs[2], options)
	if err != nil {
		return err
	}
	if err := o.writeJSON(cmd, out); err != nil {
		return err
	}
	tell := a.Noter(cmd)
	for _, r := range report.Remarks {
		tell(r.String())
	}
	return o.reportJSON(o.told(cmd), report, cmd.Flags().Changed("prefer"))
}

func (o *mergeOptions) writeJSON(cmd *cobra.Command, doc []byte) error {
	if o.out == "-" {
		_, err := cmd.OutOrStdout().Write(doc)
		return err
	}
	return (&disk.Disk{}).WriteAtomicUmasked("merged document", o.out, 0o666, doc)
}

// jsonOptions are those of the flags and the documents' names.
func (o *mergeOptions) jsonOptions(names []string) (options jsonmerge.Options, err error) {
	options = jsonmerge.Options{BaseName: names[0], OursName: names[1], TheirsName: names[2]}
	if options.Prefer, err = jsonmerge.ParseSide(o.prefer); err != nil {
		return options, cli.Usagef("--prefer: %v", err)
	}
	named := slices.ContainsFunc(append([]string{o.out}, names...), func(name string) bool {
		return strings.EqualFold(filepath.Ext(name), ".sjson")
	})
	if o.sjson || named {
		options.Dialect = jsonmerge.SJSON
	}
	if o.rules == "" {
		return options, nil
	}
	data, err := disk.ReadFile(o.rules, maxRulesFile)
	if err != nil {
		return options, fmt.Errorf("read rules: %w", err)
	}
	options.Rules, err = jsonmerge.ParseRules(data, o.rules)
	return options, err
}

// maxRulesFile is how large a file of rules may be.
const maxRulesFile = 1 << 20

// reportJSON prints what a merge of documents did. Where the caller said which side to
// prefer, its conflicts are decided and none is left.
func (o *mergeOptions) reportJSON(w io.Writer, report jsonmerge.Report, decided bool) error {
	if o.json {
		if err := cli.PrintJSON(w, report); err != nil {
			return err
		}
	} else {
		for _, c := range report.Conflicts {
			fmt.Fprintln(w, c)
		}
	}
	if n := len(report.Conflicts); n > 0 && !decided {
		return cli.Problemsf("%s; %s stands in the result", cli.Counted(n, "conflict", "conflicts"), o.prefer)
	}
	return nil
}
