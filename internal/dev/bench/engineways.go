package main

import (
	"bytes"
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// cPrefix is what names of the types in C begin with; no field of the island does.
const cPrefix = "pack_"

// engineWays writes for a ship pack's types what is written by hand in an engine, in three
// ways: by plain structs, by the structs of types --c, and by slots that are looked up once
// a table. Each way has a function for each struct, which adds up its fields.
type engineWays struct {
	bytes.Buffer
}

// member is a field of a type, a member of a struct, or a list's element.
type member struct {
	label string // in the pack; "" of an element
	name  string // in C
	shape *entity.Shape
}

func memberOf(f *entity.Field) member {
	name := f.Name
	if name == "near" || name == "far" {
		name += "_" // words of compilers for Windows
	}
	return member{f.Name, name, &f.Shape}
}

func waysOf(tables []packfile.Table) []byte {
	var w engineWays
	for i := range tables {
		t := tables[i].Layout()
		w.group(cPrefix+t.Type.Name, rowMembers(t), true)
	}
	w.walk("walk_plain(const unsigned char *file)", "\tconst plain_table *tables = (const plain_table *)(const void *)file;\n"+
		fmt.Sprintf("\tconst unsigned char *heap = file + tables[%d].at;\n", len(tables)), tables, func(i int, name string) {
		w.line("\tfor (i = 0; i < tables[%d].count; i++) sum += plain_%s((const %s *)(const void *)(file + tables[%d].at) + i, heap);", i, name, name, i)
	})
	w.walk("walk_structs(const wfs_pack *pack)", "\tconst wfs_table *t;\n", tables, func(_ int, name string) {
		w.line("\tif ((t = %s_table(pack)) == NULL) return 0;", name)
		w.line("\tfor (i = 0; i < t->count; i++) sum += structs_%s(%s_row(t, i), pack);", name, name)
	})
	w.walk("walk_slots(const wfs_pack *pack)", "\tconst wfs_table *t;\n", tables, func(i int, name string) {
		w.line("\t{\n\t\tslots_of_%s s;\n\t\tt = &pack->tables[%d];", name, i)
		w.line("\t\tif (!find_%s(&s, &t->row)) return 0;", name)
		w.line("\t\tfor (i = 0; i < t->count; i++) sum += slots_%s(wfs_row(t, i), &s, pack);\n\t}", name)
	})
	return w.Bytes()
}

func rowMembers(l *entity.Layout) (ms []member) {
	for _, f := range l.Fields {
		ms = append(ms, memberOf(f))
	}
	return ms
}

func (w *engineWays) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *engineWays) walk(head, locals string, tables []packfile.Table, table func(i int, name string)) {
	w.line("static uint64_t %s\n{\n%s\tuint64_t sum = 0;\n\tuint32_t i;", head, locals)
	for i := range tables {
		table(i, cPrefix+tables[i].Layout().Type.Name)
	}
	w.line("\treturn sum;\n}\n")
}

// group writes the functions of a struct after those of what is in it.
func (w *engineWays) group(name string, ms []member, row bool) {
	for _, m := range ms {
		switch {
		case m.shape.Kind.IsList():
			w.group(name+"_"+m.name+"_item", []member{{"", "value", m.shape.Of}}, false)
		case m.shape.Kind == entity.KindStruct:
			var inner []member
			for _, f := range m.shape.Fields {
				inner = append(inner, memberOf(f))
			}
			w.group(name+"_"+m.name, inner, false)
		}
	}
	id := func(how string) {
		if row {
			w.line("\tsum += %s;", how)
		}
	}
	w.line("static inline uint64_t plain_%s(const %s *at, const unsigned char *heap)", name, name)
	w.line("{\n\tuint64_t sum = 0;\n\t(void)heap;")
	id("at->id")
	w.members(name, ms, plainWay)
	w.line("static inline uint64_t structs_%s(const %s *at, const wfs_pack *pack)", name, name)
	w.line("{\n\tuint64_t sum = 0;\n\t(void)pack;")
	id("at->id")
	w.members(name, ms, structsWay)
	w.find(name, ms)
	w.line("static inline uint64_t slots_%s(const unsigned char *at, const slots_of_%s *s, const wfs_pack *pack)", name, name)
	w.line("{\n\tuint64_t sum = 0;\n\t(void)pack;")
	id("wfs_load32(at + s->group->id)")
	w.members(name, ms, slotsWay)
}

// find writes the look-up of a group's slots by their names, and those of what is in it.
func (w *engineWays) find(name string, ms []member) {
	w.line("typedef struct slots_of_%s {\n\tconst wfs_group *group;", name)
	for _, m := range ms {
		w.line("\tconst wfs_slot *%s;", m.name)
		if inner := m.inner(name); inner != "" {
			w.line("\tslots_of_%s in_%s;", inner, m.name)
		}
	}
	w.line("} slots_of_%s;\n", name)
	w.line("static bool find_%s(slots_of_%s *s, const wfs_group *group)\n{\n\ts->group = group;", name, name)
	for _, m := range ms {
		w.line("\tif ((s->%s = wfs_slot_of(group, %q)) == NULL) return false;", m.name, m.label)
		if inner := m.inner(name); inner != "" {
			w.line("\tif (!find_%s(&s->in_%s, s->%s->inner)) return false;", inner, m.name, m.name)
		}
	}
	w.line("\treturn true;\n}\n")
}

// inner is the name of the struct of what is in a member; "" if there is none.
func (m member) inner(name string) string {
	switch {
	case m.shape.Kind.IsList():
		return name + "_" + m.name + "_item"
	case m.shape.Kind == entity.KindStruct:
		return name + "_" + m.name
	}
	return ""
}

// way is how one way reads members of a struct.
type way func(name string, m member) (present, sum string)

func (w *engineWays) members(name string, ms []member, read way) {
	for _, m := range ms {
		present, sum := read(name, m)
		if m.shape.Optional {
			w.line("\tif (%s) {\n\t%s\n\t}", present, sum)
		} else {
			w.line("\t%s", sum)
		}
	}
	w.line("\treturn sum;\n}\n")
}

func plainWay(name string, m member) (present, sum string) {
	present = fmt.Sprintf("%s_has_%s(at)", name, m.name)
	switch inner := m.inner(name); {
	case m.shape.Kind.IsList():
		return present, fmt.Sprintf("{ uint32_t n, i; const %s *items = (const %s *)plain_at(heap, at->%s_ref, &n);\n", inner, inner, m.name) +
			fmt.Sprintf("\tfor (i = 0; i < n; i++) sum += plain_%s(&items[i], heap); }", inner)
	case m.shape.Kind == entity.KindStruct:
		return present, fmt.Sprintf("sum += plain_%s(&at->%s, heap);", inner, m.name)
	case isText(m.shape.Kind):
		return present, fmt.Sprintf("sum += plain_text(heap, at->%s_ref);", m.name)
	}
	return present, inStruct(m)
}

func structsWay(name string, m member) (present, sum string) {
	present = fmt.Sprintf("%s_has_%s(at)", name, m.name)
	switch inner := m.inner(name); {
	case m.shape.Kind.IsList():
		return present, fmt.Sprintf("{ uint32_t n, i; const %s *items = %s_%s(pack, at, &n);\n", inner, name, m.name) +
			fmt.Sprintf("\tfor (i = 0; i < n; i++) sum += structs_%s(&items[i], pack); }", inner)
	case m.shape.Kind == entity.KindStruct:
		return present, fmt.Sprintf("sum += structs_%s(&at->%s, pack);", inner, m.name)
	case isText(m.shape.Kind):
		return present, fmt.Sprintf("sum += text(%s_%s(pack, at));", name, m.name)
	}
	return present, inStruct(m)
}

func isText(k entity.Kind) bool {
	return k == entity.KindString || k == entity.KindBlob || k == entity.KindExpr
}

// inStruct adds up a value that lies in the struct itself.
func inStruct(m member) string {
	switch k := m.shape.Kind; {
	case k == entity.KindF64:
		return fmt.Sprintf("sum += bits64(at->%s);", m.name)
	case k == entity.KindF32:
		return fmt.Sprintf("sum += bits(at->%s);", m.name)
	case k == entity.KindGUID:
		return fmt.Sprintf("sum += words(at->%s, 4);", m.name)
	case k.IsMatrix():
		return fmt.Sprintf("sum += floats(&at->%s[0][0], %d);", m.name, k.Components())
	case k.Components() > 0:
		return fmt.Sprintf("sum += floats(at->%s, %d);", m.name, k.Components())
	}
	return fmt.Sprintf("sum += (uint64_t)at->%s;", m.name)
}

func slotsWay(name string, m member) (present, sum string) {
	present = fmt.Sprintf("wfs_present(s->group, s->%s, at)", m.name)
	place := fmt.Sprintf("at + s->%s->offset", m.name)
	switch k, inner := m.shape.Kind, m.inner(name); {
	case k.IsList():
		return present, fmt.Sprintf("{ wfs_list l; uint32_t i; if (wfs_heap_list(pack, wfs_load32(%s), s->%s->inner, &l))\n", place, m.name) +
			fmt.Sprintf("\tfor (i = 0; i < l.count; i++) sum += slots_%s(l.at + (size_t)i * l.element->size, &s->in_%s, pack); }", inner, m.name)
	case k == entity.KindStruct:
		return present, fmt.Sprintf("sum += slots_%s(%s, &s->in_%s, pack);", inner, place, m.name)
	case isText(k):
		return present, fmt.Sprintf("{ wfs_text t; if (wfs_heap_text(pack, wfs_load32(%s), &t)) sum += text(t); }", place)
	}
	return present, inSlot(m.shape, place)
}

// inSlot adds up a value that lies at a place.
func inSlot(s *entity.Shape, place string) string {
	switch k := s.Kind; {
	case k == entity.KindF64:
		return fmt.Sprintf("sum += bits64(wfs_loadd(%s));", place)
	case k == entity.KindGUID:
		return fmt.Sprintf("sum += loaded_words(%s, 4);", place)
	case k.Components() > 0:
		return fmt.Sprintf("sum += loaded_floats(%s, %d);", place, k.Components())
	case k == entity.KindFlags && s.WideFlags():
		return fmt.Sprintf("sum += wfs_load64(%s);", place)
	case k == entity.KindBool:
		return fmt.Sprintf("sum += *(%s);", place)
	case k == entity.KindFlags, k == entity.KindRef:
		return fmt.Sprintf("sum += wfs_load32(%s);", place)
	case k == entity.KindEnum:
		return fmt.Sprintf("sum += (uint64_t)(int32_t)wfs_load32(%s);", place)
	case k.Bits() == 8 && k.IsSigned():
		return fmt.Sprintf("sum += (uint64_t)(int8_t)*(%s);", place)
	case k.Bits() == 8:
		return fmt.Sprintf("sum += *(%s);", place)
	case k.IsSigned():
		return fmt.Sprintf("sum += (uint64_t)(int%d_t)wfs_load%d(%s);", k.Bits(), k.Bits(), place)
	default:
		return fmt.Sprintf("sum += wfs_load%d(%s);", k.Bits(), place)
	}
}
