package vcs

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// SVN reads the revisions of the svn working copy that Dir lies in. Revisions
// are BASE (what the last update or commit left, read without the network), a
// number, HEAD, or a date in braces.
type SVN struct{ Dir string }

// revisionForm is what svn calls a revision, as far as it makes sense for a
// directory.
var revisionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(r?[0-9]{1,10}|HEAD|\{[0-9A-Za-z:+. -]{1,40}\})$`)
})

// Base is the revision that needs no network.
const Base = "BASE"

// IsSVNRevision reports whether a name is one that svn has for a revision.
func IsSVNRevision(rev string) bool { return rev == Base || revisionForm().MatchString(rev) }

// What svn says, in codes that do not depend on its version.
const (
	svnNotWorkingCopy = "E155007"
	svnNotVersioned   = "E155010"
	svnNotKnown       = "W155010" // of a name in a working copy
	svnNoRevision     = "E160006"
	svnNotThen        = "E195012" // the path did not exist at the revision
	svnNoPath         = "E160013"
	svnNoURL          = "E170000"
	svnNoCommitted    = "E195002" // added, never committed
	svnNoSpace        = "E000028"
)

// workingCopy is where an SVN's directory lies.
type workingCopy struct {
	dir string // absolute, without symlinks
	env []string
}

func (s SVN) open() (*workingCopy, error) {
	dir, err := filepath.Abs(s.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("find svn working copy: %w", err)
	}
	// svn converts paths to the locale's encoding: with plain C it would refuse
	// names that are not ASCII.
	set := []string{"LC_ALL=C.UTF-8", "LANGUAGE="}
	if os.Getenv("SVN_SSH") == "" {
		set = append(set, "SVN_SSH=ssh -o BatchMode=yes")
	}
	return &workingCopy{dir: dir, env: tool.Environment(nil, set...)}, nil
}

func (w *workingCopy) svn(ctx context.Context, dir, verb string, args ...string) *tool.Command {
	return tool.New(ctx, dir, w.env, "svn", append([]string{verb, "--non-interactive"}, args...)...)
}

// target returns a path for svn, which would read an @ in it otherwise.
func (w *workingCopy) target(name string) string { return filepath.Join(w.dir, name) + "@" }

// Root returns the top of the working copy.
func (s SVN) Root() (string, error) {
	w, err := s.open()
	if err != nil {
		return "", err
	}
	out, err := w.svn(context.Background(), w.dir, "info", "--show-item", "wc-root", w.target("")).Text()
	if err != nil {
		return "", w.explain(err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

func (w *workingCopy) explain(err error) error {
	if tool.Says(err, svnNotWorkingCopy, svnNotVersioned, svnNotKnown) {
		return fmt.Errorf("%s: %w: svn does not know it", w.dir, ErrNoRepository)
	}
	return err
}

// Files reads the files of a revision.
func (s SVN) Files(q Query) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if err := s.files(ctx, q, func(f File) bool { return yield(f, nil) }); err != nil {
			yield(File{}, err)
		}
	}
}

func (s SVN) files(ctx context.Context, q Query, yield func(File) bool) error {
	if err := checkRevision("svn", q.Rev); err != nil {
		return err
	}
	if !IsSVNRevision(q.Rev) {
		return fmt.Errorf("svn revision %q: %w: give BASE, HEAD, a number, or a date such as {2024-12-31}", q.Rev, ErrRevisionName)
	}
	w, err := s.open()
	if err != nil {
		return err
	}
	if q.Rev == Base {
		err = w.base(ctx, q, yield)
	} else {
		err = w.exported(ctx, q, yield)
	}
	if err != nil {
		return fmt.Errorf("read svn revision %s: %w", q.Rev, w.explain(err))
	}
	return nil
}

// place is where the directory was in the repository at a revision.
type place struct {
	url string
	rev string // a number
}

// at finds the directory at a revision, by whatever name it had then.
func (w *workingCopy) at(ctx context.Context, rev string) (place, error) {
	out, err := w.svn(ctx, w.dir, "info", "--xml", "-r", rev, w.target("")).Text()
	switch {
	case tool.Says(err, svnNoRevision):
		return place{}, fmt.Errorf("%w; svn log lists what there is", ErrNoRevision)
	case tool.Says(err, svnNotThen, svnNoPath, svnNoURL, svnNoCommitted):
		return place{}, fmt.Errorf("%w of %s: it did not exist then; svn log lists when it did", ErrNoRevision, w.dir)
	case err != nil:
		return place{}, err
	}
	var info struct {
		Entry struct {
			Revision string `xml:"revision,attr"`
			URL      string `xml:"url"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(out, &info); err != nil {
		return place{}, fmt.Errorf("svn info printed what cannot be read: %w", err)
	}
	if _, err := strconv.ParseUint(info.Entry.Revision, 10, 63); err != nil || info.Entry.URL == "" {
		return place{}, errors.New("svn info printed what cannot be read")
	}
	return place{url: info.Entry.URL, rev: info.Entry.Revision}, nil
}

// file returns the URL of a file of the place, for svn.
func (p place) file(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return p.url + "/" + strings.Join(parts, "/") + "@" + p.rev
}

// exported reads the files of a revision that only the repository has.
func (w *workingCopy) exported(ctx context.Context, q Query, yield func(File) bool) error {
	from, err := w.at(ctx, q.Rev)
	if err != nil {
		return err
	}
	return w.export(ctx, from, q, yield)
}

// export exports what is wanted of a place, and reads it.
func (w *workingCopy) export(ctx context.Context, from place, q Query, yield func(File) bool) (err error) {
	for _, parent := range scratch() {
		err = w.exportBelow(ctx, from, parent, q, yield)
		if !tool.Says(err, svnNoSpace) {
			break
		}
	}
	return err
}

// scratch returns where to export to: into memory where there is such a place,
// which takes a sixth of the time, and else, or where that is full, to where
// temporary files are.
func scratch() []string {
	if os.Getenv("TMPDIR") != "" {
		return []string{""}
	}
	return []string{"/dev/shm", ""}
}

// exportBelow exports into a directory of our own below parent and reads it.
func (w *workingCopy) exportBelow(ctx context.Context, from place, parent string, q Query, yield func(File) bool) error {
	temp, err := os.MkdirTemp(parent, "worldfs-svn-")
	if err != nil && parent != "" {
		temp, err = os.MkdirTemp("", "worldfs-svn-")
	}
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	group, ctx := errgroup.WithContext(ctx)
	for i, name := range q.Names {
		group.Go(func() error { return w.exportName(ctx, from, name, temp, strconv.Itoa(i)) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, name := range q.Names {
		more, err := walk(filepath.Join(temp, strconv.Itoa(i)), name, q, yield)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// exportName puts a file or directory of a revision at temp/to. One that was not
// there is nothing.
func (w *workingCopy) exportName(ctx context.Context, from place, name, temp, to string) error {
	_, err := w.svn(ctx, temp, "export", "--quiet", "--ignore-externals", "--ignore-keywords", "--native-eol", "LF",
		"-r", from.rev, from.file(name), to).Text()
	if tool.Says(err, svnNoPath, svnNoURL) {
		return nil
	}
	return err
}

// walk yields what lies at root, which stands for name. Nothing is followed.
func walk(root, name string, q Query, yield func(File) bool) (more bool, err error) {
	more = true
	err = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && at == root {
			return nil // it was not in the revision
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		f := File{Name: path.Join(name, filepath.ToSlash(rel))}
		if !q.wants(f.Name) {
			return nil
		}
		if err := f.load(at, d, q); err != nil {
			return err
		}
		if more = yield(f); !more {
			return fs.SkipAll
		}
		return nil
	})
	return more, err
}

// load reads a file that no other program can change.
func (f *File) load(at string, d fs.DirEntry, q Query) error {
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		f.Kind = Symlink
		return nil
	case !d.Type().IsRegular():
		f.Kind = Other
		return nil
	}
	var err error
	f.Size, f.Data, err = readWhole(at, q)
	return err
}

// readWhole reads a file within the query's limit.
func readWhole(at string, q Query) (size int64, data []byte, err error) {
	file, err := os.Open(at)
	if err != nil {
		return 0, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || q.tooLarge(info.Size()) {
		return info.Size(), nil, err
	}
	data, err = io.ReadAll(file)
	return int64(len(data)), data, err
}
