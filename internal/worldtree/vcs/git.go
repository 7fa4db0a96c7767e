package vcs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
	"github.com/worldfs/worldfs/internal/worldtree/gitobject"
	"github.com/worldfs/worldfs/internal/worldtree/gitplace"
)

// Git reads the revisions of the git repository that Dir lies in: a working
// tree or a linked one, or a bare repository. Which repository that is, Dir
// says and not GIT_DIR, which is set for a process that git runs and is about the
// directory that git was run in; where Dir lies in none, GIT_DIR counts. So it is with
// the index, unless IndexFile names the one that is meant: a commit of some files alone
// has an index of its own.
type Git struct {
	Dir       string
	IndexFile string // absolute; "" for the repository's
}

// ofPaths are the variables that change how git reads paths.
var ofPaths = map[string]bool{"GIT_GLOB_PATHSPECS": true, "GIT_NOGLOB_PATHSPECS": true, "GIT_ICASE_PATHSPECS": true}

// ofOneRepository are, besides, those by which git names one repository to the
// processes that it runs.
var ofOneRepository = map[string]bool{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_OBJECT_DIRECTORY": true, "GIT_DIR": true,
	"GIT_WORK_TREE": true, "GIT_IMPLICIT_WORK_TREE": true, "GIT_COMMON_DIR": true, "GIT_GRAFT_FILE": true,
	"GIT_INDEX_FILE": true, "GIT_REPLACE_REF_BASE": true, "GIT_PREFIX": true, "GIT_SHALLOW_FILE": true,
	"GIT_INTERNAL_SUPER_PREFIX": true, "GIT_NAMESPACE": true, "GIT_QUARANTINE_PATH": true,
}

// repository is where a Git's directory lies.
type repository struct {
	dir    string
	prefix string // of dir in the tree: "" or ending in /
	gitDir string // git's own, of this working tree
	env    []string
}

// Root returns the path of Dir from the top of its repository's tree: "" for
// the top itself.
func (g Git) Root() (prefix string, err error) {
	r, err := g.open(context.Background())
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(r.prefix, "/"), nil
}

// Resolve returns the commit that a revision names, as an object ID.
func (g Git) Resolve(rev string) (string, error) {
	r, err := g.open(context.Background())
	if err != nil {
		return "", err
	}
	return r.resolve(context.Background(), rev)
}

func (g Git) open(ctx context.Context) (*repository, error) {
	r := &repository{dir: g.Dir, env: gitEnvironment(ofPaths, ofOneRepository)}
	p, known := gitplace.Known(g.Dir)
	if !known {
		var err error
		if p, err = r.ask(ctx); err != nil {
			return nil, err
		}
	}
	r.prefix, r.gitDir = p.Prefix, p.GitDir
	if g.IndexFile != "" {
		r.env = append(r.env, "GIT_INDEX_FILE="+g.IndexFile)
	}
	return r, nil
}

// ask asks git where the repository's directory lies.
func (r *repository) ask(ctx context.Context) (p gitplace.Place, err error) {
	args := []string{"rev-parse", "--show-prefix", "--absolute-git-dir"}
	out, err := r.git(ctx, args...).Text()
	if err == nil {
		return gitplace.Learn(r.dir, string(out)), nil
	}
	if tool.Says(err, "not a git repository") && os.Getenv("GIT_DIR") != "" {
		r.env = gitEnvironment(ofPaths)
		if dir, abs := filepath.Abs(os.Getenv("GIT_DIR")); abs == nil {
			r.env = append(r.env, "GIT_DIR="+dir)
		}
		if out, err = r.git(ctx, args...).Text(); err == nil {
			return gitplace.Parse(string(out)), nil
		}
	}
	if tool.Says(err, "not a git repository") {
		return p, fmt.Errorf("%s: %w: it lies in no git repository", r.dir, ErrNoRepository)
	}
	return p, fmt.Errorf("find git repository of %s: %w", r.dir, err)
}

// gitEnvironment has git find a repository that a world's mount is in, also from inside.
func gitEnvironment(dropped ...map[string]bool) []string {
	return tool.Environment(dropped, "LC_ALL=C", "GIT_DISCOVERY_ACROSS_FILESYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1")
}

func (r *repository) git(ctx context.Context, args ...string) *tool.Command {
	return tool.New(ctx, r.dir, r.env, "git", append([]string{"--no-pager"}, args...)...)
}

func (r *repository) resolve(ctx context.Context, rev string) (string, error) {
	if err := checkRevision("git", rev); err != nil {
		return "", err
	}
	out, err := r.git(ctx, "rev-parse", "--verify", "--end-of-options", rev+"^{commit}").Text()
	if errors.Is(err, ErrNoTool) {
		return "", err
	}
	oid := strings.TrimSpace(string(out))
	switch {
	case err != nil && !tool.Says(err, "Needed a single revision"):
		return "", fmt.Errorf("git revision %q: %w (%w); git log and git branch -a list what there is", rev, ErrNoRevision, err)
	case err != nil || !isHex(oid):
		return "", fmt.Errorf("git revision %q: %w in the repository of %s; git log and git branch -a list what there is", rev, ErrNoRevision, r.dir)
	}
	return oid, nil
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdef") == "" }

// Files reads the files of a revision.
func (g Git) Files(q Query) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if err := g.files(ctx, q, func(f File) bool { return yield(f, nil) }); err != nil {
			yield(File{}, err)
		}
	}
}

func (g Git) files(ctx context.Context, q Query, yield func(File) bool) error {
	t, err := g.tree(ctx, q)
	if err != nil {
		return err
	}
	return t.read(ctx, t.Files, yield)
}

// send sends the contents of all regular files, those that were not read before from one
// process.
func (r *repository) send(ctx context.Context, entries []Listed, q Query, yield func(File) bool) error {
	known := r.known(entries)
	lacking := slices.DeleteFunc(slices.Clone(entries), func(e Listed) bool {
		_, ok := known[e.Object]
		return ok || e.Kind != Regular
	})
	if len(lacking) == 0 {
		_, err := r.receive(nil, entries, known, q, yield)
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	cat := r.git(ctx, "cat-file", "--batch", "--buffer")
	cat.Stdin = requests(lacking)
	out, err := cat.Pipe()
	if err != nil {
		cancel()
		return err
	}
	stopped, err := r.receive(bufio.NewReaderSize(out, 64<<10), entries, known, q, yield)
	if stopped || err != nil {
		cancel()
	}
	ended := cat.Failed(cat.Wait())
	cancel()
	if stopped {
		return nil
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && ended != nil {
		return ended // why it stopped sending
	}
	return errors.Join(err, ended)
}

// requests returns the lines that ask for the files.
func requests(entries []Listed) io.Reader {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Object)
		b.WriteByte('\n')
	}
	return strings.NewReader(b.String())
}

// known returns what is known of the contents of files, by their objects.
func (r *repository) known(entries []Listed) map[string][]byte {
	known := make(map[string][]byte)
	for _, e := range entries {
		if data, ok := gitobject.Get(r.gitDir, e.Object); ok {
			known[e.Object] = data
		}
	}
	return known
}

func (r *repository) receive(in *bufio.Reader, entries []Listed, known map[string][]byte, q Query, yield func(File) bool) (stopped bool, err error) {
	for _, e := range entries {
		f := File{Name: e.Name, Kind: e.Kind}
		if data, ok := known[e.Object]; ok && e.Kind == Regular {
			if f.Size = int64(len(data)); !q.tooLarge(f.Size) {
				f.Data = slices.Clone(data)
			}
		} else if e.Kind == Regular {
			if f.Size, f.Data, err = gitobject.ReadBlob(in, e.Object, q.Limit); err != nil {
				return false, fmt.Errorf("%s: %w", e.Name, err)
			}
			if !q.tooLarge(f.Size) {
				gitobject.Put(r.gitDir, e.Object, f.Data)
			}
		}
		if !yield(f) {
			return true, nil
		}
	}
	return false, nil
}
