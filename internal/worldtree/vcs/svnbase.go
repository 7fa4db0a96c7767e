package vcs

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// svn export of BASE is no way to read it: it takes ten times as long, and has
// files that were copied since and lacks those that were replaced (svn 1.14).
// svn info lists every file with the SHA-1 of its text in the working copy's
// store, where texts lie by that name.

// node is a file or directory as svn info lists it.
type node struct {
	path, kind string
	revision   string
	schedule   string
	checksum   string
	top        string // of the working copy
	author     string // of the last change
	date       string
	conflicts  []svnConflict
	updated    string // when svn wrote the file last: its mtime then
	copiedFrom string // URL
	excluded   bool   // svn update --set-depth exclude: it is not in the working copy
}

// base reads the files of BASE.
func (w *workingCopy) base(ctx context.Context, q Query, yield func(File) bool) error {
	if _, err := w.svn(ctx, w.dir, "info", "--show-item", "kind", w.target("")).Text(); err != nil {
		return err
	}
	args := []string{"--xml", "--depth", "infinity"}
	for _, name := range q.Names {
		args = append(args, w.target(name))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	info := w.svn(ctx, w.dir, "info", args...)
	out, err := info.Pipe()
	if err != nil {
		return err
	}
	b := baseReading{workingCopy: w, ctx: ctx, query: q, yield: yield}
	err = eachNode(bufio.NewReaderSize(out, 1<<20), b.take)
	if err != nil {
		cancel()
		_ = info.Wait() // it was ended
		if errors.Is(err, errStopped) {
			return nil
		}
		return err
	}
	if err := info.Failed(info.Wait()); err != nil && !onlyMissing(err) {
		return err
	}
	return nil
}

// onlyMissing reports whether all that svn info complained about is that some
// of the names are not there.
func onlyMissing(err error) bool {
	var e *tool.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, line := range e.Lines() {
		if line != "" && !strings.Contains(line, "W155010") && !strings.Contains(line, "E200009") {
			return false
		}
	}
	return true
}

// errStopped ends the reading when the reader wants no more.
var errStopped = errors.New("stopped")

// eachNode reads what svn info --xml prints.
func eachNode(in io.Reader, do func(node) error) error {
	d := xml.NewDecoder(in)
	var n node
	var text strings.Builder
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("svn info printed what cannot be read: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			text.Reset()
			switch t.Name.Local {
			case "entry":
				n = newNode(t.Attr)
			case "conflict", "tree-conflict", "version":
				n.conflict(t)
			}
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			if t.Name.Local != "entry" {
				n.set(t.Name.Local, text.String())
			} else if n.excluded {
				continue
			} else if err := do(n); err != nil {
				return err
			}
		}
	}
}

func newNode(attrs []xml.Attr) (n node) {
	for _, a := range attrs {
		switch a.Name.Local {
		case "path":
			n.path = a.Value
		case "kind":
			n.kind = a.Value
		case "revision":
			n.revision = a.Value
		}
	}
	return n
}

func (n *node) set(element, text string) {
	switch element {
	case "schedule":
		n.schedule = text
	case "checksum":
		n.checksum = text
	case "text-updated":
		n.updated = text
	case "copy-from-url":
		n.copiedFrom = text
	case "depth":
		n.excluded = text == "exclude"
	case "wcroot-abspath":
		n.top = text
	case "author":
		n.author = text
	case "date":
		n.date = text
	case "prev-base-file", "prev-wc-file":
		n.conflictFile(element, text)
	}
}

// baseReading goes through the nodes of a working copy, directories before
// what is in them.
type baseReading struct {
	*workingCopy
	ctx   context.Context
	query Query
	yield func(File) bool

	added    string // the directory, with a slash, that BASE does not have
	revision string // of the last directory that BASE has
}

func (b *baseReading) take(n node) error {
	if b.added != "" && strings.HasPrefix(n.path, b.added) {
		return nil
	}
	rel, err := b.relative(n.path)
	if err != nil {
		return err
	}
	if n.kind == "dir" {
		return b.enter(n, rel)
	}
	f := File{Name: filepath.ToSlash(rel)}
	if n.kind != "file" || n.schedule == "add" || !b.query.wants(f.Name) {
		return nil
	}
	f.Size, f.Data, err = b.contents(n, f.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if !b.yield(f) {
		return errStopped
	}
	return nil
}

// relative returns a path that svn printed as seen from the directory: svn
// prints some so already.
func (w *workingCopy) relative(path string) (string, error) {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Rel(w.dir, path)
}

func (b *baseReading) enter(n node, rel string) error {
	switch n.schedule {
	case "add":
		b.added = n.path + "/"
	case "replace":
		return fmt.Errorf("%s is replaced in the working copy, and svn does not tell what it was; commit or revert it first", rel)
	default:
		b.revision = n.revision
	}
	return nil
}

// contents returns the text that a file has in BASE.
func (b *baseReading) contents(n node, name string) (int64, []byte, error) {
	if n.schedule == "replace" {
		return b.replaced(name)
	}
	if len(n.checksum) != 2*sha1.Size || !isHex(n.checksum) {
		return 0, nil, errors.New("svn has no text of it; svn cleanup, then svn update mends that")
	}
	size, data, err := pristine(n.top, n.checksum, b.query)
	if errors.Is(err, fs.ErrNotExist) {
		// A store of another layout, or without the text: svn itself has to say.
		return b.cat("-r", Base, b.target(name))
	}
	return size, data, err
}

// pristine reads a text of a working copy's store.
func pristine(top, checksum string, q Query) (int64, []byte, error) {
	at := filepath.Join(top, ".svn", "pristine", checksum[:2], checksum+".svn-base")
	size, data, err := readWhole(at, q)
	if err != nil || q.tooLarge(size) {
		return size, nil, err
	}
	if Checksum.ObjectOf(data) != checksum {
		return 0, nil, errors.New("svn's own copy of it in .svn is damaged; check the working copy out anew")
	}
	return size, data, nil
}

// replaced returns the text of a file that was deleted and added anew. Of such
// a one svn tells nothing but what is in the repository, at the revision that
// its directory is at.
func (b *baseReading) replaced(name string) (int64, []byte, error) {
	from, err := b.at(b.ctx, Base)
	if err != nil {
		return 0, nil, err
	}
	from.rev = b.revision
	if b.revision == "" {
		return 0, nil, errors.New("it is replaced in the working copy, and svn does not tell what it was; commit or revert it first")
	}
	return b.cat(from.file(name))
}

func (b *baseReading) cat(args ...string) (int64, []byte, error) {
	out, err := b.svn(b.ctx, b.dir, "cat", append([]string{"--ignore-keywords"}, args...)...).Text()
	if err != nil {
		return 0, nil, err
	}
	return int64(len(out)), out, nil
}
