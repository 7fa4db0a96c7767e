package resolve

import (
	"errors"
	"os"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/textcodec"
)

// forgetTakenBack drops choices that were taken back since: an earlier call wrote a file as
// they say, and the conflict is marked there again, as by worldfs undo. What a save has marked is
// another conflict.
func (r *Resolution) forgetTakenBack() error {
	if r.past.anew {
		return nil
	}
	saves, err := savemarks.Read(r.dir)
	if err != nil && !errors.Is(err, keptfile.ErrDamaged) { // readSaved tells
		return err
	}
	for _, c := range r.past.Applied {
		name := r.dir.Settings.Shard.Name(c.ID)
		wrote, ok := r.past.Wrote[name]
		if c.ID == 0 || !r.files.marked[name] || ok && wrote == r.files.object(name) {
			continue
		}
		text, err := os.ReadFile(r.files.path(name))
		if err != nil {
			return err
		}
		isSaved := func(m *savemarks.Mark) bool {
			s := m.In(text, r.sides[1].Types).Without(c.ID, r.sides[1].Types, func(field string, other *entity.Entity) bool { return isOfEither(r, other, field) })
			return m.ID == c.ID && slices.Contains(s.Fields, c.Field)
		}
		if slices.ContainsFunc(saves, isSaved) {
			continue
		}
		fields, whole := textcodec.Disputed(text, c.ID, r.sides[1].Types)
		if c.Field == "" && whole || slices.Contains(fields, c.Field) {
			delete(r.past.Wrote, name)
			r.past.Choices = slices.DeleteFunc(r.past.Choices, func(o Choice) bool { return o.matter() == c.matter() })
		}
	}
	r.chosen = len(r.past.Choices)
	return nil
}
