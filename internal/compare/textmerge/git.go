package textmerge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// ofOneRepository are variables by which git names a repository to the processes that it
// runs: the texts are in none.
var ofOneRepository = map[string]bool{"GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_INDEX_FILE": true, "GIT_COMMON_DIR": true, "GIT_PREFIX": true}

// ByGit merges three texts as git merges a file, and reports whether it does so
// without a conflict.
func ByGit(base, ours, theirs []byte) (merged []byte, clean bool, err error) {
	dir, err := os.MkdirTemp("", "worldfs-merge-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string][]byte{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, false, err
		}
	}
	cmd := tool.New(context.Background(), dir, tool.Environment([]map[string]bool{ofOneRepository}, "LC_ALL=C"), "git", "merge-file", "-p", "ours", "base", "theirs")
	merged, err = cmd.Text()
	conflicts := cmd.ProcessState.ExitCode() // that many; 128 and more are errors
	if err != nil && (conflicts <= 0 || conflicts >= 128) {
		return nil, false, fmt.Errorf("git merge-file: %w", err)
	}
	return merged, err == nil, nil
}

// ByGitInto has git merge what two files made of a third into ours, as it merges texts
// that it has no driver for, and reports whether that left no conflict. Where git cannot
// merge them at all, ours is as it was. names are what the sides are called.
func ByGitInto(ours, base, theirs string, names [2]string, markerSize int) (clean bool, err error) {
	cmd := tool.New(context.Background(), "", nil, "git", "merge-file", "--quiet", fmt.Sprintf("--marker-size=%d", markerSize),
		"-L", names[0], "-L", "base", "-L", names[1], ours, base, theirs)
	_, err = cmd.Text()
	if err == nil {
		return true, nil
	}
	if conflicts := cmd.ProcessState; conflicts != nil && conflicts.ExitCode() > 0 && conflicts.ExitCode() < 128 {
		return false, nil
	}
	return false, fmt.Errorf("git merge-file: %w", err)
}
