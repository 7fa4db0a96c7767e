package vcs

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// midOperation are the names in git's directory that say what it is in the middle of.
var midOperation = []struct{ name, what string }{
	{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
}

// GitIndex is git's index, and the working tree beside it, for telling git which files
// came and went. What git has as the contents of files stays as it is.
type GitIndex struct {
	*repository
}

// OpenIndex finds the index of the repository that Dir lies in.
func (g Git) OpenIndex() (*GitIndex, error) {
	r, err := g.open(context.Background())
	return &GitIndex{r}, err
}

// Middle returns the operation that git is in the middle of, "" for none.
func (x *GitIndex) Middle() (string, error) {
	for _, m := range midOperation {
		if _, err := os.Lstat(filepath.Join(x.gitDir, m.name)); err == nil {
			return m.what, nil
		}
	}
	out, err := x.run(nil, "ls-files", "--unmerged", "-z")
	if err != nil || len(out) == 0 {
		return "", err
	}
	return "merge", nil
}

// Tracked returns which files of the names git has.
func (x *GitIndex) Tracked(names ...string) ([]string, error) {
	out, err := x.run(nil, append([]string{"ls-files", "-z", "--"}, names...)...)
	return split(out), err
}

// Changes returns what came and went of the names.
func (x *GitIndex) Changes(names ...string) (*Changes, error) {
	args := []string{"ls-files", "-z", "-t", "--deleted", "--others", "--exclude-standard", "--"}
	out, err := x.run(nil, append(args, names...)...)
	if err != nil {
		return nil, fmt.Errorf("find what git does not know: %w", err)
	}
	c := &Changes{}
	for _, line := range split(out) {
		switch tag, name, _ := strings.Cut(line, " "); tag {
		case "?":
			c.Created = append(c.Created, name)
		case "R":
			c.Deleted = append(c.Deleted, name)
		}
	}
	return c, x.findReturned(c, names)
}

// findReturned finds which files the last commit has and the index has not.
func (x *GitIndex) findReturned(c *Changes, names []string) error {
	if len(c.Created) == 0 {
		return nil
	}
	args := []string{"ls-tree", "-r", "-z", "HEAD", "--"}
	out, err := x.run(nil, append(args, names...)...)
	if tool.Says(err, "Not a valid object name") {
		return nil // nothing was committed yet
	}
	if err != nil {
		return fmt.Errorf("find what git does not know: %w", err)
	}
	committed := make(map[string]string)
	for _, record := range split(out) {
		_, name, _ := strings.Cut(record, "\t")
		committed[name] = record
	}
	c.records = make(map[string]string)
	created := c.Created
	c.Created = nil
	for _, name := range created {
		record, ok := committed[name]
		if !ok {
			c.Created = append(c.Created, name)
			continue
		}
		c.Returned = append(c.Returned, name)
		head, _, _ := strings.Cut(record, "\t")
		c.records[name] = head
	}
	return nil
}

// Update has the index follow: what was created is to be added (git add -N), what was
// deleted is not in it any more, and what returned is as in the last commit.
func (x *GitIndex) Update(c *Changes) error {
	if err := x.forget(c); err != nil {
		return x.locked("tell git what was deleted", err)
	}
	return x.add(c.Created, "--intent-to-add")
}

// Add adds files with their contents.
func (x *GitIndex) Add(names []string) error { return x.add(names) }

func (x *GitIndex) add(names []string, options ...string) error {
	if len(names) == 0 {
		return nil
	}
	args := append([]string{"add", "--pathspec-from-file=-", "--pathspec-file-nul"}, options...)
	_, err := x.run([]byte(strings.Join(names, "\x00")+"\x00"), args...)
	return x.locked("tell git what was created", err)
}

func (x *GitIndex) forget(c *Changes) error {
	if len(c.Deleted)+len(c.Returned) == 0 {
		return nil
	}
	format, err := x.run(nil, "rev-parse", "--show-object-format")
	if err != nil {
		return err
	}
	none := strings.Repeat("0", 2*sha1.Size)
	if strings.TrimSpace(string(format)) == "sha256" {
		none = strings.Repeat("0", 2*sha256.Size)
	}
	var in bytes.Buffer
	for _, name := range c.Deleted {
		fmt.Fprintf(&in, "0 %s\t%s%s\x00", none, x.prefix, name)
	}
	for _, name := range c.Returned {
		fmt.Fprintf(&in, "%s\t%s%s\x00", c.records[name], x.prefix, name)
	}
	_, err = x.run(in.Bytes(), "update-index", "-z", "--index-info")
	return err
}

// locked returns what failed, as a LockedError where another process has the index.
func (x *GitIndex) locked(what string, err error) error {
	if tool.Says(err, "index.lock': File exists") {
		lock := filepath.Join(x.gitDir, "index.lock")
		return &LockedError{Tool: "git's index", Lock: lock, Free: "rm " + lock}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (x *GitIndex) run(in []byte, args ...string) ([]byte, error) {
	cmd := x.git(context.Background(), args...)
	if in != nil {
		cmd.Stdin = bytes.NewReader(in)
	}
	return cmd.Text()
}

// split returns the texts that end in NUL.
func split(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
