package expression

import "github.com/worldfs/worldfs/entity"

// MisnamedCondition is a name in a condition of a type that stands for nothing.
type MisnamedCondition struct {
	Misnamed
	Field string // whose condition it is; members of structs with dots
	Key   string // save_when or insignificant_when
}

// MisnamedInConditions returns the names in the conditions of a type that no revision of the
// type has: a condition reads nothing else. all are the types of the world, one of which type
// may be compared with.
func MisnamedInConditions(t *entity.Type, all *entity.Types) (found []MisnamedCondition) {
	if t.Unknown {
		return nil
	}
	own := entity.NewTypes(t)
	eachField(t, func(name string, f *entity.Field) {
		for _, c := range []struct{ key, source string }{{"save_when", f.SaveWhen}, {"insignificant_when", f.InsignificantWhen}} {
			if c.source == "" {
				continue
			}
			x, err := Compile(c.source)
			if err != nil {
				continue // CheckConditions says so
			}
			for _, m := range x.Misnamed(own, all) {
				found = append(found, MisnamedCondition{m, name, c.key})
			}
		}
	})
	return found
}
