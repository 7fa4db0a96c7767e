package teamwork

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

func newMergeDriverCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "merge-driver BASE OURS THEIRS MARKERSIZE PATH",
		Short:  "Merge one file for git",
		Hidden: true,
		Long: `merge-driver is what git runs, by worldfs vcs install, for a file of the world
that both sides of a merge changed: %O %A %B %L %P. It writes into OURS.` + cli.ExitStatus("conflicts are left, marked in the file"),
		Args: cli.Takes(5, 5),
		RunE: func(_ *cobra.Command, args []string) error { return runMergeDriver(args) },
	}
}

func runMergeDriver(args []string) error {
	size, err := strconv.Atoi(args[3])
	if err != nil {
		return cli.Usagef("the size of markers %q is no number", args[3])
	}
	f := filemerge.File{}
	f.Root, f.Name = placeInWorld(args[4])
	for i, text := range []*[]byte{&f.Base, &f.Ours, &f.Theirs} {
		if *text, err = disk.ReadFile(args[i], cache.MaxFileSize); err != nil {
			return err
		}
	}
	inPart := max(len(f.Base), len(f.Ours), len(f.Theirs)) > cache.MaxFileSize
	if !inPart && resolve.IsRenumbered(f.Root, f.Name) {
		// Marked, since a file without a conflict is taken for one that a person has settled.
		if err := replace(args[1], textmerge.Unmerged(f.Ours, f.Theirs, sideNames(f.Root), size)); err != nil {
			return err
		}
		return &daemon.Failure{Message: fmt.Sprintf("%s: since a merge that ID is another's, and what comes in may not know; worldfs resolve does", args[4]), Exit: daemon.ExitProblems}
	}
	merged, clean, err := mergeByRules(&f)
	if inPart {
		err = filemerge.ErrAlone
	}
	if errors.Is(err, filemerge.ErrAlone) {
		clean, err = textmerge.ByGitInto(args[1], args[0], args[2], sideNames(f.Root), size)
	} else if err == nil {
		err = replace(args[1], merged)
	}
	if err == nil && !clean {
		return &daemon.Failure{Message: fmt.Sprintf("%s: a conflict is left; worldfs resolve lists it", args[4]), Exit: daemon.ExitProblems}
	}
	return err
}

// replace puts a file in the place of another in one step: where that fails, git merges
// what is there.
func replace(path string, data []byte) error {
	beside := disk.Beside(path, "merged")
	if err := disk.WriteSoon(beside, data, 0o666); err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return os.Rename(beside, path)
}

// mergeByRules merges a file. A conflict is decided by the world's rules where it is known
// which side is shared; else it is left, and worldfs resolve knows.
func mergeByRules(f *filemerge.File) (merged []byte, clean bool, err error) {
	merged, clean, err = f.Merge()
	if err != nil || clean {
		return merged, clean, err
	}
	shared := sharedSide(f.Root)
	if shared == merge.Neither {
		f.Options.Names = merge.UnknownSides
		return f.Merge()
	}
	if dir, err := worlddir.Open(f.Root); err == nil {
		if options, err := mergerules.Read(dir); err == nil {
			f.Options = options
		}
	}
	f.Options.Shared = shared
	return f.Merge()
}

// sideNames returns what ours and theirs are called in what git is doing.
func sideNames(root string) [2]string {
	o := merge.Options{Shared: sharedSide(root)}
	if o.Shared == merge.Neither {
		o.Names = merge.UnknownSides
	}
	names := o.SideNames()
	return [2]string{names[merge.Ours], names[merge.Theirs]}
}

// sharedSide returns which side of what git is doing is shared, Neither where that is not
// known. git merge names what it merges in its environment; of a stash that is taken in,
// a cherry-pick or a revert git says nothing.
func sharedSide(root string) merge.Party {
	rebasing, err := vcs.Git{Dir: root}.IsRebasing()
	switch {
	case err != nil:
		return merge.Neither
	case rebasing:
		return merge.Ours
	}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GITHEAD_") {
			return merge.Theirs
		}
	}
	return merge.Neither
}

// placeInWorld returns the world directory of a file that git names, from the top of the
// working tree, where git runs what it runs, and the file's name from there.
func placeInWorld(name string) (root, inWorld string) {
	parts := strings.Split(path.Clean(name), "/")
	depth := 1 // world.toml, id_ranges
	for i := len(parts) - 2; i >= max(0, len(parts)-3); i-- {
		if parts[i] == "types" && i == len(parts)-2 || parts[i] == worlddir.EntitiesName {
			depth = len(parts) - i
			break
		}
	}
	at := len(parts) - depth
	return filepath.Join(append([]string{"."}, parts[:at]...)...), strings.Join(parts[at:], "/")
}
