package expression

import "github.com/worldfs/worldfs/entity"

// Plain returns the value of a field as expressions have it, nil where it is
// absent or there is no such field.
func Plain(e *entity.Entity, name string) any {
	i := e.Layout.Index(name)
	if i < 0 {
		return nil
	}
	return plainValue(&e.Layout.Fields[i].Shape, e.Values[i])
}

// plainValue returns v as the expression language has it.
func plainValue(s *entity.Shape, v entity.Value) any {
	switch k := v.Kind(); {
	case k == entity.KindNull:
		return nil
	case k == entity.KindBool:
		return v.Bool()
	case k == entity.KindEnum:
		if name, ok := s.NameOf(v.Int()); ok {
			return name
		}
		return int(v.Int())
	case k == entity.KindFlags:
		return flagNames(s, v)
	case k == entity.KindRef:
		return reference(v.Ref())
	case k.IsSigned():
		return wholeInt(v.Int()).value()
	case k.IsUnsigned():
		return whole{size: v.Uint()}.value()
	case k == entity.KindF32:
		return plainF32(v.F32())
	case k == entity.KindF64:
		return plainF64(v.F64())
	case k.Components() > 0:
		return plainVector(v)
	case k == entity.KindGUID:
		return v.GUID().Dashed()
	case k.IsList():
		items := make([]any, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = plainValue(s.Of, item)
		}
		return items
	case k == entity.KindStruct:
		m := make(map[string]any, len(s.Fields))
		for i, f := range s.Fields {
			m[f.Name] = plainValue(&f.Shape, v.Items()[i])
		}
		return m
	}
	return v.Text()
}

func flagNames(s *entity.Shape, v entity.Value) []any {
	names := []any{}
	for bit := range int64(64) {
		if v.Uint()>>bit&1 == 0 {
			continue
		}
		if name, ok := s.NameOf(bit); ok {
			names = append(names, name)
		} else {
			names = append(names, int(bit))
		}
	}
	return names
}
