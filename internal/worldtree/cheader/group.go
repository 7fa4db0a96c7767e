package cheader

import (
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// group declares the struct of a group, after those of what is in it, and the functions
// for its values.
func (w *writer) group(name string, g *group) {
	members := scope{"present": true, "none": true}
	if g.isRow {
		members["id"] = true
	}
	inner := make(map[*slot]string)    // the struct's name of what is in a slot
	own := make(map[*slot]string)      // the member's name
	accessor := make(map[*slot]string) // what the functions of a slot are called by
	for _, s := range g.slots {
		label := s.name
		if label == "" {
			label = "value" // a list's element
		}
		accessor[s] = identifier(label)
		member := label
		if isRef(s) {
			member += "_ref"
		}
		if strings.HasPrefix(identifier(member), w.prefix) {
			member = "x" + member // a macro may have the name
		}
		own[s] = members.name(member)
		switch {
		case s.shape.Kind.IsList():
			inner[s] = w.names.prefixed(name + "_" + accessor[s] + "_item")
			w.group(inner[s], s.inner)
		case s.inner != nil:
			inner[s] = w.names.prefixed(name + "_" + accessor[s])
			w.group(inner[s], s.inner)
		}
	}
	w.printf("typedef struct %s {\n", name)
	w.members(g, own, inner)
	w.printf("} %s;\n\n", name)
	w.asserts(name, g, own)
	for _, s := range g.slots {
		w.values(name+"_"+accessor[s], s.shape)
		w.functions(name, accessor[s], own[s], inner[s], s)
	}
}

// isRef reports whether a slot holds a reference into the heap.
func isRef(s *slot) bool {
	return s.shape.Kind.IsList() || s.shape.Kind == entity.KindString || s.shape.Kind == entity.KindBlob || s.shape.Kind == entity.KindExpr
}

func (w *writer) members(g *group, own, inner map[*slot]string) {
	id := func() {
		if g.isRow {
			w.printf("\tuint32_t id;\n")
		}
	}
	before := true // the ID
	for _, s := range g.placed {
		if before && s.align < 8 {
			id()
			before = false
		}
		w.printf("\t%s; /* %s%s */\n", declaration(s, own[s], inner[s]), comment(s.name), remark(s))
	}
	if before {
		id()
	}
	switch {
	case g.bits > 0:
		w.printf("\tunsigned char present[%d];\n", g.presenceBytes())
	case len(g.placed) == 0 && !g.isRow:
		w.printf("\tunsigned char none;\n")
	}
}

// remark says of a member what its type in C does not.
func remark(s *slot) string {
	k := s.shape.Kind
	text := ": " + k.String()
	if k.IsList() {
		text += " of " + s.shape.Of.Kind.String()
	}
	if s.bit >= 0 {
		text += ", may be absent"
	}
	return text
}

// declaration returns the declaration of a member.
func declaration(s *slot, name, inner string) string {
	switch k := s.shape.Kind; {
	case k == entity.KindStruct:
		return inner + " " + name
	case isRef(s), k == entity.KindRef:
		return "uint32_t " + name
	case k == entity.KindGUID:
		return "uint32_t " + name + "[4]" // its alignment; the bytes are in the order of the text form
	case k == entity.KindF32:
		return "float " + name
	case k == entity.KindF64:
		return "double " + name
	case k.IsMatrix():
		return fmt.Sprintf("float %s[%d][4]", name, k.Components()/4)
	case k.Components() > 0:
		return fmt.Sprintf("float %s[%d]", name, k.Components())
	case k == entity.KindBool:
		return "uint8_t " + name
	case k.IsSigned():
		return fmt.Sprintf("int%d_t %s", 8*s.size, name)
	}
	return fmt.Sprintf("uint%d_t %s", 8*s.size, name)
}

// asserts holds what the compiler makes of a struct against the format.
func (w *writer) asserts(name string, g *group, own map[*slot]string) {
	check := w.names.prefixed(name + "_is_as_in_packs")
	w.printf("typedef char %s[sizeof(%s) == %d", check, name, g.size)
	if g.isRow {
		w.printf(" && offsetof(%s, id) == %d", name, g.id)
	}
	for _, s := range g.placed {
		w.printf(" &&\n\toffsetof(%s, %s) == %d", name, own[s], s.offset)
	}
	if g.bits > 0 {
		w.printf(" &&\n\toffsetof(%s, present) == %d", name, g.presence)
	}
	w.printf(" ? 1 : -1];\n\n")
}

// values names the values of an enum or of flags.
func (w *writer) values(name string, s *entity.Shape) {
	for _, n := range s.Names {
		constant := w.names.prefixed(name + "_" + identifier(n.Name))
		switch {
		case s.Kind == entity.KindFlags && s.WideFlags():
			w.printf("#define %s ((uint64_t)1 << %d) /* %s */\n", constant, n.Number, comment(n.Name))
		case s.Kind == entity.KindFlags:
			w.printf("#define %s ((uint32_t)1 << %d) /* %s */\n", constant, n.Number, comment(n.Name))
		case n.Number == -1<<31:
			w.printf("#define %s (-2147483647 - 1) /* %s */\n", constant, comment(n.Name))
		default:
			w.printf("#define %s (%d) /* %s */\n", constant, n.Number, comment(n.Name))
		}
	}
	if len(s.Names) > 0 {
		w.line("")
	}
}

// functions writes those of one slot.
func (w *writer) functions(name, accessor, member, inner string, s *slot) {
	if s.bit >= 0 {
		w.printf("static inline bool %s(const %s *at) { return (at->present[%d] >> %d & 1) != 0; }\n\n",
			w.names.prefixed(name+"_has_"+accessor), name, s.bit/8, s.bit%8)
	}
	switch k := s.shape.Kind; {
	case k == entity.KindString, k == entity.KindBlob, k == entity.KindExpr:
		w.printf(`static inline wfs_text %s(const wfs_pack *pack, const %s *at)
{
	wfs_text text;
	wfs_heap_text(pack, at->%s, &text);
	return text;
}

`, w.names.prefixed(name+"_"+accessor), name, member)
	case k.IsList():
		w.printf(`static inline const %s *%s(const wfs_pack *pack, const %s *at, uint32_t *count)
{
	wfs_group item;
	wfs_list list;
	memset(&item, 0, sizeof item);
	item.size = %d;
	item.align = %d;
	*count = wfs_heap_list(pack, at->%s, &item, &list) ? list.count : 0;
	return (const %s *)(const void *)list.at;
}

`, inner, w.names.prefixed(name+"_"+accessor), name, s.inner.size, s.inner.align, member, inner)
	}
}
