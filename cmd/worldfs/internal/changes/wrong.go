package changes

import (
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// goesWrong returns what a change set of fields makes wrong with a world and was not before:
// a ref to nothing or in a circle, a value or a key that no two may have, an expression.
func goesWrong(world entity.Source, set entity.ChangeSet) []entity.Finding {
	if !mayGoWrong(set) {
		return nil
	}
	known := make(map[entity.Finding]bool)
	for _, f := range entity.Check(world) {
		known[unnamed(f)] = true
	}
	var wrong []entity.Finding
	for _, f := range entity.Check(entity.NewOverlay(world, changedBy(world, set))) {
		if !known[unnamed(f)] {
			wrong = append(wrong, f)
		}
	}
	return wrong
}

// unnamed returns a finding without the entity's name, which may have changed.
func unnamed(f entity.Finding) entity.Finding {
	f.Name = ""
	return f
}

// mayGoWrong reports whether a change is of a field that can have a value of its kind and be
// wrong: most fields cannot, and the world need not be read for them.
func mayGoWrong(set entity.ChangeSet) bool {
	mayBeWrong := func(k entity.Kind) bool { return k == entity.KindRef || k == entity.KindExpr }
	for _, c := range set {
		if c.Of == nil {
			return true // it is of more than a field
		}
		for _, f := range c.Of.Fields {
			if f.Name == c.Field && (f.Unique || f.Shape.Declares(mayBeWrong) || hasKeys(&f.Shape)) {
				return true
			}
		}
	}
	return false
}

// hasKeys reports whether elements of a shape, or of one in it, are told apart by a key.
func hasKeys(s *entity.Shape) bool {
	return s.Key != "" || s.Of != nil && hasKeys(s.Of) ||
		slices.ContainsFunc(s.Fields, func(f *entity.Field) bool { return hasKeys(&f.Shape) })
}

// maxTold is how many findings are told one by one.
const maxTold = 10

// tellWrong tells what is wrong now.
func tellWrong(note func(string), wrong []entity.Finding) {
	for i, f := range wrong {
		if i == maxTold {
			note(fmt.Sprintf("and %d more: worldfs check lists them", len(wrong)-i))
			return
		}
		note("this makes wrong: " + f.String())
	}
}
