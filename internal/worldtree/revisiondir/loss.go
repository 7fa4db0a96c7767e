package revisiondir

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Loss is what makes a revision's world look as if it had been emptied by mistake: a great
// loss since the revision before, or no entity at all. A revision by itself has no last
// pack with which it could be compared.
type Loss struct {
	Revision string // its name
	Had      int    // entities of the revision before; 0 where that is not known
	Gone     int    // how many of them are not in this one
}

func (l *Loss) Error() string {
	const meant = "; if that is meant, --allow-loss goes on all the same"
	if l.Had == 0 {
		return l.Revision + " has no entity" + meant
	}
	return fmt.Sprintf("%s of the %s entities of the revision before are gone at %s%s",
		humanize.Comma(int64(l.Gone)), humanize.Comma(int64(l.Had)), l.Revision, meant)
}

// FindLoss returns the loss at the revision of that name of the world that lies, or once
// lay, in a directory, nil for none. Of svn only a revision by number is compared with the
// one before it, as only of that it is known which that is; of a shallow clone the first
// has none.
func FindLoss(name, dir string) (*Loss, error) {
	files, rev, err := reader(name, dir)
	if err != nil {
		return nil, err
	}
	now, err := entitiesAt(files, rev)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", name, err)
	}
	had := make(map[entity.ID]bool)
	if before := revisionBefore(files, rev); before != "" {
		if had, err = entitiesAt(files, before); err != nil && !isNone(err) {
			return nil, fmt.Errorf("list the revision before %s: %w", name, err)
		}
	}
	gone, made := 0, len(now)
	for id := range had {
		if now[id] {
			made--
		} else {
			gone++
		}
	}
	if len(now) == 0 || greatloss.Is(len(had), max(0, gone-made)) { // what was made may be what has another ID now
		return &Loss{Revision: name, Had: len(had), Gone: gone}, nil
	}
	return nil, nil
}

// isNone reports whether there was no such revision, or nothing of a world at it.
func isNone(err error) bool {
	return errors.Is(err, vcs.ErrNoRevision) || errors.Is(err, vcs.ErrNoRepository)
}

// revisionBefore returns the name of the revision before one, "" where that is not known.
func revisionBefore(files vcs.Reader, rev string) string {
	if _, ok := files.(vcs.Git); ok {
		return rev + "^1"
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(rev, "r")); err == nil && n > 0 {
		return strconv.Itoa(n - 1)
	}
	return ""
}

// entitiesAt returns the entities that have a file at a revision, whatever is in it.
func entitiesAt(files vcs.Reader, rev string) (map[entity.ID]bool, error) {
	ids := make(map[entity.ID]bool)
	query := vcs.Query{Rev: rev, Names: []string{worlddir.EntitiesName}, Limit: 1, Want: func(name string) bool {
		_, ok := layout.EntityOf(name)
		return ok
	}}
	add := func(name string) {
		if id, ok := layout.EntityOf(name); ok {
			ids[id] = true
		}
	}
	if git, ok := files.(vcs.Git); ok {
		tree, err := git.Tree(query)
		if err != nil {
			return ids, err
		}
		for _, f := range tree.Files {
			add(f.Name)
		}
		return ids, nil
	}
	for f, err := range files.Files(query) {
		if err != nil {
			return ids, err
		}
		add(f.Name)
	}
	return ids, nil
}
