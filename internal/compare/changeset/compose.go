package changeset

import (
	"cmp"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// Compose returns one change set that does what the given ones do one after the
// other: the changes of an entity become one, and what one takes back of
// another is gone. Two edits of one long array or text stay two, in order.
func Compose(sets ...entity.ChangeSet) entity.ChangeSet {
	var all []entity.ChangeSet
	for _, set := range sets {
		all = slices.AppendSeq(all, blocks(set))
	}
	return composeBlocks(all)
}

// composeBlocks composes blocks that are each about one entity.
func composeBlocks(blocks []entity.ChangeSet) entity.ChangeSet {
	slices.SortStableFunc(blocks, func(a, b entity.ChangeSet) int { return cmp.Compare(a[0].ID, b[0].ID) })
	var out entity.ChangeSet
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && blocks[n][0].ID == blocks[0][0].ID {
			n++
		}
		if n == 1 {
			out = append(out, blocks[0]...)
		} else {
			out = append(out, composeOne(slices.Concat(blocks[:n]...))...)
		}
		blocks = blocks[n:]
	}
	return out
}

// composeOne composes the changes of one entity.
func composeOne(changes entity.ChangeSet) entity.ChangeSet {
	var done *entity.Change // what happened to the whole entity
	var properties entity.ChangeSet
	for _, c := range changes {
		switch {
		case done != nil:
			both, what := follow(*done, c)
			switch done = &both; what {
			case nothing:
				done = nil
			case properly:
				done, properties = nil, entity.DiffEntity(both.Old, both.New)
			}
		case whole(c):
			if c.Old != nil {
				c.Old = undo(properties, c.Old)
			}
			done, properties = &c, nil
		default:
			properties = append(properties, c)
		}
	}
	if done != nil {
		return entity.ChangeSet{*done}
	}
	return composeProperties(properties)
}

// outcome is what two changes of a whole entity come to.
type outcome uint8

const (
	entirely outcome = iota // the entity is made, taken away or replaced
	properly                // its properties change
	nothing
)

// follow returns what a change comes to that follows one of the whole entity.
func follow(first, c entity.Change) (entity.Change, outcome) {
	was, is := first.Old, first.New
	switch {
	case whole(c):
		is = c.New
	case is != nil:
		is = c.On(is)
	}
	both := entity.Change{ID: c.ID, Old: was, New: is}
	switch {
	case was == nil && is == nil:
		return both, nothing
	case was == nil:
		both.Op = entity.OpCreate
	case is == nil:
		both.Op = entity.OpDelete
	case was.Same(is):
		return both, nothing
	default:
		both.Op = entity.OpReplace
		if d := entity.DiffEntity(was, is); d[0].Op != entity.OpReplace {
			return both, properly
		}
	}
	return both, entirely
}

// undo returns e as it was before the changes of its properties.
func undo(changes entity.ChangeSet, e *entity.Entity) *entity.Entity {
	for _, c := range changes.Invert() {
		e = c.On(e)
	}
	return e
}

// composeProperties composes changes of the properties of one entity, field by
// field in the order in which the fields come up. Those of two types or
// revisions stay as they are: one of the two will find nothing to be made on.
func composeProperties(changes entity.ChangeSet) entity.ChangeSet {
	if slices.ContainsFunc(changes, func(c entity.Change) bool { return !sameLayout(c.Of, changes[0].Of) }) {
		return changes
	}
	var order []string
	fields := make(map[string]entity.ChangeSet)
	for _, c := range changes {
		// No field is called that: names have no line breaks.
		name := c.Field
		if c.Op == entity.OpRaw {
			name = "\n"
		}
		if _, seen := fields[name]; !seen {
			order = append(order, name)
		}
		fields[name] = append(fields[name], c)
	}
	var out entity.ChangeSet
	for _, name := range order {
		out = append(out, composeField(fields[name])...)
	}
	return out
}

// composeField composes the changes of one field.
func composeField(changes entity.ChangeSet) entity.ChangeSet {
	if len(changes) == 1 {
		return changes
	}
	if changes[0].Op == entity.OpRaw {
		return composeRaw(changes)
	}
	last := -1 // the last that gives the whole value
	for i, c := range changes {
		if c.Op == entity.OpSet {
			last = i
		}
	}
	if last < 0 {
		return composeElements(changes)
	}
	return composeSet(changes[:last], changes[last], changes[last+1:])
}

// composeSet composes a change that gives a field's whole value with those of
// the field before and after it.
func composeSet(before entity.ChangeSet, set entity.Change, after entity.ChangeSet) entity.ChangeSet {
	i := set.Of.Index(set.Field)
	holder := func(v entity.Value) *entity.Entity {
		e := &entity.Entity{Layout: set.Of, Values: make([]entity.Value, len(set.Of.Fields))}
		e.Values[i] = v
		return e
	}
	set.From = undo(before, holder(set.From)).Values[i]
	to := holder(set.To)
	for _, c := range after {
		to = c.On(to)
	}
	if set.To = to.Values[i]; set.To.Equal(set.From) {
		return nil
	}
	return entity.ChangeSet{set}
}

func composeRaw(changes entity.ChangeSet) entity.ChangeSet {
	c := changes[0]
	c.New = changes[len(changes)-1].New
	if slices.Equal(c.Old.Unknown, c.New.Unknown) {
		return nil
	}
	return entity.ChangeSet{c}
}

// composeElements composes additions and removals, of which each element's last
// one counts: where it takes back the first, both are gone. Edits stay.
func composeElements(changes entity.ChangeSet) entity.ChangeSet {
	element := func(c entity.Change) entity.Value {
		if c.Op == entity.OpAdd {
			return c.To
		}
		return c.From
	}
	if !slices.ContainsFunc(changes, func(c entity.Change) bool { return c.Op == entity.OpEdit }) {
		changes = slices.Clone(changes)
		slices.SortStableFunc(changes, func(a, b entity.Change) int { return element(a).Compare(element(b)) })
	}
	var out entity.ChangeSet
	for _, c := range changes {
		last := len(out) - 1
		switch {
		case last < 0 || c.Op == entity.OpEdit || out[last].Op == entity.OpEdit || !element(out[last]).Equal(element(c)):
			out = append(out, c)
		case out[last].Op != c.Op:
			out = out[:last]
		}
	}
	return out
}
