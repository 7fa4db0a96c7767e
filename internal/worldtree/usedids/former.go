package usedids

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Former returns those of some IDs that version control had before: in git the commits that
// HEAD comes from, in svn the revisions up to the working copy's. Its server is asked once about
// each revision, as long as the IDs are of those that were asked about before; keep replaces the
// file of the local state that has what it said.
func Former(ctx context.Context, dir *worlddir.Dir, ids []entity.ID, keep func(dir *worlddir.Dir, name string, data []byte) error) (former map[entity.ID]bool, err error) {
	switch {
	case dir.WorkingCopy(".git") != "":
		return formerInGit(ctx, dir.Root, ids)
	case dir.WorkingCopy(".svn") != "":
		ctx, cancel := context.WithTimeout(ctx, maxAsking)
		defer cancel()
		return formerInSVN(ctx, dir, ids, keep)
	}
	return nil, nil
}

// maxAsking is how long svn's server may take to tell what it had.
const maxAsking = 5 * time.Second

// maxNamed is of how many IDs git is asked by the names of their files: of more it is asked
// about all files.
const maxNamed = 100

func formerInGit(ctx context.Context, root string, ids []entity.ID) (map[entity.ID]bool, error) {
	git, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return nil, err
	}
	names := []string{worlddir.EntitiesName}
	if len(ids) <= maxNamed {
		names = nil
		for _, id := range ids {
			names = append(names, layout.Places(id)...)
		}
	}
	a := newAnswers(ids)
	err = added(git.Within(ctx), []byte("HEAD\n--\n"+strings.Join(names, "\n")+"\n"), a.look, "--full-history")
	return a.IDs, err
}

// answers are what version control says of IDs: whether it had them.
type answers struct {
	Of       string             `json:"of"`       // which directory of which repository
	Revision int64              `json:"revision"` // up to which it was asked
	IDs      map[entity.ID]bool `json:"ids"`
}

func newAnswers(ids []entity.ID) *answers {
	a := &answers{IDs: make(map[entity.ID]bool, len(ids))}
	for _, id := range ids {
		a.IDs[id] = false
	}
	return a
}

// look notes that version control had an ID, where it was asked about.
func (a *answers) look(id entity.ID) {
	if _, asked := a.IDs[id]; asked {
		a.IDs[id] = true
	}
}

// areOf reports whether the answers are of some IDs, in a working copy.
func (a *answers) areOf(c svnCopy, ids []entity.ID) bool {
	for _, id := range ids {
		if _, asked := a.IDs[id]; !asked {
			return false
		}
	}
	return a.Of == c.of && a.Revision <= c.revision
}

// formerInSVN goes on from where an earlier call has read to. Where that is not known, or cannot
// be kept, it begins anew.
func formerInSVN(ctx context.Context, dir *worlddir.Dir, ids []entity.ID, keep func(*worlddir.Dir, string, []byte) error) (map[entity.ID]bool, error) {
	c, err := copyOf(ctx, dir.Root)
	if err != nil {
		return nil, err
	}
	var a *answers
	kept, err := dir.Kept(worlddir.FormerIDsName)
	if err != nil || json.Unmarshal(kept, &a) != nil || a == nil || !a.areOf(c, ids) {
		a = newAnswers(ids)
		a.Of = c.of
	}
	if a.Revision == c.revision {
		return a.IDs, nil
	}
	if err := c.added(ctx, a.Revision, a.look); err != nil {
		return nil, err
	}
	a.Revision = c.revision
	if data, err := json.Marshal(a); err == nil {
		_ = keep(dir, worlddir.FormerIDsName, data) // the next call can do without
	}
	return a.IDs, nil
}
