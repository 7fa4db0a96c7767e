package worlddir

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/xml"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Missing is a plain file that is not there.
type Missing struct {
	Path  string          // in entities/, with slashes
	Other []string        // where it lies in other layouts, likewise
	Was   func() [][]byte // what it may have held
}

// in returns all the paths of a file from the directory that has entities/.
func (m Missing) in(root string) (paths []string) {
	for _, at := range append([]string{m.Path}, m.Other...) {
		paths = append(paths, path.Join(root, entitiesName, at))
	}
	return paths
}

// anyOf reports whether one of the names is there.
func anyOf(there map[string]bool, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return there[name] })
}

// Dropped returns the paths of those that version control once had and has no
// more, in whatever layout: a checkout or an update deleted them. Without version control, and where
// it does not work, there are none: nothing says that they were deleted.
func (d *Dir) Dropped(missing []Missing) []string {
	switch {
	case len(missing) == 0:
		return nil
	case workingCopy(d.Root, ".git") != "":
		return d.droppedByGit(missing)
	case workingCopy(d.Root, ".hg") != "":
		return d.droppedByHg(missing)
	case workingCopy(d.Root, ".svn") != "":
		return d.droppedBySVN(missing)
	}
	return nil
}

func (d *Dir) droppedByGit(missing []Missing) (dropped []string) {
	index, err := git(d.Root, "ls-files", "-z", "--", entitiesName)
	if err != nil {
		return nil
	}
	has := lookup(index)
	missing = slices.DeleteFunc(slices.Clone(missing), func(m Missing) bool { return anyOf(has, m.in("")) })
	for chunk := range slices.Chunk(missing, 200) {
		args := []string{"log", "--all", "--reflog", "--relative", "--no-renames", "--format=", "--name-only", "-z", "--"}
		for _, m := range chunk {
			args = append(args, m.in("")...)
		}
		out, err := git(d.Root, args...)
		if err != nil {
			return nil
		}
		once := lookup(out)
		for _, m := range chunk {
			if anyOf(once, m.in("")) {
				dropped = append(dropped, m.Path)
			}
		}
	}
	return dropped
}

// lookup returns the names in what git or hg printed with a zero byte after each.
func lookup(out []byte) map[string]bool {
	names := make(map[string]bool)
	for name := range strings.SplitSeq(string(out), "\x00") {
		names[strings.TrimLeft(name, "\n")] = true
	}
	return names
}

func (d *Dir) droppedByHg(missing []Missing) (dropped []string) {
	root := workingCopy(d.Root, ".hg")
	prefix, err := filepath.Rel(root, d.Root)
	if err != nil {
		return nil
	}
	hg := func(args ...string) ([]byte, error) {
		cmd := exec.Command("hg", append([]string{"--cwd", root, "--noninteractive"}, args...)...)
		cmd.Env = append(os.Environ(), "HGPLAIN=1")
		return cmd.Output()
	}
	files, err := hg("files", "--print0")
	if len(files) == 0 && err != nil {
		return nil
	}
	// All that any revision has; there is no -0 of it, and no entity's name needs one.
	all, err := hg("manifest", "--all")
	if err != nil {
		return nil
	}
	has, once := lookup(files), lookup([]byte(strings.ReplaceAll(string(all), "\n", "\x00")))
	for _, m := range missing {
		if at := m.in(filepath.ToSlash(prefix)); anyOf(once, at) && !anyOf(has, at) {
			dropped = append(dropped, m.Path)
		}
	}
	return dropped
}

// droppedBySVN asks only the working copy. What it once had it no longer
// tells, but it keeps the texts, by their SHA-1, until it is cleaned up.
func (d *Dir) droppedBySVN(missing []Missing) (dropped []string) {
	cmd := exec.Command("svn", "status", "--verbose", "--xml", "--non-interactive", "--ignore-externals", entitiesName)
	cmd.Dir = d.Root
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	var status struct {
		Entries []struct {
			Path   string `xml:"path,attr"`
			Status struct {
				Item string `xml:"item,attr"`
			} `xml:"wc-status"`
		} `xml:"target>entry"`
	}
	if err := xml.Unmarshal(out, &status); err != nil {
		return nil
	}
	item := make(map[string]string)
	for _, e := range status.Entries {
		item[filepath.ToSlash(e.Path)] = e.Status.Item
	}
	pristine := filepath.Join(workingCopy(d.Root, ".svn"), ".svn", "pristine")
	for _, m := range missing {
		if slices.ContainsFunc(m.in("")[1:], func(at string) bool { return item[at] != "" && item[at] != "deleted" }) {
			continue // it moved
		}
		switch item[path.Join(entitiesName, m.Path)] {
		case "deleted":
			dropped = append(dropped, m.Path)
		case "":
			if slices.ContainsFunc(m.Was(), func(text []byte) bool { return isPristine(pristine, text) }) {
				dropped = append(dropped, m.Path)
			}
		}
	}
	return dropped
}

// isPristine reports whether svn has a text in a working copy's store of them.
func isPristine(store string, text []byte) bool {
	sum := sha1.Sum(text)
	name := hex.EncodeToString(sum[:])
	_, err := os.Lstat(filepath.Join(store, name[:2], name+".svn-base"))
	return err == nil
}
