/* edit.h - changes a pack as an engine's editor does: it loads one, puts all of
 * its entities but for what is changed, and saves.
 *
 *     tool edit PACK OUT [set ID FIELD VALUE | delete ID | new ID TYPE REVISION]...
 *
 * VALUE is a number, numbers with commas between them, or a text.
 */
#ifndef WFS_EDIT_H
#define WFS_EDIT_H

#include <stdio.h>
#include <stdlib.h>

#include "../worldfs_write.h"

typedef struct edits {
	char **argv;
	int argc;
} edits;

/* words returns how many words the edit at i has, 0 if it is none. */
static int words(edits ed, int i)
{
	int n = strcmp(ed.argv[i], "delete") == 0 ? 2 : strcmp(ed.argv[i], "set") == 0 || strcmp(ed.argv[i], "new") == 0 ? 4 : 0;
	return i + n <= ed.argc ? n : 0;
}

static bool deleted(edits ed, uint32_t id)
{
	int i;
	for (i = 0; i < ed.argc; i += words(ed, i)) {
		if (strcmp(ed.argv[i], "delete") == 0 && strtoul(ed.argv[i + 1], NULL, 10) == id) return true;
	}
	return false;
}

static void set(wfs_writer *w, const char *field, const char *value)
{
	wfs_place at = wfs_put_field(w, field);
	wfs_kind kind = at.slot == NULL ? WFS_NULL : at.slot->decl->kind;
	float v[16];
	uint32_t n = 0;
	char *end;
	switch (kind) {
	case WFS_NULL: return;
	case WFS_STRING: case WFS_BLOB: case WFS_EXPR: wfs_put_string(w, at, value); return;
	case WFS_F64: wfs_put_double(w, at, strtod(value, NULL)); return;
	case WFS_I8: case WFS_I16: case WFS_I32: case WFS_I64: case WFS_ENUM: wfs_put_int(w, at, strtoll(value, NULL, 10)); return;
	case WFS_SET: case WFS_ARRAY: {
		wfs_place item;
		for (end = (char *)(uintptr_t)value; end != NULL; end = strchr(end + 1, ',')) n++;
		item = wfs_put_list(w, at, n);
		for (; n > 0; n--, item = wfs_put_next(item)) {
			wfs_put_uint(w, item, strtoull(value, &end, 10));
			value = *end == ',' ? end + 1 : end;
		}
		return;
	}
	default: break;
	}
	if (wfs_components(kind) == 0) {
		wfs_put_uint(w, at, strtoull(value, NULL, 10));
		return;
	}
	do {
		v[n++] = strtof(value, &end);
		value = end + 1;
	} while (*end == ',' && n < 16);
	wfs_put_floats(w, at, v, n);
}

/* set_all makes the edits of one entity, which was put just now. */
static void set_all(wfs_writer *w, edits ed, uint32_t id)
{
	int i;
	for (i = 0; i < ed.argc; i += words(ed, i)) {
		if (strcmp(ed.argv[i], "set") == 0 && strtoul(ed.argv[i + 1], NULL, 10) == id) set(w, ed.argv[i + 2], ed.argv[i + 3]);
	}
}

static void put_all(wfs_writer *w, const wfs_pack *loaded, edits ed)
{
	wfs_entity e;
	uint32_t place;
	int i;
	for (place = 0; wfs_at(loaded, place, &e); place++) {
		if (deleted(ed, e.id)) continue;
		wfs_put_copy(w, &e);
		set_all(w, ed, e.id);
	}
	for (i = 0; i < ed.argc; i += words(ed, i)) {
		if (strcmp(ed.argv[i], "new") != 0) continue;
		wfs_put(w, (uint32_t)strtoul(ed.argv[i + 1], NULL, 10), ed.argv[i + 2], (uint32_t)strtoul(ed.argv[i + 3], NULL, 10));
		set_all(w, ed, (uint32_t)strtoul(ed.argv[i + 1], NULL, 10));
	}
}

static inline int edit_main(int argc, char **argv)
{
	wfs_file file;
	wfs_pack pack;
	wfs_writer w;
	wfs_result r;
	wfs_problem problem = {"", 0};
	edits ed;
	void *memory = NULL;
	int i;
	ed.argv = argv + 3;
	ed.argc = argc - 3;
	for (i = 0; i < ed.argc && words(ed, i) > 0; i += words(ed, i)) {}
	if (argc < 3 || i != ed.argc) {
		fprintf(stderr, "usage: tool edit PACK OUT [set ID FIELD VALUE | delete ID | new ID TYPE REVISION]...\n");
		return 2;
	}
	r = wfs_map(&file, argv[1]);
	if (r == WFS_OK) r = wfs_check(&pack, file.data, file.size);
	if (r == WFS_OK) memory = malloc(pack.memory);
	if (r == WFS_OK) r = wfs_open(&pack, memory, pack.memory);
	if (r == WFS_OK) r = wfs_verify(&pack, &problem);
	if (r != WFS_OK) {
		fprintf(stderr, "edit: %s: %s\n", argv[1], wfs_result_text(r));
		return 1;
	}
	wfs_writer_like(&w, &pack);
	put_all(&w, &pack, ed);
	r = wfs_writer_finish(&w);
	if (r != WFS_OK) fprintf(stderr, "edit: %s: %s\n", wfs_result_text(r), w.problem.what);
	else if ((r = wfs_save(argv[2], w.data, w.size)) != WFS_OK) fprintf(stderr, "edit: %s: it cannot be written\n", argv[2]);
	wfs_writer_free(&w);
	free(memory);
	wfs_unmap(&file);
	return r == WFS_OK ? 0 : 1;
}

#endif
