package vcs

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// opened are the places of directories in their repositories. A command asks a dozen
// questions about one directory, and git has to be asked only once where that lies.
var opened struct {
	sync.Mutex
	places map[string]gitPlace // by the directory's absolute path
}

// gitPlace is where a directory lies in a repository. It is so as long as .git is the same
// and none is nearer.
type gitPlace struct {
	prefix, gitDir string
	dotGit         string // the file or directory, above dir
	info           os.FileInfo
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

// knownPlace returns the place of a directory, if git was asked before.
func knownPlace(dir string) (p gitPlace, ok bool) {
	abs, path, info := nearestDotGit(dir)
	if info == nil {
		return p, false
	}
	opened.Lock()
	defer opened.Unlock()
	p, ok = opened.places[abs]
	return p, ok && p.dotGit == path && os.SameFile(p.info, info)
}

// gitPlaceOf reads what git says of a directory: its prefix and the absolute path of git's own.
func gitPlaceOf(said string) gitPlace {
	prefix, gitDir, _ := strings.Cut(said, "\n/")
	return gitPlace{prefix: prefix, gitDir: "/" + strings.TrimSuffix(gitDir, "\n")}
}

// learnPlace keeps what git said of a directory, for knownPlace.
func learnPlace(dir, said string) gitPlace {
	p := gitPlaceOf(said)
	abs, path, info := nearestDotGit(dir)
	if p.dotGit, p.info = path, info; info == nil {
		return p // it lies in a bare repository
	}
	opened.Lock()
	defer opened.Unlock()
	if opened.places == nil {
		opened.places = make(map[string]gitPlace)
	}
	opened.places[abs] = p
	return p
}
