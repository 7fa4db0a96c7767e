package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// classifyUnread adds the entities whose text does not parse, though all sides' do, and is
// what git has made of them: one side declares a field of which the other has lines that
// are no value.
func (r *Resolution) classifyUnread(working *worldform.World, states map[entity.ID]state) error {
	names := r.files.names()
	for _, id := range working.Unread() {
		if states[id] != untouched || r.isUnreadOnASide(id) {
			continue
		}
		git, err := r.isTaken(id, names[id]), error(nil)
		if !git {
			git, err = r.isByGit(id, names[id], r.files.object)
		}
		if err != nil {
			return err
		}
		if git {
			states[id] = gitsUnread
		}
	}
	return nil
}

func (r *Resolution) isUnreadOnASide(id entity.ID) bool {
	return slices.ContainsFunc([]int{0, 1, 2}, func(side int) bool { return slices.Contains(r.unreadOn(side), id) })
}

// unreadOn returns the entities that a side has and that are not read.
func (r *Resolution) unreadOn(side int) []entity.ID {
	return slices.DeleteFunc(r.sides[side].Unread(), func(id entity.ID) bool { return r.reread[side][id] != nil })
}

// Unread is a file that is left as it is.
type Unread struct {
	File string
	Why  string // on one line
}

func (u Unread) String() string { return u.File + ", " + u.Why }

// isDoubtful reports whether a finding says that a text is not to be taken for what a person
// means: it does not parse, or has both sides' lines of a field without the markers.
func isDoubtful(f entity.Finding) bool {
	return f.Code == entity.CodeBroken || f.Code == entity.CodeUnreadable || f.Code == entity.CodeFieldTwice
}

// whyUnread returns what is to be mended in an entity's text, in the working copy or on a side.
func whyUnread(id entity.ID, worlds ...*worldform.World) string {
	for _, w := range worlds {
		for _, f := range w.Findings {
			if f.ID == id && isDoubtful(f) {
				f.ID, f.File = 0, "" // the file is told, of which the finding may know less
				return f.String()
			}
		}
	}
	return "it cannot be read"
}

// leftUnread returns the entities whose files are left as they are: what a person wrote
// and does not parse, or says a field twice, and what a side wrote so where the other changed
// it, too, which no merge of values is to throw away.
func (r *Resolution) leftUnread(working *worldform.World, states map[entity.ID]state) []entity.ID {
	ids := slices.DeleteFunc(working.Unread(), func(id entity.ID) bool { return states[id] == gits || states[id] == gitsUnread })
	for _, f := range working.Findings {
		if f.Code == entity.CodeFieldTwice && states[f.ID] == persons {
			ids = append(ids, f.ID)
		}
	}
	names := r.files.names()
	for side := 1; side <= 2; side++ {
		for _, id := range r.unreadOn(side) {
			objects := [3]string{r.objectOn(0, id, names[id]), r.objectOn(1, id, names[id]), r.objectOn(2, id, names[id])}
			if states[id] == gits && objects[0] != objects[1] && objects[0] != objects[2] && objects[1] != objects[2] {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// objectOn returns the object of an entity's text on a side, "" for none. names are its
// files.
func (r *Resolution) objectOn(side int, id entity.ID, names []string) string {
	if object, ok := r.sides[side].Object(id); ok {
		return object
	}
	text, ok := r.sides[side].Texts[id]
	if !ok || len(names) == 0 {
		return ""
	}
	return r.index.Tree([]vcs.Listed{{Object: r.files.object(names[0])}}).Format().ObjectOf(text)
}

// isTaken reports whether the file of an entity is that of a side.
func (r *Resolution) isTaken(id entity.ID, names []string) bool {
	return len(names) == 1 && slices.ContainsFunc([]int{0, 1, 2}, func(side int) bool {
		return r.objectOn(side, id, names) == r.files.object(names[0])
	})
}
