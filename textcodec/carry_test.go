package textcodec_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/textcodec"
)

// What is carried under a declaration with fewer fields is what its text says there: no
// value is dropped.
func TestCarryingKeepsTheFieldsThatTheTypeHasNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := entitytest.Type().Draw(t, "type")
		e := entitytest.Entity(1, old).Draw(t, "entity")
		e.Canonicalize()
		fewer := &entity.Type{Name: old.Name, Revision: old.Revision}
		for _, f := range old.Fields {
			if rapid.Bool().Draw(t, "stays") {
				fewer.Fields = append(fewer.Fields, f)
			}
		}
		res, err := textcodec.Decode(textcodec.Append(nil, e), e.ID, entity.NewTypes(fewer))
		if err != nil {
			t.Fatal(err)
		}
		if c := textcodec.Carry(e, fewer); !c.Equal(res.Entity) {
			t.Fatalf("carried:\n%s\nread:\n%s", textcodec.Append(nil, c), textcodec.Append(nil, res.Entity))
		}
		if back := textcodec.Carry(res.Entity, old); !back.Equal(e) {
			t.Fatalf("back:\n%s\nwas:\n%s", textcodec.Append(nil, back), textcodec.Append(nil, e))
		}
	})
}
