// Package cheader writes the types of a world as a header of C: structs that lie in
// packs as they are, for engines that read rows in place by engine/worldfs.h, and
// functions for what is elsewhere: texts, lists, what may be absent.
//
// The names of types and fields are any text; those of C are made of them so that none
// is a word of C or C++, or there twice. The same types give the same header.
package cheader

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// Write returns the header. All that it declares begins with prefix, which must be an
// identifier. Each type has a struct of its current revision; revisions names others
// that are wanted, by type.
func Write(types *entity.Types, revisions map[string][]uint32, prefix string) []byte {
	w := &writer{prefix: prefix, names: scope{}}
	guard := strings.ToUpper(prefix) + "TYPES_H"
	w.line(strings.NewReplacer("PREFIX_", prefix, "GUARD", guard).Replace(preamble + library))
	for _, own := range []string{"field", "fits", "table_of"} {
		w.names[prefix+own] = true
	}
	var rows []*row
	for _, t := range types.All() {
		rows = append(rows, w.newRow(t, t.Revision, ""))
		for _, revision := range revisions[t.Name] {
			if revision != t.Revision {
				rows = append(rows, w.newRow(t, revision, fmt.Sprintf("_r%d", revision)))
			}
		}
	}
	for _, r := range rows {
		w.row(r)
	}
	w.line("#endif")
	return w.Bytes()
}

const preamble = `/* The types of a world as C structs, which lie in its packs as they are here.
 * Written by worldfs types --c; do not edit it, write it anew when types change.
 *
 *     const wfs_table *doors = PREFIX_Door_table(&pack);     NULL: there are none, or
 *                                                           they lie otherwise
 *     for (i = 0; doors != NULL && i < doors->count; i++) {
 *         const PREFIX_Door *door = PREFIX_Door_row(doors, i);
 *         wfs_text name = PREFIX_Door_entity_name(&pack, door);
 *     }
 *
 * A reference to a text or a list is a member that ends in _ref; the function of the
 * name without it returns what it refers to. What may be absent has a function
 * with _has_ in its name. It needs worldfs.h, and a machine that is little-endian. */
#ifndef GUARD
#define GUARD

#include <stddef.h>

#include "worldfs.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "packs are little-endian: read their values by worldfs.h"
#endif
`

// library is what all types share.
const library = `/* PREFIX_field is where a field lies: what a table is held against. */
typedef struct PREFIX_field {
	const char *name;
	wfs_kind kind;
	uint32_t offset, size, bit, inner; /* inner: how many of the next are in it */
} PREFIX_field;

static inline bool PREFIX_fits(const wfs_group *group, const PREFIX_field **at, uint32_t count)
{
	uint32_t i;
	if (group->count != count) return false;
	for (i = 0; i < count; i++) {
		const PREFIX_field *f = (*at)++;
		const wfs_slot *s = &group->slots[i];
		if (s->decl->kind != f->kind || s->offset != f->offset || s->size != f->size || s->bit != f->bit || !wfs_text_is(s->decl->name, f->name)) return false;
		if (f->inner > 0 && (s->inner == NULL || !PREFIX_fits(s->inner, at, f->inner))) return false;
	}
	return true;
}

/* PREFIX_table_of returns the table of a type at a revision, NULL if there is none, or
 * if its rows are laid out otherwise. */
static inline const wfs_table *PREFIX_table_of(const wfs_pack *pack, const char *name, uint32_t revision, size_t size, const PREFIX_field *fields, uint32_t count)
{
	uint32_t i;
	if ((uintptr_t)pack->data % 8 != 0) return NULL;
	for (i = 0; i < pack->table_count; i++) {
		const wfs_table *t = &pack->tables[i];
		if (t->type == NULL || t->revision != revision || !wfs_text_is(t->name, name)) continue;
		return t->row.size == size && PREFIX_fits(&t->row, &fields, count) ? t : NULL;
	}
	return NULL;
}
`

type writer struct {
	bytes.Buffer
	prefix string
	names  scope // at the top of the file
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) line(s string) { w.WriteString(s + "\n") }

// row is the struct of a type at a revision.
type row struct {
	typ      *entity.Type
	revision uint32
	name     string // of the struct
	group    *group
}

// newRow gives the struct its name: those of all types come before any that is made of
// them.
func (w *writer) newRow(t *entity.Type, revision uint32, suffix string) *row {
	return &row{typ: t, revision: revision, group: rowOf(t.Layout(revision)), name: w.names.prefixed(w.prefix + identifier(t.Name) + suffix)}
}

func (w *writer) row(r *row) {
	w.printf("/* ---- %s, revision %d ---- */\n\n", comment(r.typ.Name), r.revision)
	w.group(r.name, r.group)
	fields, count := w.fields(r.name, r.group)
	table := w.names.prefixed(r.name + "_table")
	w.printf("static inline const wfs_table *%s(const wfs_pack *pack)\n{\n", table)
	if count > 0 {
		w.printf("\tstatic const %sfield fields[] = {\n%s\t};\n", w.prefix, fields)
		w.printf("\treturn %stable_of(pack, %s, %d, sizeof(%s), fields, %d);\n}\n\n", w.prefix, literal(r.typ.Name), r.revision, r.name, len(r.group.slots))
	} else {
		w.printf("\treturn %stable_of(pack, %s, %d, sizeof(%s), NULL, 0);\n}\n\n", w.prefix, literal(r.typ.Name), r.revision, r.name)
	}
	w.printf("static inline const %s *%s(const wfs_table *table, uint32_t i) { return (const %s *)(const void *)wfs_row(table, i); }\n\n",
		r.name, w.names.prefixed(r.name+"_row"), r.name)
}

// fields lists where the fields of a row lie, in the order in which a reader walks
// groups.
func (w *writer) fields(name string, g *group) (list string, count int) {
	var b strings.Builder
	for _, s := range g.slots {
		inner := 0
		if s.inner != nil {
			inner = len(s.inner.slots)
		}
		bit := "WFS_ALWAYS"
		if s.bit >= 0 {
			bit = fmt.Sprint(s.bit)
		}
		fmt.Fprintf(&b, "\t\t{%s, WFS_%s, %d, %d, %s, %d},\n", literal(s.name), strings.ToUpper(s.shape.Kind.String()), s.offset, s.size, bit, inner)
		count++
		if s.inner != nil {
			rest, n := w.fields(name, s.inner)
			b.WriteString(rest)
			count += n
		}
	}
	return b.String(), count
}
