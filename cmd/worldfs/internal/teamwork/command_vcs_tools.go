package teamwork

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/svnsetup"
	"github.com/worldfs/worldfs/textcodec"
)

func newMergeToolCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "merge-tool BASE THEIRS MINE MERGED [FILE]",
		Short:  "Merge one file in conflict for svn, or for TortoiseSVN",
		Hidden: true,
		Long: `merge-tool is what svn runs, by worldfs vcs install, where its question about a
conflict is answered with l (launch), and TortoiseSVN for Edit conflicts. It
writes MERGED. FILE is the file in the working copy, if MERGED is not. Paths of
Windows are understood in WSL.` + cli.ExitStatus("conflicts are left, marked in the file, or it is no file of a world"),
		Args: cli.Takes(4, 5),
		RunE: func(cmd *cobra.Command, args []string) error { return runMergeTool(cmd, args) },
	}
}

func runMergeTool(cmd *cobra.Command, args []string) error {
	if err := fromWindows(args); err != nil {
		return err
	}
	base, theirs, mine, merged, file := args[0], args[1], args[2], args[3], args[len(args)-1]
	root, name, ok := svnsetup.InWorld(file)
	if !ok {
		return cli.Problemsf("%s is no file of a world: choose another tool for it", file)
	}
	texts, err := readSides(base, mine, theirs)
	if err != nil {
		return err
	}
	if texts == nil {
		return cli.Problemsf("%s is too large", file)
	}
	text, err := mergeForSVN(root, name, texts, strings.Contains(filepath.Base(base), ".merge-left."))
	if errors.Is(err, filemerge.ErrAlone) {
		return cli.Problemsf("%s: %v: worldfs resolve merges it with the rest of the world", name, err)
	}
	if text != nil {
		if err := replace(merged, text); err != nil {
			return err
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is merged by property\n", name)
	}
	return err
}

func fromWindows(paths []string) (err error) {
	for i, path := range paths {
		if paths[i], err = svnsetup.FromWindows(path); err != nil {
			return err
		}
	}
	return nil
}

func newDiffToolCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "diff-tool BASE MINE [BASENAME MINENAME]",
		Short:  "Show the difference of two texts for TortoiseSVN",
		Hidden: true,
		Long: `diff-tool is what TortoiseSVN runs in WSL, by worldfs vcs install --tortoise, to
show how a file of an entity has changed: TortoiseMerge shows the values without
their bits.` + cli.ExitStatus(""),
		Args: cli.Takes(2, 4),
		RunE: func(_ *cobra.Command, args []string) error { return runDiffTool(args) },
	}
}

func runDiffTool(args []string) error {
	if err := fromWindows(args[:2]); err != nil {
		return err
	}
	names := [2]string{args[0], args[1]}
	copy(names[:], args[2:])
	var texts [2][]byte
	for i, path := range args[:2] {
		text, err := disk.ReadFile(path, cache.MaxFileSize)
		if err != nil {
			return err
		}
		texts[i] = textcodec.Readable(text)
	}
	return svnsetup.ShowDiff(texts[0], texts[1], names)
}
