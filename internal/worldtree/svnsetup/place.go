package svnsetup

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

// svn names no file to diff3-cmd: the text that it has here comes as .svn/tmp/svn-K7Q2, the
// others by their checksums. So the file is found by what it has, which at that moment is
// the text that svn gives.

// WorldsVariable is the environment variable by which a script of ours names the worlds that
// it was installed for, one a line.
const WorldsVariable = "WORLDFS_SVN_WORLDS"

// Place returns the world directory, and the name in it, of a file of which svn gives the
// text that is in the working copy, as a file; ok is false for any other file.
func Place(file string, text []byte) (root, name string, ok bool) {
	top, _, temporary := strings.Cut(file, "/.svn/tmp/")
	if !temporary {
		return InWorld(file)
	}
	names := namesOf(text)
	for _, root := range worlds(top) {
		for _, name := range append(names, typesOf(root)...) {
			if isText(filepath.Join(root, filepath.FromSlash(name)), text) {
				return root, name, true
			}
		}
	}
	return "", "", false
}

// InWorld returns the world directory that a file lies in, and its name there; ok is false
// for one that is no part of a world.
func InWorld(file string) (root, name string, ok bool) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", "", false
	}
	root, err = worlddir.FindRoot(filepath.Dir(file))
	if err != nil {
		return "", "", false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return "", "", false
	}
	rel, err := filepath.Rel(root, filepath.Join(dir, filepath.Base(file)))
	name = filepath.ToSlash(rel)
	return root, name, err == nil && isPart(name)
}

func isPart(name string) bool {
	dir, base := path.Split(name)
	return IsEntity(name) || name == worlddir.ConfigName || name == worlddir.RangesName || dir == worlddir.TypesName+"/" && path.Ext(base) == ".toml"
}

// worlds returns the world directories of a working copy that are known: the one that svn
// runs in, those that the script names, and the top.
func worlds(top string) (roots []string) {
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real // as those of the others are
	}
	candidates := strings.Split(os.Getenv(WorldsVariable), "\n")
	if here, err := worlddir.FindRoot("."); err == nil {
		candidates = append([]string{here}, candidates...)
	}
	for _, root := range append(candidates, top) {
		if root == top || strings.HasPrefix(root, top+"/") {
			roots = append(roots, root)
		}
	}
	return roots
}

// namesOf returns which files can have a text, but for those that declare types.
func namesOf(text []byte) (names []string) {
	_, _, id, err := textcodec.Header(text)
	if err != nil || id == entity.ID(0) {
		return []string{worlddir.ConfigName, worlddir.RangesName}
	}
	for _, file := range append([]string{layout.None.Path(id)}, layout.None.OtherPaths(id)...) {
		names = append(names, worlddir.EntitiesName+"/"+file)
	}
	return names
}

func typesOf(root string) (names []string) {
	entries, _ := os.ReadDir(filepath.Join(root, worlddir.TypesName)) // where there is none there are no types
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".toml" {
			names = append(names, worlddir.TypesName+"/"+e.Name())
		}
	}
	return names
}

// isText reports whether a file has that text.
func isText(path string, text []byte) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	have, err := os.ReadFile(path)
	return err == nil && bytes.Equal(have, text)
}
