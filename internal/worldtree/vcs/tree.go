package vcs

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/gitobject"
)

// Listed is a file as a revision's tree lists it. Regular files with one Object
// have the same contents.
type Listed struct {
	Name   string // from the directory asked about, with slashes
	Kind   Kind
	Object string // the object ID, in hexadecimal
}

// Tree is what version control has at a revision: the wanted files, those of a name in
// Query.Names before those of the next. They are listed, and read when asked for.
type Tree struct {
	Files []Listed

	store store
	query Query
}

// store holds contents by their Object.
type store interface {
	format(files []Listed) ObjectFormat
	send(ctx context.Context, files []Listed, q Query, yield func(File) bool) error
	about(q Query) string // which files a query is about, for errors
}

// Tree lists a revision without reading any file of it.
func (g Git) Tree(q Query) (*Tree, error) { return g.tree(context.Background(), q) }

func (g Git) tree(ctx context.Context, q Query) (*Tree, error) {
	r, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	oid := q.Rev
	if !isObjectID(oid) {
		if oid, err = r.resolve(ctx, q.Rev); err != nil {
			return nil, err
		}
	}
	t := &Tree{store: r, query: q}
	if t.Files, err = r.list(ctx, oid, q); err != nil {
		if _, err := r.resolve(ctx, q.Rev); err != nil {
			return nil, err // which says more
		}
		return nil, t.failed(err)
	}
	return t, nil
}

// isObjectID reports whether a revision is named in full.
func isObjectID(rev string) bool {
	return isHex(rev) && (len(rev) == hex.EncodedLen(sha1.Size) || len(rev) == hex.EncodedLen(sha256.Size))
}

func (t *Tree) failed(err error) error {
	return fmt.Errorf("read %s: %w", t.store.about(t.query), err)
}

func (r *repository) about(q Query) string { return "git revision " + q.Rev }

// Read reads some of the tree's files, in the order given, and ends with the first
// error.
func (t *Tree) Read(files []Listed) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if err := t.read(ctx, files, func(f File) bool { return yield(f, nil) }); err != nil {
			yield(File{}, err)
		}
	}
}

func (t *Tree) read(ctx context.Context, files []Listed, yield func(File) bool) error {
	if err := t.store.send(ctx, files, t.query, yield); err != nil {
		return t.failed(err)
	}
	return nil
}

// list returns the wanted files in the order of the query's names.
func (r *repository) list(ctx context.Context, oid string, q Query) ([]Listed, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", oid, "--"}
	for _, name := range q.Names {
		args = append(args, r.prefix+name)
	}
	out, err := r.aboutObject(ctx, args...)
	if err != nil {
		return nil, err
	}
	ranked := make([][]Listed, len(q.Names))
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line == "" {
			continue
		}
		f, err := parseListed(line)
		if err != nil {
			return nil, err
		}
		f.Name = strings.TrimPrefix(f.Name, r.prefix)
		if i := q.rank(f.Name); i >= 0 && q.wants(f.Name) {
			ranked[i] = append(ranked[i], f)
		}
	}
	return slices.Concat(ranked...), nil
}

// aboutObject is git's answer to a question about objects named by their IDs, asked once.
func (r *repository) aboutObject(ctx context.Context, args ...string) ([]byte, error) {
	asked := strings.Join(args, "\x00")
	if said, ok := gitobject.Get(r.gitDir, asked); ok {
		return said, nil
	}
	said, err := r.git(ctx, args...).Text()
	if err == nil {
		gitobject.Put(r.gitDir, asked, said)
	}
	return said, err
}

// parseListed reads "100644 blob 0123abcd…\tname".
func parseListed(line string) (Listed, error) {
	head, name, ok := strings.Cut(line, "\t")
	mode, rest, _ := strings.Cut(head, " ")
	what, object, _ := strings.Cut(rest, " ")
	if !ok || !isHex(object) {
		return Listed{}, fmt.Errorf("git ls-tree printed what cannot be read: %q", line)
	}
	kind := Other
	switch {
	case strings.HasPrefix(mode, "100") && what == "blob":
		kind = Regular
	case mode == "120000":
		kind = Symlink
	}
	return Listed{Name: name, Kind: kind, Object: object}, nil
}

// ObjectFormat is how a repository makes object IDs.
type ObjectFormat int

// The object formats.
const (
	SHA1 ObjectFormat = iota
	SHA256
	Checksum // svn's: the SHA-1 of the contents alone
)

// Format returns the object format of the tree's files.
func (t *Tree) Format() ObjectFormat { return t.store.format(t.Files) }

func (r *repository) format(files []Listed) ObjectFormat {
	if len(files) == 0 {
		return SHA1
	}
	return FormatOf(files[0].Object)
}

// FormatOf returns the format of git's that an object ID is of.
func FormatOf(object string) ObjectFormat {
	if len(object) == hex.EncodedLen(sha256.Size) {
		return SHA256
	}
	return SHA1
}

// ObjectOf returns the Object of a file with these contents.
func (f ObjectFormat) ObjectOf(data []byte) string {
	var sum hash.Hash
	if f == SHA256 {
		sum = sha256.New()
	} else {
		sum = sha1.New()
	}
	if f != Checksum {
		sum.Write(append(strconv.AppendInt([]byte("blob "), int64(len(data)), 10), 0))
	}
	sum.Write(data)
	return hex.EncodeToString(sum.Sum(nil))
}
