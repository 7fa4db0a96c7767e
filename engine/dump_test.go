package engine_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// dumper prints a pack as tools/dump.h does.
type dumper struct{ bytes.Buffer }

func dump(p *packfile.Pack) string {
	var d dumper
	world, base := p.World(), p.BasedOn()
	fmt.Fprintf(&d, "world %x based on %x\n", world[:], base[:])
	for _, t := range p.Types().All() {
		flags := 0
		if t.Yields {
			flags = 1<<8 | 1<<9
		}
		if t.EditorOnly {
			flags |= 1 << 3
		}
		fmt.Fprintf(&d, "type %s %d %x\n", quoted(t.Name), t.Revision, flags)
		d.decls(t.Fields, 1)
	}
	for e := range p.All() {
		d.entity(e)
	}
	return d.String()
}

// quoted returns a text with every byte escaped that is no printable ASCII.
func quoted(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			b = fmt.Appendf(b, "\\x%02x", c)
		} else {
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

func (d *dumper) decls(fields []*entity.Field, depth int) {
	for _, f := range fields {
		d.decl(f, depth)
	}
}

func (d *dumper) decl(f *entity.Field, depth int) {
	fmt.Fprintf(d, "%s%s %s %d %d %x", strings.Repeat("  ", depth), quoted(f.Name), f.Kind, f.Since, f.Until, flagsOf(f))
	for _, n := range f.Names {
		fmt.Fprintf(d, " %s=%d", quoted(n.Name), n.Number)
	}
	d.WriteByte('\n')
	if f.Of != nil {
		d.decl(&entity.Field{Shape: *f.Of}, depth+1)
	}
	d.decls(f.Fields, depth+1)
}

// flagsOf returns what enum WFS_OPTIONAL and on say.
func flagsOf(f *entity.Field) (flags int) {
	for i, set := range []bool{f.Optional, f.Direct, f.Hidden, f.EditorOnly, f.Unique, f.Derived,
		f.SaveWhen != "", f.Kind == entity.KindFlags && f.WideFlags(), f.Yields != nil, f.Yields != nil && *f.Yields} {
		if set {
			flags |= 1 << i
		}
	}
	return flags
}

func (d *dumper) entity(e *entity.Entity) {
	fmt.Fprintf(d, "entity %d %s %d\n", e.ID, quoted(e.Type()), e.Revision())
	for i, f := range e.Layout.Fields {
		fmt.Fprintf(d, "  %s ", quoted(f.Name))
		d.value(&f.Shape, e.Values[i])
		d.WriteByte('\n')
	}
	for _, raw := range e.Unknown {
		fmt.Fprintf(d, "  raw %s %s\n", quoted(raw.Name), quoted(raw.Lines))
	}
}

func (d *dumper) value(s *entity.Shape, v entity.Value) {
	switch k := v.Kind(); {
	case k == entity.KindNull:
		d.WriteByte('-')
	case k == entity.KindEnum:
		name, _ := s.NameOf(v.Int())
		fmt.Fprintf(d, "%d|%s", v.Int(), quoted(name))
	case k == entity.KindFlags:
		d.flags(s, v.Uint())
	case k.IsSigned():
		fmt.Fprintf(d, "%d", v.Int())
	case k == entity.KindF64:
		fmt.Fprintf(d, "%016x", v.F64())
	case k == entity.KindF32:
		fmt.Fprintf(d, "%08x", v.F32())
	case k == entity.KindString, k == entity.KindBlob, k == entity.KindExpr:
		d.WriteString(quoted(v.Text()))
	case k == entity.KindGUID:
		g := v.GUID()
		fmt.Fprintf(d, "%x", g[:])
	case k.IsList():
		d.list(s, v)
	case k == entity.KindStruct:
		d.members(s, v)
	case k.Components() > 0:
		d.components(v)
	case k == entity.KindBool:
		d.WriteString(map[bool]string{false: "0", true: "1"}[v.Bool()])
	default:
		fmt.Fprintf(d, "%d", v.Uint())
	}
}

func (d *dumper) flags(s *entity.Shape, bits uint64) {
	fmt.Fprintf(d, "%x", bits)
	for bit := range int64(64) {
		if bits>>bit&1 != 0 {
			name, _ := s.NameOf(bit)
			d.WriteString("|" + quoted(name))
		}
	}
}

func (d *dumper) list(s *entity.Shape, v entity.Value) {
	d.WriteByte('[')
	for i, item := range v.Items() {
		if i > 0 {
			d.WriteByte(' ')
		}
		d.value(s.Of, item)
	}
	d.WriteByte(']')
}

func (d *dumper) members(s *entity.Shape, v entity.Value) {
	d.WriteByte('{')
	for i, m := range v.Items() {
		if i > 0 {
			d.WriteByte(' ')
		}
		d.WriteString(quoted(s.Fields[i].Name) + "=")
		d.value(&s.Fields[i].Shape, m)
	}
	d.WriteByte('}')
}

func (d *dumper) components(v entity.Value) {
	for i := range v.Kind().Components() {
		if i > 0 {
			d.WriteByte(',')
		}
		fmt.Fprintf(d, "%08x", v.Component(i))
	}
}
