package entity

import "fmt"

// Plain returns the value of a field as expressions have it, nil where it is
// absent or there is no such field.
func (e *Entity) Plain(name string) any {
	i := e.Layout.Index(name)
	if i < 0 {
		return nil
	}
	return plainValue(&e.Layout.Fields[i].Shape, e.Values[i])
}

// plainValue returns v as the expression language has it.
func plainValue(s *Shape, v Value) any {
	switch k := v.Kind(); {
	case k == KindNull:
		return nil
	case k == KindBool:
		return v.Bool()
	case k == KindEnum:
		if name, ok := s.NameOf(v.Int()); ok {
			return name
		}
		return int(v.Int())
	case k == KindFlags:
		return flagNames(s, v)
	case k == KindRef:
		return reference(v.Ref())
	case k.IsSigned():
		return wholeInt(v.Int()).value()
	case k.IsUnsigned():
		return whole{size: v.Uint()}.value()
	case k == KindF32:
		return plainF32(v.F32())
	case k == KindF64:
		return plainF64(v.F64())
	case k.Components() > 0:
		return plainVector(v)
	case k == KindGUID:
		g := v.GUID()
		return fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:])
	case k.IsList():
		items := make([]any, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = plainValue(s.Of, item)
		}
		return items
	case k == KindStruct:
		m := make(map[string]any, len(s.Fields))
		for i, f := range s.Fields {
			m[f.Name] = plainValue(&f.Shape, v.Items()[i])
		}
		return m
	}
	return v.Text()
}

func flagNames(s *Shape, v Value) []any {
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
