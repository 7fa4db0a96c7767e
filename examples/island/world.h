/* world.h - the world as the game has it: a pack that is read in place, and where its
 * entities stand. */
#ifndef WORLD_H
#define WORLD_H

#include <stdio.h>
#include <stdlib.h>

#include "../../engine/worldfs_control.h" /* first: it asks for POSIX */
#include "../../engine/worldfs_write.h"

/* place is an entity that has a position, seen from above: x to the east, y to the north. */
typedef struct place {
	uint32_t id;
	float x, y;
	const wfs_type *type;
} place;

typedef struct world {
	char path[4096]; /* of the pack */
	wfs_file file;
	void *memory; /* of the pack's declarations */
	wfs_pack pack;
	place *places;
	uint32_t count;
} world;

static void world_close(world *w)
{
	free(w->places);
	free(w->memory);
	if (w->file.data != NULL) wfs_unmap(&w->file);
	w->places = NULL, w->memory = NULL, w->file.data = NULL;
}

/* world__places finds the positions, a table at a time: where a field lies is the same in
 * all rows. */
static bool world__places(world *w)
{
	uint32_t t, i;
	w->places = malloc((w->pack.entity_count + 1) * sizeof *w->places);
	if (w->places == NULL) return false;
	for (t = 0; t < w->pack.table_count; t++) {
		const wfs_table *table = &w->pack.tables[t];
		const wfs_slot *slot = table->type == NULL ? NULL : wfs_slot_of(&table->row, "position");
		if (slot == NULL || slot->decl->kind != WFS_VEC3) continue;
		for (i = 0; i < table->count; i++) {
			const unsigned char *row = wfs_row(table, i);
			place *p = &w->places[w->count];
			if (!wfs_present(&table->row, slot, row)) continue;
			p->id = wfs_row_id(table, row);
			p->x = wfs_loadf(row + slot->offset);
			p->y = wfs_loadf(row + slot->offset + 4);
			p->type = table->type;
			w->count++;
		}
	}
	return true;
}

/* world_place returns where an entity is, NULL if it is nowhere. */
static const place *world_place(const world *w, uint32_t id)
{
	uint32_t i;
	for (i = 0; i < w->count; i++) {
		if (w->places[i].id == id) return &w->places[i];
	}
	return NULL;
}

/* world_load takes the pack as it is now. Where that cannot be, what was loaded before
 * stays, and the reason is returned. */
static const char *world_load(world *w)
{
	world next = {0};
	wfs_result r;
	snprintf(next.path, sizeof next.path, "%s", w->path);
	r = wfs_map(&next.file, next.path);
	if (r != WFS_OK) return wfs_result_text(r);
	r = wfs_check(&next.pack, next.file.data, next.file.size);
	if (r == WFS_OK) {
		next.memory = malloc(next.pack.memory + 1);
		r = next.memory == NULL ? WFS_MEMORY : wfs_open(&next.pack, next.memory, next.pack.memory);
	}
	if (r == WFS_OK && !world__places(&next)) r = WFS_MEMORY;
	if (r != WFS_OK) {
		world_close(&next);
		return wfs_result_text(r);
	}
	world_close(w);
	*w = next;
	return NULL;
}

/* world_move saves the world with one entity elsewhere. The pack says which one was
 * loaded, so that worldfs merges the move into what others have changed meanwhile. */
static const char *world_move(world *w, uint32_t id, float x, float y)
{
	wfs_writer out;
	wfs_entity e;
	wfs_result r;
	uint32_t i;
	wfs_writer_like(&out, &w->pack);
	for (i = 0; wfs_at(&w->pack, i, &e); i++) {
		wfs_put_copy(&out, &e);
		if (e.id == id) {
			float position[3] = {x, y, wfs_float(wfs_field(&e, "position"), 2)};
			wfs_put_floats(&out, wfs_put_field(&out, "position"), position, 3);
		}
	}
	r = wfs_writer_finish(&out);
	if (r == WFS_OK) r = wfs_save(w->path, out.data, out.size);
	wfs_writer_free(&out);
	return r == WFS_OK ? world_load(w) : wfs_result_text(r);
}

/* world_name writes what people call an entity: its type, its ID and its name. */
static void world_name(const world *w, uint32_t id, char *out, size_t capacity)
{
	wfs_entity e;
	wfs_text name;
	if (!wfs_find(&w->pack, id, &e)) {
		snprintf(out, capacity, "%u", id);
		return;
	}
	name = wfs_string(wfs_field(&e, "entity_name"));
	snprintf(out, capacity, "%.*s %u %.*s", (int)e.table->name.length, e.table->name.bytes, id, (int)name.length, name.bytes);
}

#endif
