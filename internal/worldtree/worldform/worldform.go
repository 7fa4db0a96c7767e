// Package worldform opens and makes worlds by their names, which say their
// form:
//
//	x.pack               a world pack
//	x.jsonl, x.jsonl.gz  the interchange form; "-" is the standard input or output
//	git:REV              what git has at a revision of the world directory
//	svn:BASE, svn:REV    the same with svn
//	a directory          a world directory if it has a world.toml, as its world
//	                     is now, mounted or not; else one of plain files, which
//	                     are in it or in its entities/
//
// Nothing is changed by opening, but that a world directory which is in use
// takes in its own plain files' edits, as with every command; a fresh checkout,
// with no pack and no local state, is only read. What cannot be read of a world
// of texts is a finding, never an error: one bad file stops no world.
//
// A world of 10,422 texts takes about 0.2 s on two cores, from git or from a
// directory, 0.6 s from svn's BASE and over a second from another of its
// revisions; a pack takes milliseconds. Of several worlds that have much in common,
// what is the same is read once (Options.Like, OpenPair): a revision of git whose
// text is known by its object ID is not read, and a line of the interchange form
// that another file has is not parsed.
package worldform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// What callers decide on.
var (
	ErrNoWorld = errors.New("there is no world")
	ErrInUse   = errors.New("there is something already; name one that is new, or an empty directory")
)

// Options are what Open and Create can be told.
type Options struct {
	Dir   string        // git: and svn: are about the world directory that it lies in, or itself; "" for the current one
	Types *entity.Types // those in force where a world of texts has none, or not all can be read; nil: those of the world that Dir lies in
	Exact bool          // World.Texts has every text that does not say what the canonical one does, and others, not only those that people are to mend
	Plain bool          // Create makes a directory of plain files, not a world directory
	Like  []*World      // worlds opened before that have much in common with it: what is the same is not read twice
	First bool          // others like it are opened after it
	Note  func(string)  // told what the person should know while waiting; may be nil
}

// World is a world as it was at one moment. It is in memory and holds nothing
// open.
type World struct {
	ID       entity.GUID // zero where it is not known
	Types    *entity.Types
	Source   entity.Source
	Findings []entity.Finding // what could not be read, or not without doubt; only texts have such

	// Texts are the exact texts of entities whose text is broken, which the Source has
	// with their last good values, or not at all if none are known; and of those that
	// have conflict markers. Create writes the texts given here in place of canonical
	// ones.
	Texts map[entity.ID][]byte

	// Disputed are declarations that are to be marked where Create writes types
	// files: the one in Types stands meanwhile.
	Disputed []Disputed

	lines *interchange.Lines // by which others of its form are read; may be nil
	texts *texts             // nil until they are asked for, unless it was made of texts that git has
}

// Disputed is a declaration with a conflict that is left to people.
type Disputed struct {
	Name  string
	Other *entity.Type // the other declaration; nil: there is none
	Names [2]string    // what the sides are called
}

// Unread returns the entities that there are but whose values are not known, in
// the order of their IDs: their text is broken, or cannot be read. They are not
// deleted, and a merge goes on with the values that another side has.
func (w *World) Unread() []entity.ID {
	var ids []entity.ID
	for _, f := range w.Findings {
		if f.ID == 0 || f.Code != entity.CodeBroken && f.Code != entity.CodeUnreadable {
			continue
		}
		if _, ok := w.Source.Get(f.ID); !ok {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// form is what a world's name says.
type form int

const (
	formDir form = iota
	formPack
	formInterchange
	formGit
	formSVN
)

// parseName returns the form that a name says and what it is applied to. A file
// whose own name begins with git: or svn: is named with a path: ./git:x.pack.
func parseName(name string) (form, string) {
	if rev, ok := strings.CutPrefix(name, "git:"); ok {
		return formGit, rev
	}
	if rev, ok := strings.CutPrefix(name, "svn:"); ok {
		return formSVN, rev
	}
	switch {
	case strings.HasSuffix(name, ".pack"):
		return formPack, name
	case name == "-", strings.HasSuffix(name, ".jsonl"), strings.HasSuffix(name, ".jsonl.gz"):
		return formInterchange, name
	}
	return formDir, name
}

// IsFile reports whether a name is that of a file, whether there is one or not.
func IsFile(name string) bool {
	form, _ := parseName(name)
	return form == formPack || form == formInterchange
}

// HasTexts reports whether what Create makes under the name has a text for each
// entity and type, in which conflicts can be marked.
func HasTexts(name string) bool {
	form, _ := parseName(name)
	return form == formDir
}

// Open opens the world of that name.
func Open(name string, o Options) (*World, error) {
	form, rest := parseName(name)
	switch form {
	case formPack:
		return openPack(rest, o)
	case formInterchange:
		return openInterchange(rest, o)
	case formGit:
		return openGit(rest, o.WorldDir(), o)
	case formSVN:
		dir := o.WorldDir()
		return openRevision(vcs.SVN{Dir: dir}, rest, dir, o)
	}
	return openDirectory(rest, o)
}

func openDirectory(path string, o Options) (*World, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: no such file or directory (a world is a .pack, a .jsonl, a directory, git:REV, svn:BASE or svn:REV)", path, ErrNoWorld)
	case err != nil:
		return nil, fmt.Errorf("open world: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s: %w: a file's name has to end in .pack, .jsonl or .jsonl.gz", path, ErrNoWorld)
	}
	dir, err := worlddir.Open(path)
	switch {
	case errors.Is(err, worlddir.ErrNotFound):
		return openPlain(path, o)
	case err != nil:
		return nil, err
	case !exists(dir.StatePath()) && !exists(dir.PackPath()):
		return openPlain(dir.Root, o)
	}
	return openLive(dir, o)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// WorldDir returns the world directory that revisions are about. A repository
// may hold one where the working copy has none, or be bare.
func (o *Options) WorldDir() string {
	dir := o.Dir
	if dir == "" {
		dir = "."
	}
	if d, err := worlddir.Find(dir); err == nil {
		return d.Root
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}
