package typeloss

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// refusal is a finding by which a ship build refuses an entity.
type refusal struct {
	code  string
	id    entity.ID
	field string
}

// refusals finds what stops a ship build of the entities as they would be read, and did not
// before.
func (c *checker) refusals() {
	had := make(map[refusal]bool)
	for _, f := range entity.CheckUpgrading(c.was, textcodec.Upgrade) {
		had[refusal{f.Code, f.ID, f.Field}] = true
	}
	for _, f := range entity.CheckUpgrading(c.now, textcodec.Upgrade) {
		l, ok := refused(f, c.after.Get(f.Type))
		if ok && c.changed[f.Type] && !had[refusal{f.Code, f.ID, f.Field}] {
			e, _ := c.now.Get(f.ID)
			c.add(e, l, Case{Value: valueOf(e, f.Field), Then: f.Message})
		}
	}
}

func valueOf(e *entity.Entity, field string) string {
	if i := e.Layout.Index(field); i >= 0 {
		return brief(&e.Layout.Fields[i].Shape, e.Values[i])
	}
	return ""
}

// refused returns the loss that a finding stands for, and false where it is about no
// declaration.
func refused(f entity.Finding, t *entity.Type) (l Loss, ok bool) {
	l = Loss{Field: f.Field, Effect: Refused}
	switch f.Code {
	case entity.CodeUpgrade:
		l.Cause, l.What = NoSuccessor, "the field's value cannot be brought to the type's revision"
		l.Mend = "name the field that takes over its values: successor = \"…\", of a kind that holds them; or change these values first: worldfs set"
	case entity.CodeRevisionNewer:
		l.Cause, l.What = RevisionDown, "entities are of a later revision than the type"
		l.Mend = "leave the type's revision as it was: it only rises"
	case entity.CodeNotUnique:
		l.Cause, l.What = UniqueAdded, "the field is unique, and entities share a value"
		l.Mend = "give these entities values of their own first: worldfs set"
	case entity.CodeKeyTwice:
		l.Cause, l.What = KeyAdded, "two elements of the array have the same key"
		l.Mend = "give the elements keys of their own first, or choose another member as the key"
	case entity.CodeRefCycle:
		l.Cause, l.What = DirectAdded, "the refs are direct, and go round in a circle"
		l.Mend = "leave them indirect, or take one of the refs out first: worldfs set"
	default:
		return l, false
	}
	return l, t != nil
}
