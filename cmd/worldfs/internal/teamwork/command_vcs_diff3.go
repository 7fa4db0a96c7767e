package teamwork

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/svnsetup"
	"github.com/worldfs/worldfs/internal/worldtree/svnsides"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newDiff3Command() *cobra.Command {
	return &cobra.Command{
		Use:    "diff3 -E -m -L LABEL -L LABEL -L LABEL MINE OLDER YOURS",
		Short:  "Merge one file for svn",
		Hidden: true,
		Long: `diff3 is what svn runs, by worldfs vcs install, for a file that was changed here
and by what comes in. It prints a file of a world merged by property, and leaves
any other to diff3(1).` + cli.ExitStatus("conflicts are left, marked in what it prints"),
		DisableFlagParsing: true,
		Args:               cli.Takes(3, cli.AnyNumber),
		RunE:               func(cmd *cobra.Command, args []string) error { return runDiff3(cmd.OutOrStdout(), args) },
	}
}

func runDiff3(out io.Writer, args []string) error {
	call := svnsetup.ParseDiff3(args)
	texts, err := readSides(call.Older, call.Mine, call.Yours)
	if err == nil && texts != nil {
		if root, name, ok := svnsetup.Place(call.Mine, texts[1]); ok {
			merged, err := mergeForSVN(root, name, texts, call.Merge)
			var left *daemon.Failure
			if err == nil || errors.As(err, &left) {
				_, writeErr := out.Write(merged)
				return errors.Join(err, writeErr)
			}
			if !errors.Is(err, filemerge.ErrAlone) {
				return err
			}
		}
	}
	diff3, err := exec.LookPath("diff3")
	if err != nil {
		return err
	}
	return become(diff3, args)
}

// readSides reads the base, mine and theirs, nil where one is too large for a world.
func readSides(paths ...string) (texts *[3][]byte, err error) {
	texts = new([3][]byte)
	for i, path := range paths {
		if texts[i], err = disk.ReadFile(path, cache.MaxFileSize); err != nil || len(texts[i]) > cache.MaxFileSize {
			return nil, err
		}
	}
	return texts, nil
}

// mergeForSVN merges a file of a world, and keeps its sides where that leaves a conflict,
// which is an error. svn forgets them as soon as the person says how to resolve it.
func mergeForSVN(root, name string, texts *[3][]byte, byMerge bool) (merged []byte, err error) {
	f := filemerge.File{Root: root, Name: name, Base: texts[0], Ours: texts[1], Theirs: texts[2]}
	merged, clean, err := f.Merge()
	if err == nil && clean {
		return merged, nil
	}
	if svnsetup.IsEntity(name) {
		dir := worlddir.Known(root, entity.GUID{})
		s := &svnsides.Sides{Name: name, Merge: byMerge, Base: texts[0], Mine: texts[1], Theirs: texts[2]}
		if keepErr := svnsides.Record(dir, daemon.Keep, s); keepErr != nil {
			fmt.Fprintf(os.Stderr, "worldfs: %s: its sides are not kept: %v\n", name, keepErr)
		}
	}
	if err != nil {
		return nil, err
	}
	return merged, &daemon.Failure{Message: name + ": a conflict is left; worldfs resolve lists it", Exit: daemon.ExitProblems}
}
