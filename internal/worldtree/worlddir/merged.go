package worlddir

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/gitobject"
)

// findMerged adds to brought the changes by which files only became more like the revision
// that is checked out, of which texts has the files.
func findMerged(changes []PlainChange, texts func(paths []string) map[string][]byte, brought map[string]bool) {
	const many = 1000 // of more it is not asked
	if len(changes) == 0 || len(changes) > many {
		return
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, path.Join(entitiesName, c.Path))
	}
	has := texts(paths)
	for i, c := range changes {
		if text, ok := has[paths[i]]; ok {
			brought[c.Path] = onlyBrings(c.Was(), c.Text, text)
		}
	}
}

// onlyBrings reports whether a text that became another has lines of a third that it lacked,
// and lacks lines that the third lacks, and no others.
func onlyBrings(was, text, third []byte) bool {
	before, after, there := countLines(was), countLines(text), countLines(third)
	changed := false
	for line, n := range after {
		if n > before[line] {
			if changed = true; n > there[line] {
				return false
			}
		}
	}
	for line, n := range before {
		if n > after[line] {
			if changed = true; after[line] < there[line] {
				return false
			}
		}
	}
	return changed && was != nil
}

func countLines(text []byte) map[string]int {
	lines := make(map[string]int)
	for line := range bytes.Lines(text) {
		lines[string(bytes.TrimRight(line, "\r\n"))]++
	}
	return lines
}

// gitTexts returns files of HEAD, by their paths and the blobs that it has for them.
func (d *Dir) gitTexts(paths []string, blobs map[string][]string) map[string][]byte {
	var asked bytes.Buffer
	for _, at := range paths {
		for _, blob := range blobs[at] {
			asked.WriteString(blob + "\n")
		}
	}
	cmd := exec.Command("git", "-C", d.Root, "-c", "safe.directory=*", "cat-file", "--batch")
	cmd.Stdin = &asked
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	texts := make(map[string][]byte)
	in := bufio.NewReader(bytes.NewReader(out))
	for _, at := range paths {
		for _, blob := range blobs[at] {
			if _, texts[at], err = gitobject.ReadBlob(in, blob, 0); err != nil {
				return nil
			}
		}
	}
	return texts
}

// hgTexts returns files of the revision that hg has checked out.
func (d *Dir) hgTexts(paths []string) map[string][]byte {
	args := []string{"--noninteractive", "cat", "--template", `{path}\0{data}\0`, "--"}
	cmd := exec.Command("hg", append(args, paths...)...)
	cmd.Dir, cmd.Env = d.Root, append(os.Environ(), "HGPLAIN=1")
	out, _ := cmd.Output() // it fails where one of them is not there, and prints the others
	prefix, err := filepath.Rel(workingCopy(d.Root, ".hg"), d.Root)
	if err != nil {
		return nil
	}
	texts := make(map[string][]byte)
	words := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		if at, err := filepath.Rel(prefix, words[i]); err == nil {
			texts[filepath.ToSlash(at)] = []byte(words[i+1])
		}
	}
	return texts
}

// svnTexts returns files of BASE.
func (d *Dir) svnTexts(paths []string) map[string][]byte {
	args := []string{"info", "--xml", "--non-interactive"}
	for _, at := range paths {
		args = append(args, at+"@")
	}
	cmd := exec.Command("svn", args...)
	cmd.Dir = d.Root
	out, _ := cmd.Output() // it fails where it does not know one of them, and prints the others
	var info struct {
		Entries []struct {
			Path     string `xml:"path,attr"`
			Checksum string `xml:"wc-info>checksum"`
		} `xml:"entry"`
	}
	if xml.Unmarshal(out, &info) != nil {
		return nil
	}
	texts := make(map[string][]byte)
	pristine := filepath.Join(workingCopy(d.Root, ".svn"), ".svn", "pristine")
	for _, e := range info.Entries {
		if text, err := readPristine(pristine, e.Checksum); err == nil {
			texts[filepath.ToSlash(e.Path)] = text
		}
	}
	return texts
}

// readPristine reads the text that svn keeps by its SHA-1.
func readPristine(pristine, checksum string) ([]byte, error) {
	if len(checksum) < 2 || strings.Trim(checksum, "0123456789abcdef") != "" {
		return nil, os.ErrNotExist
	}
	return os.ReadFile(filepath.Join(pristine, checksum[:2], checksum+".svn-base"))
}
