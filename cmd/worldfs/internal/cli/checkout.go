package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// How long a checkout is waited for, and how often it is looked whether it is over.
const (
	checkoutTimeout = 30 * time.Second
	checkoutLook    = 50 * time.Millisecond
)

// AwaitCheckout waits for the end of a checkout that is under way: to look at a world that
// is not mounted takes its plain files in. A lock that was left behind is not waited for
// any longer.
func AwaitCheckout(ctx context.Context, dir *worlddir.Dir) {
	latest := time.Now().Add(checkoutTimeout)
	for underCheckout(dir) && time.Now().Before(latest) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(checkoutLook):
		}
	}
}

// underCheckout reports whether git or hg is writing the files of a world just now: what is
// looked at then is half of what it is going to be.
func underCheckout(dir *worlddir.Dir) bool {
	for _, lock := range []string{gitLock(dir.WorkingCopy(".git")), hgLock(dir.WorkingCopy(".hg"))} {
		if lock == "" {
			continue
		}
		if _, err := os.Lstat(lock); err == nil {
			return true
		}
	}
	return false
}

// gitLock returns the file that there is while git changes a working tree; "" where that
// is none of git's.
func gitLock(root string) string {
	if root == "" {
		return ""
	}
	at := filepath.Join(root, ".git")
	text, err := os.ReadFile(at) // in a linked tree it is a file, which says where to look
	if err != nil {
		return filepath.Join(at, "index.lock")
	}
	linked, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(linked) {
		linked = filepath.Join(root, linked)
	}
	return filepath.Join(linked, "index.lock")
}

// hgLock is gitLock for hg.
func hgLock(root string) string {
	if root == "" {
		return ""
	}
	return filepath.Join(root, ".hg", "wlock")
}
