// Package ownpart is what the setups of git and of svn have in common: a part of a text
// file that a person, or another program, has as well. It stands first in the file, between
// two lines of its own, and all around it stays as it is; what takes it away leaves the file
// as it was before.
package ownpart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// Part is such a part.
type Part struct {
	What  string // the file, in words
	Path  string
	Begin string // its first line, with the line's end
	End   string // its last line, likewise
}

// byteOrderMark may stand at the beginning of a file, and nowhere else.
const byteOrderMark = "\ufeff"

// read returns the file and where in it the part is; from == to where it is not.
func (p Part) read() (text string, from, to int, err error) {
	data, err := os.ReadFile(p.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", 0, 0, fmt.Errorf("read %s: %w", p.What, err)
	}
	text = string(data)
	mark := len(text) - len(strings.TrimPrefix(text, byteOrderMark))
	from = mark + strings.Index("\n"+text[mark:], "\n"+p.Begin)
	if from < mark {
		return text, mark, mark, nil
	}
	length := strings.Index(text[from:], p.End)
	if length < 0 {
		return text, 0, 0, fmt.Errorf("%s: the line %q that ends worldfs's part is missing: put it there, or take that part out",
			p.Path, strings.TrimSpace(p.End))
	}
	return text, from, from + length + len(p.End), nil
}

// Text returns the part, with its first and its last line; "" where it is not there.
func (p Part) Text() (string, error) {
	text, from, to, err := p.read()
	return text[from:to], err
}

// Around returns the file without the part.
func (p Part) Around() (string, error) {
	text, from, to, err := p.read()
	return text[:from] + text[to:], err
}

// Put has the part be between is, between its first and its last line, and reports whether
// it was otherwise.
func (p Part) Put(between string) (changed bool, err error) {
	want := p.Begin + between + p.End
	text, from, to, err := p.read()
	if err != nil || text[from:to] == want && !IsOpenToAll(p.Path) {
		return false, err
	}
	return true, p.write(text[:from] + want + text[to:])
}

// Remove takes the part away, the file with it if that has nothing else, and reports
// whether it was there.
func (p Part) Remove() (was bool, err error) {
	text, from, to, err := p.read()
	if err != nil || from == to {
		return false, err
	}
	if text = text[:from] + text[to:]; text != "" {
		return true, p.write(text)
	}
	if err := os.Remove(p.Path); err != nil {
		return true, err
	}
	_ = os.Remove(filepath.Dir(p.Path)) // only if there is nothing else in it
	return true, nil
}

// IsOpenToAll reports whether a file is there that everyone on the machine may write: what
// names programs to run, or is one, may not be so. Where everyone may write its directory,
// too, its mode would not help, or the file system has none.
func IsOpenToAll(path string) bool {
	return isOpen(path) && !isOpen(filepath.Dir(path))
}

func isOpen(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode()&openToAll != 0
}

const openToAll = 0o002

// write replaces the file. It keeps its mode, but does not stay open to all.
func (p Part) write(text string) error {
	path := p.Path
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("write %s: %w", p.What, err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return (&disk.Disk{}).WriteAtomicUmasked(p.What, path, 0o666&^openToAll, []byte(text))
	}
	info, err := os.Stat(real)
	if err != nil {
		return fmt.Errorf("write %s: %w", p.What, err)
	}
	return (&disk.Disk{}).WriteAtomic(p.What, real, []byte(text), info.Mode().Perm()&^openToAll)
}

// Quoted returns a word as a shell reads it back.
func Quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// Unquoted returns the word that Quoted has made a text of.
func Unquoted(text string) string {
	return strings.NewReplacer(`'\''`, "'", "'", "").Replace(text)
}

// Changes says what a call did.
type Changes struct {
	Done   []string // what was set up, or taken away
	ByHand []string // what is left to the person, a paragraph each
}

// Did notes what was done.
func (c *Changes) Did(format string, args ...any) {
	c.Done = append(c.Done, fmt.Sprintf(format, args...))
}
