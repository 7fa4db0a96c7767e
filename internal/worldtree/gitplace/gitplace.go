// Package gitplace remembers where directories lie in their repositories of git's. A command
// asks a dozen questions about one directory, and git has to be asked only once where that
// lies.
package gitplace

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Place is where a directory lies in a repository. It is so as long as .git is the same and
// none is nearer.
type Place struct {
	Prefix string // the path of the directory from the top of the tree: "" or ending in /
	GitDir string // git's own directory, of this working tree

	dotGit string // the file or directory, above the one asked about
	info   os.FileInfo
}

var known struct {
	sync.Mutex
	places map[string]Place // by the directory's absolute path
}

// nearestDotGit returns the .git that is nearest above a directory, and the directory's
// absolute path.
func nearestDotGit(dir string) (abs, path string, info os.FileInfo) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", nil
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		path = filepath.Join(dir, ".git")
		if info, err := os.Lstat(path); err == nil {
			return abs, path, info
		}
		if dir == filepath.Dir(dir) {
			return abs, "", nil
		}
	}
}

// GitDir returns git's own directory, of the working tree that a directory lies in, as the
// files say, "" for none. git is not asked.
func GitDir(dir string) string {
	_, path, info := nearestDotGit(dir)
	if info == nil || info.IsDir() {
		return path
	}
	said, err := os.ReadFile(path) // a linked tree's, or a submodule's; or it is a link
	link, ok := strings.CutPrefix(strings.TrimRight(string(said), "\n"), "gitdir: ")
	switch {
	case err != nil:
		return path
	case !ok:
		return ""
	case filepath.IsAbs(link):
		return link
	}
	return filepath.Join(filepath.Dir(path), filepath.FromSlash(link))
}

// Known returns the place of a directory, if git was asked before.
func Known(dir string) (p Place, ok bool) {
	abs, path, info := nearestDotGit(dir)
	if info == nil {
		return p, false
	}
	known.Lock()
	defer known.Unlock()
	p, ok = known.places[abs]
	return p, ok && p.dotGit == path && os.SameFile(p.info, info)
}

// Parse reads what git rev-parse --show-prefix --absolute-git-dir says of a directory.
func Parse(said string) Place {
	prefix, gitDir, _ := strings.Cut(said, "\n/")
	return Place{Prefix: prefix, GitDir: "/" + strings.TrimSuffix(gitDir, "\n")}
}

// Learn is Parse, and keeps the place for Known.
func Learn(dir, said string) Place {
	p := Parse(said)
	abs, path, info := nearestDotGit(dir)
	if p.dotGit, p.info = path, info; info == nil {
		return p // it lies in a bare repository
	}
	known.Lock()
	defer known.Unlock()
	if known.places == nil {
		known.places = make(map[string]Place)
	}
	known.places[abs] = p
	return p
}
