package resolve

import (
	"errors"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/pullrecord"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// findPulled returns the pull of which HEAD came, nil if git has committed something since.
func findPulled(root string) (*vcs.Operation, error) {
	p, err := pullrecord.Read(worlddir.Known(root, entity.GUID{}))
	if p == nil || err != nil || !p.Ended || p.Tip == "" {
		return nil, err
	}
	head, err := vcs.Git{Dir: root}.Resolve("HEAD")
	switch {
	case errors.Is(err, vcs.ErrNoRepository), errors.Is(err, vcs.ErrNoTool), errors.Is(err, vcs.ErrNoRevision):
		return nil, nil
	case err != nil || head != p.Tip:
		return nil, err
	}
	return p.Operation(), nil
}

// unstagePulled has git's index have settled files as the branch does, and returns those that
// are to be staged: a pull leaves what is not committed as that, and what was staged as staged.
// A file that the branch does not have is staged, or git commit -a would leave it out.
func (a *applying) unstagePulled(names []string) (staged []string, err error) {
	git, ok := a.control.(*gitControl)
	if !ok || a.Operation.Kind != vcs.Pulling || len(names) == 0 {
		return names, nil
	}
	p, err := pullrecord.Read(a.dir)
	if p == nil || err != nil {
		return names, err
	}
	q := indexQuery()
	q.Rev = "HEAD"
	tree, err := git.Tree(q)
	if err != nil {
		return nil, err
	}
	var branch []vcs.Staged
	for _, f := range tree.Files {
		if i, is := slices.BinarySearch(names, f.Name); is && !slices.Contains(p.Staged, f.Name) {
			branch = append(branch, vcs.Staged{Listed: f, Mode: "100644"})
			names = slices.Delete(names, i, i+1)
		}
	}
	err = a.index.Unmerged(branch)
	git.Refresh()
	return names, err
}

// nextPulled returns the command that goes on after a pull of git's: what is not committed is
// the person's to commit, and what was made anew to publish.
func nextPulled(c control, dir *worlddir.Dir) string {
	git, ok := c.(*gitControl)
	p, err := pullrecord.Read(dir)
	if !ok || p == nil || err != nil {
		return ""
	}
	if changed, err := git.IsUncommitted(indexQuery()); changed || err != nil {
		return "git commit -a"
	}
	if p.Tip != p.Shared {
		return "git push"
	}
	return ""
}
