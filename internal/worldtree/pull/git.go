package pull

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/pullrecord"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// gitPull is a pull of git's.
type gitPull struct {
	*Incoming
	*repository
	head   string
	shared string
	bases  []string
	dirty  []dirty
	mine   string   // all that is here, as a commit
	own    []Commit // that are not published, the newest first
	coming []change
	beside map[string]outsideMerge // mergeOutside, by the commit
}

func (in *Incoming) lookByGit(root string) error {
	r, err := open(root)
	if err != nil {
		return err
	}
	if err := checkLeft(root, r.edited); err != nil {
		return err
	}
	g := &gitPull{Incoming: in, repository: r, beside: make(map[string]outsideMerge)}
	in.way = g
	if err := g.findUpstream(); err != nil {
		return err
	}
	if err := g.findCommits(); err != nil || in.Nothing() {
		return err
	}
	if g.dirty, err = r.findDirty(); err != nil {
		return err
	}
	if g.mine, err = g.commitWorking(); err != nil {
		return fmt.Errorf("read what was not committed: %w", err)
	}
	if g.coming, err = r.diff(g.bases[0], g.shared); err != nil {
		return err
	}
	if in.Loss, err = g.loss(); err != nil {
		return err
	}
	return g.findOutside()
}

func (in *gitPull) ahead() (*resolve.Preview, error) {
	return resolve.Ahead(in.root, in.operation(), in.options.resolving())
}

// isForward reports whether nothing of the world is here that the others do not have, so
// that nothing is to be merged.
func (in *gitPull) isForward() bool { return in.Own == 0 && in.mine == in.head }

func (in *gitPull) operation() *vcs.Operation {
	return (&pullrecord.Record{Bases: in.bases, Shared: in.shared, Mine: in.mine}).Operation()
}

// findUpstream finds the branch that the current one follows, and has git fetch it.
func (in *gitPull) findUpstream() error {
	branch, err := in.git.Line("symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return errors.New("HEAD is on no branch (git switch BRANCH goes to one): there is nothing that it could follow")
	}
	follows, _ := in.git.Line("for-each-ref", "--format=%(upstream)%00%(upstream:remotename)", "refs/heads/"+branch)
	full, remote, _ := strings.Cut(follows, "\x00")
	if full == "" {
		return fmt.Errorf("the branch %s follows none that others publish; git branch --set-upstream-to=origin/%s makes it follow one", branch, branch)
	}
	if !in.options.Offline && remote != "" && remote != "." {
		if err := in.fetch(remote); err != nil {
			return fmt.Errorf("ask %s what others have published: %w (--offline goes by what git has heard before)", remote, err)
		}
	}
	in.Upstream = strings.TrimPrefix(strings.TrimPrefix(full, "refs/remotes/"), "refs/heads/")
	both, err := in.git.Line("rev-parse", full+"^{commit}", "HEAD^{commit}")
	if err != nil {
		return fmt.Errorf("%s or HEAD has no commit yet: %w", in.Upstream, err)
	}
	in.shared, in.head, _ = strings.Cut(both, "\n")
	return nil
}

// findCommits finds what comes in, and what is the person's own.
func (in *gitPull) findCommits() (err error) {
	if in.Commits, err = in.log(in.head + ".." + in.shared); err != nil || in.Nothing() {
		return err
	}
	if in.own, err = in.log(in.shared + ".." + in.head); err != nil {
		return err
	}
	in.Own = len(in.own)
	if in.bases, err = (vcs.Git{Dir: in.root}).MergeBases(in.head, in.shared); err != nil {
		return err
	}
	if len(in.bases) == 0 {
		return fmt.Errorf("what is here and %s have nothing in common (in a shallow clone git fetch --unshallow brings it)", in.Upstream)
	}
	slices.Sort(in.bases)
	return nil
}
