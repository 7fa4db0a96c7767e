package resolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Pulled is what was pulled last: the record by which a pull that was
// interrupted is finished, and by which what one has left in conflict is known until
// something is committed. It is local, in .worldfs.
type Pulled struct {
	Version int      `json:"version"`
	Head    string   `json:"head,omitempty"`   // where git's branch was
	Tip     string   `json:"tip,omitempty"`    // where it is to be
	Bases   []string `json:"bases,omitempty"`  // what Shared and Mine have in common
	Shared  string   `json:"shared,omitempty"` // what came in
	Mine    string   `json:"mine,omitempty"`   // all that the person had, committed or not
	Ended   bool     `json:"ended"`

	// Of svn, instead of commits: the revision, and what it was about.
	Revision string `json:"revision,omitempty"`
	SVN      []byte `json:"svn,omitempty"`

	// Besides the world: the trees that git's working tree goes from and to. "": nothing
	// there changes.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`

	// What of the world git's index had otherwise than Head, as the working tree had it:
	// files that were staged, and those of which git was only told that they are to be
	// added.
	Staged []string `json:"staged,omitempty"`
	Told   []string `json:"told,omitempty"`
}

const pulledVersion = 1

// ReadPulled returns the record of a world's last pull, nil if there is none.
func ReadPulled(dir *worlddir.Dir) (*Pulled, error) {
	data, err := dir.Kept(worlddir.PulledName)
	if data == nil || err != nil {
		return nil, err
	}
	var p Pulled
	err = json.Unmarshal(data, &p)
	if err == nil && p.Version > pulledVersion {
		return nil, fmt.Errorf(".worldfs/%s was written by a later build of worldfs; use that build", worlddir.PulledName)
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, fmt.Errorf(".worldfs/%s is damaged: %w; remove it: all that was pulled is in version control, and what you had is in git the commit refs/worktree/worldfs/mine", worlddir.PulledName, err)
	}
	return &p, nil
}

// check refuses what no pull has written: version control is called with it.
func (p *Pulled) check() error {
	for _, object := range append([]string{p.Head, p.Tip, p.Shared, p.Mine, p.From, p.To}, p.Bases...) {
		if strings.Trim(object, "0123456789abcdef") != "" {
			return fmt.Errorf("%q is no object of git's", object)
		}
	}
	switch {
	case strings.Trim(p.Revision, "0123456789") != "" || (p.Revision == "") != (p.SVN == nil):
		return fmt.Errorf("%q is no revision of svn's", p.Revision)
	case !p.Ended && p.SVN == nil && (p.Head == "" || p.Tip == "" || p.Shared == "" || p.Mine == ""):
		return errors.New("it does not say what was pulled")
	}
	return nil
}

// IsBehind reports whether a pull of svn's was of an earlier revision.
func (p *Pulled) IsBehind(revision uint64) bool {
	to, err := strconv.ParseUint(p.Revision, 10, 63)
	return err == nil && to < revision
}

// Write keeps the record.
func (p *Pulled) Write(dir *worlddir.Dir, keep Keep) error {
	p.Version = pulledVersion
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return keep(dir, worlddir.PulledName, data)
}

// Operation is the pull as an operation: ours is what is shared.
func (p *Pulled) Operation() *vcs.Operation {
	return &vcs.Operation{Kind: vcs.Pulling, Bases: p.Bases, Ours: p.Shared, Theirs: p.Mine, Mine: true}
}

// findPulled returns the pull of which HEAD came, nil if git has committed something since.
func findPulled(root string) (*vcs.Operation, error) {
	p, err := ReadPulled(worlddir.Known(root, entity.GUID{}))
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
	p, err := ReadPulled(a.dir)
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
	p, err := ReadPulled(dir)
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
