package typeloss_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/internal/worldtree/typeloss"
	"github.com/worldfs/worldfs/textcodec"
)

// A change of a type loses something if and only if that is told, where it is found out by
// the plain values that expressions have of each entity, before and after.
func TestWhatIsLostIsTold(t *testing.T) {
	told, silent := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		before := entitytest.Type().Draw(t, "type")
		adorn(t, before)
		if before.Validate() != nil {
			t.Skip("a condition or default that the type cannot have")
		}
		w := entity.NewWorld(entity.GUID{}, entity.NewTypes(before))
		for id := entity.ID(1); id <= 3; id++ {
			e := entitytest.Entity(id, before).Draw(t, "entity")
			for i, f := range e.Layout.Fields { // most values of real worlds are the default
				if rapid.Bool().Draw(t, "is the default") {
					e.Values[i] = f.DefaultValue()
				}
			}
			e.Canonicalize()
			w.Put(e)
		}
		after := mutate(t, before)
		if after != nil && after.Validate() != nil {
			t.Skip("no type")
		}
		types := entity.NewTypes()
		if after != nil {
			types.Put(after)
		}
		losses := typeloss.Check(w.Types, types, typeloss.World{Source: w}, 10)
		tells := make(map[entity.ID]bool)
		for _, l := range losses {
			for _, c := range l.Cases {
				tells[c.ID] = tells[c.ID] || l.Effect.IsLoss()
			}
		}
		for e := range w.All() {
			lost := loses(e, types)
			if (lost != "") != tells[e.ID] {
				t.Fatalf("told: %v, so: %q\n%s\n%+v", tells[e.ID], lost, textcodec.Append(nil, e), losses)
			}
			if lost == "" {
				silent++
			} else {
				told++
			}
		}
	})
	if told == 0 || silent == 0 {
		t.Fatalf("%d lost something and %d nothing: the changes drawn prove little", told, silent)
	}
}

// loses says what an entity loses when its text is read under other types, "" if nothing.
func loses(e *entity.Entity, types *entity.Types) string {
	res, err := textcodec.Decode(textcodec.Append(nil, e), e.ID, types)
	if err != nil {
		return err.Error()
	}
	if res.Entity.Layout.Type.Unknown {
		return "its type"
	}
	for i, f := range e.Layout.Fields {
		j := res.Entity.Layout.Index(f.Name)
		if j < 0 {
			if v := e.Values[i]; !v.IsNull() && !v.Equal(f.DefaultValue()) {
				return f.Name + " is not there"
			}
			continue
		}
		if e.Values[i].IsNull() && res.Entity.Values[j].IsNull() && f.Optional == res.Entity.Layout.Fields[j].Optional &&
			f.Default == nil && res.Entity.Layout.Fields[j].Default == nil {
			continue
		}
		was, now := plain(e, i), plain(res.Entity, j)
		if was != now {
			return fmt.Sprintf("%s: %s is %s", f.Name, was, now)
		}
	}
	return ""
}

// plain returns what expressions have of field i, as a text; of one that is not saved, of
// its default.
func plain(e *entity.Entity, i int) string {
	f := e.Layout.Fields[i]
	if e.Values[i].IsNull() && f.SaveWhen != "" && !f.Optional {
		e = e.Clone()
		e.Values[i] = f.DefaultValue()
	}
	if k := f.Kind; k == entity.KindF32 && isNaN(e.Values[i]) { // whose payload no f64 has
		return fmt.Sprintf("NaN of 32 bits %x", e.Values[i].F32())
	}
	return text(expression.Plain(e, f.Name), e.Values[i])
}

func isNaN(v entity.Value) bool {
	return v.Kind() == entity.KindF32 && math.IsNaN(float64(math.Float32frombits(v.F32())))
}

// text returns a plain value as a text, a number the same of whichever kind it is.
func text(x any, v entity.Value) string {
	switch x := x.(type) {
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("%v %v", x, v)
		}
		return new(big.Float).SetFloat64(x).Text('g', 60)
	case nil:
		return "nothing"
	}
	if v.Kind().IsSigned() && v.Kind() != entity.KindEnum {
		return new(big.Float).SetInt64(v.Int()).Text('g', 60)
	}
	if v.Kind().IsUnsigned() && v.Kind() != entity.KindFlags {
		return new(big.Float).SetPrec(64).SetUint64(v.Uint()).Text('g', 60)
	}
	if v.Kind() == entity.KindBool {
		return map[bool]string{false: "0", true: "1"}[v.Bool()]
	}
	if _, isName := x.(string); v.Kind() == entity.KindEnum && !isName {
		return new(big.Float).SetInt64(v.Int()).Text('g', 60)
	}
	if items, ok := x.([]any); ok && (v.Kind() == entity.KindSet || v.Kind() == entity.KindFlags) {
		slices.SortFunc(items, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) // whose order is no one's
	}
	if v.Kind() == entity.KindEnum || v.Kind() == entity.KindFlags {
		return fmt.Sprintf("named %v", x)
	}
	if n := v.Kind().Components(); n > 1 {
		return fmt.Sprintf("%x", v.Components())
	}
	if v.Kind() == entity.KindString || v.Kind() == entity.KindBlob || v.Kind() == entity.KindGUID {
		return fmt.Sprintf("%q", x)
	}
	return exactly(v, x)
}

// exactly returns a list or a struct, of which the changes drawn leave the elements' kinds.
func exactly(v entity.Value, x any) string { return fmt.Sprintf("%s %#v", v.Kind(), x) }

// adorn gives fields conditions and defaults.
func adorn(t *rapid.T, typ *entity.Type) {
	for _, f := range typ.Fields {
		switch rapid.IntRange(0, 5).Draw(t, "adorned") {
		case 0:
			f.SaveWhen = rapid.SampledFrom([]string{"true", "false", "revision > 50"}).Draw(t, "condition")
		case 1:
			v := entitytest.Value(&f.Shape).Draw(t, "default")
			f.Default = &v
		}
	}
}

// mutate returns the type after a change, nil if it is removed.
func mutate(t *rapid.T, old *entity.Type) *entity.Type {
	n := &entity.Type{Name: old.Name, Revision: old.Revision, Yields: old.Yields}
	for _, f := range old.Fields {
		c := *f
		n.Fields = append(n.Fields, &c)
	}
	if rapid.IntRange(0, 19).Draw(t, "type is removed") == 0 {
		return nil
	}
	i := rapid.IntRange(0, len(n.Fields)-1).Draw(t, "field")
	change(t, n, i)
	return n
}

func change(t *rapid.T, n *entity.Type, i int) {
	f := n.Fields[i]
	switch rapid.IntRange(0, 9).Draw(t, "change") {
	case 0:
		n.Fields = slices.Delete(n.Fields, i, i+1)
	case 1:
		f.Name = "renamed here"
	case 2:
		f.Shape, f.Default = entity.Shape{Kind: rapid.SampledFrom(readable).Draw(t, "kind"), Optional: f.Optional}, nil
	case 3:
		f.Optional, f.Default = !f.Optional, nil
	case 4:
		v := entitytest.Value(&f.Shape).Draw(t, "other default")
		f.Default = &v
	case 5:
		f.SaveWhen = rapid.SampledFrom([]string{"", "true", "false", "revision < 50"}).Draw(t, "other condition")
	case 6:
		f.Since, f.Until = rapid.Uint32Range(0, 150).Draw(t, "since"), 0
	case 7:
		rename(t, &f.Shape)
	case 8:
		n.Fields = append(n.Fields, &entity.Field{Name: "no such field", Shape: entitytest.Shape(1).Draw(t, "new")})
	case 9:
		slices.Reverse(n.Fields)
	}
}

// readable are kinds of which the text of one may be read as that of another.
var readable = []entity.Kind{
	entity.KindBool, entity.KindI8, entity.KindI32, entity.KindI64, entity.KindU8, entity.KindU64, entity.KindF32,
	entity.KindF64, entity.KindString, entity.KindBlob, entity.KindGUID, entity.KindRef, entity.KindVec3, entity.KindVec4, entity.KindQuat,
}

// rename takes a name away, gives it another number, or adds one: numbers that no value has.
func rename(t *rapid.T, s *entity.Shape) {
	for s.Kind.IsList() {
		of := *s.Of
		s.Of = &of
		s = s.Of
	}
	if len(s.Names) == 0 || s.WideFlags() {
		return
	}
	s.Names = slices.Clone(s.Names)
	switch i := rapid.IntRange(0, len(s.Names)-1).Draw(t, "name"); rapid.IntRange(0, 2).Draw(t, "what of it") {
	case 0:
		s.Names = slices.Delete(s.Names, i, i+1)
	case 1:
		s.Names[i].Number = 40
	case 2:
		s.Names = append(s.Names, entity.Name{Name: "fresh", Number: 41})
	}
}
