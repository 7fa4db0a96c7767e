// Package creators finds out for whom entities were created that both sides of a merge have
// made under one ID: the owner of a range by whose name the file of an entity was committed
// first. So a new ID is in its creator's own range, whose machine it ever is that merges.
package creators

import (
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitlog"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// Authors returns by whom files of a side were committed first, of those of which it is known.
type Authors func(p merge.Party, files []string) map[string]string

// Find returns what tells a merge for whom entities were created, whose files have these names.
// It is nil where no range has an owner.
func Find(ranges []merge.Range, name func(entity.ID) string, authors Authors) func(merge.Party, []entity.ID) map[entity.ID][]string {
	keys := make(map[string]string) // by their names in lower case
	for _, in := range ranges {
		for _, key := range in.Owners {
			keys[strings.ToLower(key)] = key
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return func(p merge.Party, ids []entity.ID) map[entity.ID][]string {
		files := make([]string, len(ids))
		for i, id := range ids {
			files[i] = name(id)
		}
		by := authors(p, files)
		out := make(map[entity.ID][]string)
		for i, id := range ids {
			if key := keys[strings.ToLower(by[files[i]])]; key != "" {
				out[id] = []string{key}
			}
		}
		return out
	}
}

// InGit returns the authors of the commits of an operation's sides.
func InGit(git vcs.Git, op *vcs.Operation) Authors {
	return func(p merge.Party, files []string) map[string]string {
		rev := op.Ours
		if p == merge.Theirs {
			rev = op.Theirs
		}
		commits, _ := gitlog.Creators(git, op.Bases, rev, files) // what git does not tell is not known
		by := make(map[string]string)
		for name, c := range commits {
			by[name] = c.Author
		}
		return by
	}
}

// Kept is what was found out once. svn's server is asked, which may not answer the next time:
// the new IDs are to be the same.
type Kept struct {
	Ours   map[string]string `json:"ours,omitempty"`
	Theirs map[string]string `json:"theirs,omitempty"`
}

// Of returns authors that ask others about what is not kept, and keep it.
func (k *Kept) Of(others Authors) Authors {
	return func(p merge.Party, files []string) map[string]string {
		known := &k.Ours
		if p == merge.Theirs {
			known = &k.Theirs
		}
		var ask []string
		for _, name := range files {
			if _, ok := (*known)[name]; !ok {
				ask = append(ask, name)
			}
		}
		if len(ask) > 0 && *known == nil {
			*known = make(map[string]string)
		}
		by := others(p, ask)
		for _, name := range ask {
			(*known)[name] = by[name]
		}
		return *known
	}
}
