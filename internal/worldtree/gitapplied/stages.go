package gitapplied

import (
	"bytes"
	"fmt"
	"strings"
)

// stage is one side of a file that is unmerged: 1 what there was before, 2 what is here, 3
// what comes in.
type stage struct {
	name         string // from the top of the tree
	mode, object string
	side         int
}

// readStages reads what the index has of files that are unmerged, and of those that were
// until they were resolved. git notes these until HEAD moves.
func (f *finder) readStages() error {
	top := strings.Repeat("../", strings.Count(f.Prefix(), "/")) + "."
	for _, which := range []string{"--unmerged", "--resolve-undo"} {
		lines, err := f.List("-C", top, "ls-files", which, "-z")
		if err != nil {
			return fmt.Errorf("read git's index: %w", err)
		}
		for _, line := range lines {
			if s, ok := parseStage(line); ok {
				f.stages = append(f.stages, s)
			}
		}
	}
	return nil
}

// parseStage reads "100644 0123abcd… 2\tname".
func parseStage(line string) (s stage, ok bool) {
	head, name, _ := strings.Cut(line, "\t")
	words := strings.Fields(head)
	if len(words) != 3 || len(words[2]) != 1 || words[2] < "1" || words[2] > "3" {
		return s, false
	}
	return stage{name: name, mode: words[0], object: words[1], side: int(words[2][0] - '0')}, true
}

// onSide returns, for git update-index, the files as one side has them, or not at all.
func (f *finder) onSide(side int) []byte {
	var in bytes.Buffer
	for i, s := range f.stages {
		if i == 0 || f.stages[i-1].name != s.name {
			fmt.Fprintf(&in, "0 %s\t%s\x00", strings.Repeat("0", len(s.object)), s.name)
		}
		if s.side == side {
			fmt.Fprintf(&in, "%s %s 0\t%s\x00", s.mode, s.object, s.name)
		}
	}
	return in.Bytes()
}

// comesOf reports whether a commit has what comes in of all the files.
func (f *finder) comesOf(commit string) (bool, error) {
	comesIn := make(map[string]string)
	names := []string{"ls-tree", "-r", "-z", "--full-tree", commit, "--"}
	for _, s := range f.stages {
		if _, known := comesIn[s.name]; !known {
			names = append(names, s.name)
			comesIn[s.name] = ""
		}
		if s.side == 3 {
			comesIn[s.name] = s.object
		}
	}
	lines, err := f.List(names...)
	if err != nil {
		return false, err
	}
	for _, line := range lines {
		head, name, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if len(words) != 3 || comesIn[name] != words[2] {
			return false, nil
		}
		delete(comesIn, name)
	}
	for _, object := range comesIn { // that the commit does not have
		if object != "" {
			return false, nil
		}
	}
	return true, nil
}
