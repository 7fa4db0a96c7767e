package worlddir

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// PlainChange is a plain file that has changed.
type PlainChange struct {
	Path string        // in entities/, with slashes
	Was  func() []byte // returns what it held before; nil: it was not there
	Text []byte        // what it holds now; nil: it is gone
}

// BroughtBy returns which of the changes version control has made, a checkout or an update,
// and which system that is. They are those after which a file is as the revision that is
// checked out has it, and those by which it only became more like it: an update merges what
// colleagues changed into a file that a person has changed and not committed; and those that
// mark conflicts, in a merge, an update or a stash that is taken in again. Where version
// control cannot be asked it has made none.
func (d *Dir) BroughtBy(changes []PlainChange) (brought map[string]bool, system string) {
	is, texts, system := askFor(d, changes)
	if is == nil {
		return nil, ""
	}
	brought = make(map[string]bool)
	var others []PlainChange
	for _, c := range changes {
		if brought[c.Path] = is(c) || c.isMarkedAnew(); !brought[c.Path] && c.Text != nil {
			others = append(others, c)
		}
	}
	findMerged(others, texts, brought)
	return brought, system
}

// askFor returns what is to be asked of version control about changes, nil where it cannot be.
func askFor(d *Dir, changes []PlainChange) (is func(PlainChange) bool, texts func(paths []string) map[string][]byte, system string) {
	switch {
	case len(changes) == 0:
	case workingCopy(d.Root, ".git") != "":
		system = "git"
		is, texts = d.isGits(changes)
	case workingCopy(d.Root, ".hg") != "":
		system, is, texts = "hg", d.isHgs(), d.hgTexts
	case workingCopy(d.Root, ".svn") != "":
		system, is, texts = "svn", d.isSVNs(), d.svnTexts
	}
	return is, texts, system
}

// Shared returns the paths of those of the files whose text is the one that the revision which
// is checked out has there, whatever is there now: no edit is in it.
func (d *Dir) Shared(files []PlainChange) (paths []string) {
	is, texts, _ := askFor(d, files)
	if is == nil {
		return nil
	}
	var names []string
	for _, f := range files {
		names = append(names, path.Join(entitiesName, f.Path))
	}
	has := texts(names)
	for i, f := range files {
		if text, ok := has[names[i]]; ok && bytes.Equal(text, f.Text) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// isGits returns whether a file is as git has it: in HEAD, and where git is in the middle
// of something (a merge, a rebase), in the index; or is unmerged, and as git has left it. It
// returns also what HEAD has.
func (d *Dir) isGits(changes []PlainChange) (is func(PlainChange) bool, texts func(paths []string) map[string][]byte) {
	paths := []string{entitiesName}
	const many = 200 // more are not named one by one
	if len(changes) <= many {
		paths = paths[:0]
		for _, c := range changes {
			paths = append(paths, path.Join(entitiesName, c.Path))
		}
	}
	tree, err := git(d.Root, append([]string{"ls-tree", "-r", "-z", "HEAD", "--"}, paths...)...)
	if err != nil {
		return nil, nil
	}
	has := blobs(tree, 2)
	listed := func(how string) map[string][]string {
		index, err := git(d.Root, append([]string{"ls-files", how, "-z", "--"}, paths...)...)
		if err != nil {
			return nil
		}
		return blobs(index, 1)
	}
	staged := map[string][]string{}
	if d.isGitBusy() {
		staged = listed("--stage")
	}
	unmerged := sync.OnceValue(func() map[string][]string { return listed("--unmerged") }) // few texts ask
	is = func(c PlainChange) bool {
		at := path.Join(entitiesName, c.Path)
		if c.Text == nil {
			return len(has[at]) == 0
		}
		return isBlob(c.Text, has[at]) || isBlob(c.Text, staged[at]) || !c.isEditAmidMarks() && len(unmerged()[at]) > 0
	}
	return is, func(paths []string) map[string][]byte { return d.gitTexts(paths, has) }
}

// blobs returns the names of the blobs of each path in what git printed, where column has
// them.
func blobs(out []byte, column int) map[string][]string {
	all := make(map[string][]string)
	for line := range strings.SplitSeq(string(out), "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		if fields := strings.Fields(about); ok && len(fields) > column {
			all[name] = append(all[name], fields[column])
		}
	}
	return all
}

// isBlob reports whether a text is one of git's blobs, with whichever ends of lines.
func isBlob(text []byte, names []string) bool {
	for _, name := range names {
		for _, text := range [][]byte{text, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))} {
			blob := append(fmt.Appendf(nil, "blob %d\x00", len(text)), text...)
			short, long := sha1.Sum(blob), sha256.Sum256(blob)
			if name == hex.EncodeToString(short[:]) || name == hex.EncodeToString(long[:]) {
				return true
			}
		}
	}
	return false
}

// isGitBusy reports whether git is in the middle of a merge or the like.
func (d *Dir) isGitBusy() bool {
	out, err := git(d.Root, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return false
	}
	dir := strings.TrimRight(string(out), "\n")
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// isHgs returns whether hg calls a file neither changed nor missing nor its own business.
func (d *Dir) isHgs() func(PlainChange) bool {
	cmd := exec.Command("hg", "--noninteractive", "status", "-mardu", "-n", "-0", entitiesName)
	cmd.Dir, cmd.Env = d.Root, append(os.Environ(), "HGPLAIN=1")
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	root := workingCopy(d.Root, ".hg")
	prefix, err := filepath.Rel(root, d.Root)
	if err != nil {
		return nil
	}
	own := lookup(out)
	return func(c PlainChange) bool {
		at := path.Join(entitiesName, c.Path)
		return !own[at] && !own[path.Join(filepath.ToSlash(prefix), at)]
	}
}

// isSVNs returns whether svn keeps a text as one that it has fetched, or a file is gone that
// svn does not miss, or is in conflict.
func (d *Dir) isSVNs() func(PlainChange) bool {
	cmd := exec.Command("svn", "status", "--xml", "--non-interactive", "--ignore-externals", entitiesName)
	cmd.Dir = d.Root
	out, err := cmd.Output()
	var status struct {
		Entries []struct {
			Path   string `xml:"path,attr"`
			Status struct {
				Item string `xml:"item,attr"`
			} `xml:"wc-status"`
		} `xml:"target>entry"`
	}
	if err != nil || xml.Unmarshal(out, &status) != nil {
		return nil
	}
	own := make(map[string]string)
	for _, e := range status.Entries {
		own[filepath.ToSlash(e.Path)] = e.Status.Item
	}
	pristine := filepath.Join(workingCopy(d.Root, ".svn"), ".svn", "pristine")
	return func(c PlainChange) bool {
		switch own[path.Join(entitiesName, c.Path)] {
		case "":
		case "conflicted":
			return !c.isEditAmidMarks()
		default:
			return false
		}
		return c.Text == nil || isPristine(pristine, c.Text)
	}
}
