package resolve

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/textcodec"
)

// A file that version control has merged and a person has edited besides is written where the
// merged world has more than both, as a ref that follows its entity to another ID. The index
// has it then with the edit in it: what is theirs the next call knows by what lies under that.

// noteUnder keeps the text of an entity that lies under edits of a person's, "" for none.
func (r *record) noteUnder(name, text string) {
	switch {
	case text == "":
		delete(r.Under, name)
	case r.Under == nil:
		r.Under = map[string]string{name: text}
	default:
		r.Under[name] = text
	}
}

// noteEdited notes the files that were written with edits of a person's in them.
func noteEdited(a *applying) {
	for name := range a.touched {
		id, ok := layout.EntityOf(name)
		if !ok {
			continue
		}
		under := ""
		merged, inMerged := a.Merged.Get(id)
		if e, ok := a.home.Get(id); ok && inMerged && a.states[id] == untouched && !e.Same(merged) {
			under = string(textcodec.Append(nil, merged))
		}
		a.past.noteUnder(name, under)
	}
}

// under has entities whose files an earlier call has written with edits of a person's in them
// be without these, for bringing the merged world home.
func under(r *Resolution, states map[entity.ID]state, was map[entity.ID]*entity.Entity) {
	if r.taking || r.Operation.Kind == vcs.Pulling {
		return
	}
	for name, text := range r.past.Under {
		id, ok := layout.EntityOf(name)
		if !ok || states[id] != untouched || !r.isWritten(name) {
			continue
		}
		if read, err := textcodec.Decode([]byte(text), id, r.Merged.Types); err == nil {
			was[id] = read.Entity
		}
	}
}
