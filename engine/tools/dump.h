/* dump.h - prints a pack with every value exact: floats by their bits, texts
 * with every byte that is no printable ASCII escaped. Tests compare it with what
 * the Go reader has. */
#ifndef WFS_DUMP_H
#define WFS_DUMP_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../worldfs.h"

static void dump_text(FILE *out, wfs_text t)
{
	size_t i;
	putc('"', out);
	for (i = 0; i < t.length; i++) {
		unsigned char c = (unsigned char)t.bytes[i];
		if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') fprintf(out, "\\x%02x", c);
		else putc(c, out);
	}
	putc('"', out);
}

static void dump_decl(FILE *out, const wfs_decl *d, int depth)
{
	uint32_t i;
	fprintf(out, "%*s", 2 * depth, "");
	dump_text(out, d->name);
	fprintf(out, " %s %" PRIu32 " %" PRIu32 " %" PRIx32, wfs_kind_name(d->kind), d->since, d->until, d->flags);
	for (i = 0; i < d->name_count; i++) {
		putc(' ', out);
		dump_text(out, d->names[i].name);
		fprintf(out, "=%" PRId64, d->names[i].number);
	}
	putc('\n', out);
	if (d->of != NULL) dump_decl(out, d->of, depth + 1);
	for (i = 0; i < d->field_count; i++) dump_decl(out, &d->fields[i], depth + 1);
}

static void dump_value(FILE *out, wfs_value v);

static void dump_flags(FILE *out, wfs_value v)
{
	uint64_t bits = wfs_uint(v);
	int64_t bit;
	fprintf(out, "%" PRIx64, bits);
	for (bit = 0; bit < 64; bit++) {
		if (!(bits >> bit & 1)) continue;
		putc('|', out);
		dump_text(out, wfs_name_of(v.slot->decl, bit));
	}
}

static void dump_list(FILE *out, wfs_value v)
{
	wfs_list list = wfs_items(v);
	uint32_t i;
	putc('[', out);
	for (i = 0; i < list.count; i++) {
		if (i > 0) putc(' ', out);
		dump_value(out, wfs_item(&list, i));
	}
	putc(']', out);
}

static void dump_value(FILE *out, wfs_value v)
{
	wfs_kind k = wfs_kind_of(v);
	uint32_t i, n = wfs_components(k);
	switch (k) {
	case WFS_NULL: putc('-', out); return;
	case WFS_I8: case WFS_I16: case WFS_I32: case WFS_I64: fprintf(out, "%" PRId64, wfs_int(v)); return;
	case WFS_ENUM:
		fprintf(out, "%" PRId64 "|", wfs_int(v));
		dump_text(out, wfs_name_of(v.slot->decl, wfs_int(v)));
		return;
	case WFS_FLAGS: dump_flags(out, v); return;
	case WFS_F64: fprintf(out, "%016" PRIx64, wfs_double_bits(v)); return;
	case WFS_STRING: case WFS_BLOB: case WFS_EXPR: dump_text(out, wfs_string(v)); return;
	case WFS_GUID:
		for (i = 0; i < 16; i++) fprintf(out, "%02x", wfs_guid(v)[i]);
		return;
	case WFS_SET: case WFS_ARRAY: dump_list(out, v); return;
	case WFS_STRUCT:
		putc('{', out);
		for (i = 0; i < v.slot->inner->count; i++) {
			if (i > 0) putc(' ', out);
			dump_text(out, v.slot->inner->slots[i].decl->name);
			putc('=', out);
			dump_value(out, wfs_member_at(v, i));
		}
		putc('}', out);
		return;
	default: break;
	}
	if (n == 0) {
		fprintf(out, "%" PRIu64, wfs_uint(v));
		return;
	}
	for (i = 0; i < n; i++) fprintf(out, "%s%08" PRIx32, i > 0 ? "," : "", wfs_float_bits(v, i));
}

static void dump_entity(FILE *out, const wfs_entity *e)
{
	wfs_text name, lines;
	uint32_t i, n = wfs_raw_count(e);
	fprintf(out, "entity %" PRIu32 " ", e->id);
	dump_text(out, e->table->name);
	fprintf(out, " %" PRIu32 "\n", e->table->revision);
	for (i = 0; i < e->table->row.count; i++) {
		fputs("  ", out);
		dump_text(out, e->table->row.slots[i].decl->name);
		putc(' ', out);
		dump_value(out, wfs_field_at(e, i));
		putc('\n', out);
	}
	for (i = 0; i < n; i++) {
		if (!wfs_raw(e, i, &name, &lines)) continue;
		fputs("  raw ", out);
		dump_text(out, name);
		putc(' ', out);
		dump_text(out, lines);
		putc('\n', out);
	}
}

static void dump_pack(FILE *out, const wfs_pack *p)
{
	uint32_t i, k;
	fputs("world ", out);
	for (i = 0; i < 16; i++) fprintf(out, "%02x", p->world[i]);
	fputs(" based on ", out);
	for (i = 0; i < 32; i++) fprintf(out, "%02x", p->based_on[i]);
	putc('\n', out);
	for (i = 0; i < p->type_count; i++) {
		fputs("type ", out);
		dump_text(out, p->types[i].name);
		fprintf(out, " %" PRIu32 " %" PRIx32 "\n", p->types[i].revision, p->types[i].flags);
		for (k = 0; k < p->types[i].field_count; k++) dump_decl(out, &p->types[i].fields[k], 1);
	}
	for (i = 0; i < p->entity_count; i++) {
		wfs_entity e, found;
		if (!wfs_at(p, i, &e)) continue;
		dump_entity(out, &e);
		if (!wfs_find(p, e.id, &found) || found.row != e.row) fprintf(out, "  not found by its ID\n");
	}
}

static inline int dump_main(int argc, char **argv)
{
	wfs_file file;
	wfs_pack pack;
	wfs_problem problem;
	wfs_result r;
	void *memory;
	if (argc != 2) {
		fprintf(stderr, "usage: tool dump PACK\n");
		return 2;
	}
	r = wfs_map(&file, argv[1]);
	if (r != WFS_OK) {
		fprintf(stderr, "dump: %s: %s\n", argv[1], wfs_result_text(r));
		return 3;
	}
	r = wfs_check(&pack, file.data, file.size);
	problem = pack.problem;
	memory = r == WFS_OK ? malloc(pack.memory) : NULL;
	if (r == WFS_OK) {
		r = wfs_open(&pack, memory, pack.memory);
		problem = pack.problem;
	}
	if (r == WFS_OK) r = wfs_verify(&pack, &problem);
	if (r == WFS_OK) dump_pack(stdout, &pack);
	else fprintf(stderr, "dump: %s: %s: offset %lu: %s\n", argv[1], wfs_result_text(r), (unsigned long)problem.offset, problem.what);
	free(memory);
	wfs_unmap(&file);
	return r == WFS_OK ? 0 : 1;
}

#endif
