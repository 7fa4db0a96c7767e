// Package svnmergeinfo tells a merge of svn's that met no conflict from an update: by what it
// has recorded in the working copy.
package svnmergeinfo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// IsMerging reports whether svn merge has recorded in a directory, or in one above it in the
// working copy, what it brought, and that is not committed. A merge of what a directory has by
// its own history, as one that takes a revision back, records nothing.
func IsMerging(dir string) bool {
	for !isMarked(dir) {
		if isTop(dir) || dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return true
}

// isMarked reports whether the property of a directory differs from what svn has of it.
func isMarked(dir string) bool {
	env := tool.Environment(nil, "LC_ALL=C.UTF-8", "LANGUAGE=")
	out, err := tool.New(context.Background(), dir, env, "svn", "diff", "--non-interactive", "--internal-diff",
		"--properties-only", "--depth", "empty", ".").Text() // by its path an @ in it would not be taken
	return err == nil && bytes.Contains(out, []byte(": svn:mergeinfo\n"))
}

func isTop(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".svn"))
	return err == nil
}
