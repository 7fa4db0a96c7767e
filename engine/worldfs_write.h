/* worldfs_write.h - writes world packs, as an engine's own editor saves them.
 *
 *     #define WORLDFS_IMPLEMENTATION     // in one .c file
 *     #include "worldfs_write.h"
 *
 *     wfs_writer w;
 *     wfs_writer_like(&w, &loaded);             // its world, types, and that it was loaded
 *     for (i = 0; wfs_at(&loaded, i, &e); i++) wfs_put_copy(&w, &e);
 *     wfs_put(&w, 7001, "Door", 72);            // a new one
 *     wfs_put_floats(&w, wfs_put_field(&w, "position"), position, 3);
 *     if (wfs_writer_finish(&w) != WFS_OK) die(w.problem.what);
 *     wfs_save("world.pack", w.data, w.size);
 *     wfs_writer_free(&w);
 *
 * A pack says which one its writer had loaded (based_on): so worldfs merges what
 * the engine changed into what others changed meanwhile. After a save, what was
 * saved counts as loaded.
 *
 * Entities come in any order, each ID once. What is not set is zero, or no
 * rotation, or the identity, or absent where it may be; defaults that a type
 * declares are for the caller to set. Sets are put in order. Texts are stored as
 * often as they are put: worldfs writes the canonical form when it publishes.
 *
 * The first thing that goes wrong is kept (problem); what is put after it is
 * passed over, and wfs_writer_finish returns it. So calls need not be checked
 * one by one.
 */
#ifndef WORLDFS_WRITE_H
#define WORLDFS_WRITE_H

#include "worldfs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* wfs_buffer is memory that grows. */
typedef struct wfs_buffer {
	unsigned char *data;
	size_t size, capacity;
} wfs_buffer;

/* wfs_place is where a value is to be put. A slot of NULL is nowhere: what is put
 * there goes wrong. */
typedef struct wfs_place {
	const wfs_group *group;
	const wfs_slot *slot;
	size_t base; /* of the group, in the rows or in the heap */
	bool heap;
} wfs_place;

/* wfs_realloc is as realloc, and frees where size is 0. */
typedef void *(*wfs_realloc)(void *user, void *memory, size_t size);

typedef struct wfs_writer {
	unsigned char world[16];    /* may be set until wfs_writer_finish, as based_on */
	unsigned char based_on[32]; /* the content hash of what was loaded; zero for none */
	unsigned char *data;        /* the pack, once wfs_writer_finish has returned WFS_OK */
	size_t size;
	wfs_result result; /* of what has been put so far */
	wfs_problem problem;

	wfs_realloc realloc;
	void *user;
	wfs_pack declared; /* the types */
	wfs_buffer types, types_memory, tables, entities, rows, heap, extra;
} wfs_writer;

/* wfs_writer_begin begins a pack of a world with these types: JSON lines, as
 * docs/pack-format.md has them, in the order of names. wfs_writer_like begins one
 * with the world's ID and types of a loaded pack, and names that as its base.
 * realloc may be NULL for that of the C library. */
wfs_result wfs_writer_begin(wfs_writer *w, const unsigned char world[16], const char *types, size_t length, wfs_realloc realloc, void *user);
wfs_result wfs_writer_like(wfs_writer *w, const wfs_pack *loaded);

/* wfs_put begins an entity. What is put next is of it. */
bool wfs_put(wfs_writer *w, uint32_t id, const char *type, uint32_t revision);

/* wfs_put_copy puts an entity of a pack as it is, fields that its type does not
 * know included. What is put next changes the copy. */
bool wfs_put_copy(wfs_writer *w, const wfs_entity *e);

/* wfs_put_raw puts a field that the type does not know. */
bool wfs_put_raw(wfs_writer *w, wfs_text name, wfs_text lines);

/* Places: a field of the entity, a member of a struct, an element of a list. */
wfs_place wfs_put_field(wfs_writer *w, const char *name);
wfs_place wfs_put_member(wfs_writer *w, wfs_place at, const char *name);
wfs_place wfs_put_list(wfs_writer *w, wfs_place at, uint32_t count); /* the first of count elements */
wfs_place wfs_put_next(wfs_place item);                              /* the one after it */

/* Values. A field or a list that is put a second time has the last value. */
bool wfs_put_absent(wfs_writer *w, wfs_place at);
bool wfs_put_present(wfs_writer *w, wfs_place at);               /* an optional struct, as it is */
bool wfs_put_uint(wfs_writer *w, wfs_place at, uint64_t v);      /* bool, u8 to u64, flags, ref */
bool wfs_put_int(wfs_writer *w, wfs_place at, int64_t v);        /* i8 to i64, enum */
bool wfs_put_float(wfs_writer *w, wfs_place at, float v);        /* f32 */
bool wfs_put_floats(wfs_writer *w, wfs_place at, const float *v, uint32_t count);
bool wfs_put_double(wfs_writer *w, wfs_place at, double v);      /* f64 */
bool wfs_put_text(wfs_writer *w, wfs_place at, wfs_text v);      /* string, blob */
bool wfs_put_string(wfs_writer *w, wfs_place at, const char *v); /* the same, up to the zero byte */
bool wfs_put_guid(wfs_writer *w, wfs_place at, const unsigned char v[16]);
bool wfs_put_value(wfs_writer *w, wfs_place at, wfs_value v);    /* any, of a pack; members by name */

/* wfs_writer_finish makes the pack and reads it back. */
wfs_result wfs_writer_finish(wfs_writer *w);
void wfs_writer_free(wfs_writer *w);

#ifndef WFS_NO_FILES
/* wfs_save replaces a file by a rename, so that no reader meets half a pack, also
 * after a power cut. */
wfs_result wfs_save(const char *path, const void *data, size_t size);
#endif

#ifdef __cplusplus
}
#endif
#endif /* WORLDFS_WRITE_H */

#if defined(WORLDFS_IMPLEMENTATION) && !defined(WORLDFS_WRITE_IMPLEMENTED)
#define WORLDFS_WRITE_IMPLEMENTED

#include <stdlib.h>

/* wfs__wtable is one table: rows of all tables are put into one buffer and go
 * to their table when the pack is made. */
typedef struct wfs__wtable {
	const wfs_type *type; /* NULL if it is declared nowhere */
	void *memory;         /* of the layout */
	wfs_group row;
	size_t name; /* in the heap */
	size_t name_length;
	uint32_t revision, count;
	uint32_t number; /* in the pack */
	size_t at;       /* of its rows in their section */
} wfs__wtable;

typedef struct wfs__wentity {
	uint32_t id, table, place, raw; /* raw: how many extra fields it has */
	size_t row, first_raw;          /* in the rows, in the extra fields */
} wfs__wentity;

/* wfs__wraw is an extra field: references to its name and lines. */
typedef struct wfs__wraw {
	uint32_t name, lines;
} wfs__wraw;

static bool wfs__reject(wfs_writer *w, wfs_result result, const char *what)
{
	if (w->result == WFS_OK) {
		w->result = result;
		w->problem.what = what;
	}
	return false;
}

static void *wfs__libc_realloc(void *user, void *memory, size_t size)
{
	(void)user;
	if (size > 0) return realloc(memory, size);
	free(memory);
	return NULL;
}

/* wfs__grow makes room for n more bytes, zero, and returns them, NULL if there is
 * no memory. What was returned before moves. */
static unsigned char *wfs__grow(wfs_writer *w, wfs_buffer *b, size_t n)
{
	unsigned char *p;
	if (n > SIZE_MAX / 4 || b->size > SIZE_MAX / 4) {
		wfs__reject(w, WFS_MEMORY, "the pack is larger than memory can be");
		return NULL;
	}
	if (n > b->capacity - b->size) {
		size_t capacity = b->size + n + b->capacity / 2 + 64;
		p = (unsigned char *)w->realloc(w->user, b->data, capacity);
		if (p == NULL) {
			wfs__reject(w, WFS_MEMORY, "there is no memory left");
			return NULL;
		}
		b->data = p;
		b->capacity = capacity;
	}
	p = b->data + b->size;
	if (n > 0) memset(p, 0, n);
	b->size += n;
	return p;
}

static void wfs__drop(wfs_writer *w, wfs_buffer *b)
{
	if (b->data != NULL) w->realloc(w->user, b->data, 0);
	memset(b, 0, sizeof *b);
}

static void wfs__store32(unsigned char *p, uint32_t v)
{
	int i;
	for (i = 0; i < 4; i++) p[i] = (unsigned char)(v >> 8 * i & 0xFF);
}

static void wfs__store64(unsigned char *p, uint64_t v)
{
	wfs__store32(p, (uint32_t)(v & 0xFFFFFFFFu));
	wfs__store32(p + 4, (uint32_t)(v >> 32));
}

/* The arrays in buffers. */

static wfs__wtable *wfs__wtables(const wfs_writer *w) { return (wfs__wtable *)(void *)w->tables.data; }
static wfs__wentity *wfs__wentities(const wfs_writer *w) { return (wfs__wentity *)(void *)w->entities.data; }
static size_t wfs__table_number(const wfs_writer *w) { return w->tables.size / sizeof(wfs__wtable); }
static size_t wfs__entity_number(const wfs_writer *w) { return w->entities.size / sizeof(wfs__wentity); }

/* ---- Beginning ---- */

wfs_result wfs_writer_begin(wfs_writer *w, const unsigned char world[16], const char *types, size_t length, wfs_realloc alloc, void *user)
{
	wfs__arena a;
	wfs_type t;
	size_t at = 0;
	unsigned char *copy;
	memset(w, 0, sizeof *w);
	memcpy(w->world, world, 16);
	w->problem.what = "";
	w->realloc = alloc != NULL ? alloc : wfs__libc_realloc;
	w->user = user;
	copy = wfs__grow(w, &w->types, length + 1); /* one more: an empty buffer has no address */
	if (copy == NULL || wfs__grow(w, &w->heap, 4) == NULL) return w->result;
	if (length > 0) memcpy(copy, types, length);
	w->declared.data = copy;
	w->declared.sections[WFS_TYPES].length = length;
	memset(&a, 0, sizeof a);
	a.major = 1;
	for (; at < length && w->result == WFS_OK; w->declared.type_count++) w->result = wfs__next_type(&w->declared, &a, &at, &t);
	w->declared.major = a.major;
	if (w->result == WFS_OK) {
		wfs__take(&a, w->declared.type_count, sizeof(wfs_type));
		a.size = a.used + 2 * WFS__ALIGN;
		a.base = wfs__grow(w, &w->types_memory, a.size);
		if (a.base == NULL) return w->result;
		a.base += -(uintptr_t)a.base & (WFS__ALIGN - 1);
		a.size -= WFS__ALIGN;
		a.used = 0;
		w->result = wfs__open_types(&w->declared, &a);
	}
	if (w->result != WFS_OK) w->problem = w->declared.problem;
	return w->result;
}

wfs_result wfs_writer_like(wfs_writer *w, const wfs_pack *loaded)
{
	wfs_section types = loaded->sections[WFS_TYPES];
	wfs_result r = wfs_writer_begin(w, loaded->world, (const char *)loaded->data + types.offset, types.length, NULL, NULL);
	wfs_hash(loaded->data, loaded->size, w->based_on);
	return r;
}

void wfs_writer_free(wfs_writer *w)
{
	size_t i;
	for (i = 0; i < wfs__table_number(w); i++) {
		if (wfs__wtables(w)[i].memory != NULL) w->realloc(w->user, wfs__wtables(w)[i].memory, 0);
	}
	if (w->data != NULL) w->realloc(w->user, w->data, 0);
	wfs__drop(w, &w->types);
	wfs__drop(w, &w->types_memory);
	wfs__drop(w, &w->tables);
	wfs__drop(w, &w->entities);
	wfs__drop(w, &w->rows);
	wfs__drop(w, &w->heap);
	wfs__drop(w, &w->extra);
	w->data = NULL;
	w->size = 0;
}

/* ---- Heap ---- */

/* wfs__heap_room makes room for n things of that size and alignment, and returns
 * the reference to them, 0 if there is none. *at is where the first lies. */
static uint32_t wfs__heap_room(wfs_writer *w, uint64_t n, uint32_t size, uint32_t align, size_t *at)
{
	size_t before = align == 8 && w->heap.size % 8 == 0 ? 4 : 0, here = w->heap.size + before;
	unsigned char *p;
	if (n > UINT32_MAX || here / 4 > UINT32_MAX || n > (SIZE_MAX / 8 - here) / size) {
		wfs__reject(w, WFS_MEMORY, "strings and lists are more than a pack can hold");
		return 0;
	}
	p = wfs__grow(w, &w->heap, before + 4 + (((size_t)n * size + 3) & ~(size_t)3));
	if (p == NULL) return 0;
	wfs__store32(p + before, (uint32_t)n);
	*at = here + 4;
	return (uint32_t)(here / 4);
}

static bool wfs__heap_put(wfs_writer *w, wfs_text text, uint32_t *ref)
{
	size_t at;
	*ref = 0;
	if (text.length == 0) return true;
	*ref = wfs__heap_room(w, text.length, 1, 1, &at);
	if (*ref == 0) return false;
	memcpy(w->heap.data + at, text.bytes, text.length);
	return true;
}

/* ---- Tables ---- */

/* wfs__nodes counts the slots and groups that declarations can need. */
static void wfs__nodes(const wfs_decl *fields, uint32_t count, size_t *slots, size_t *groups)
{
	uint32_t i;
	*slots += count;
	for (i = 0; i < count; i++) {
		*groups += fields[i].of != NULL || fields[i].field_count > 0 ? 1 : 0;
		if (fields[i].of != NULL) wfs__nodes(fields[i].of, 1, slots, groups);
		wfs__nodes(fields[i].fields, fields[i].field_count, slots, groups);
	}
}

static bool wfs__lay_table(wfs_writer *w, wfs__wtable *t)
{
	wfs__arena a;
	size_t slots = 0, groups = 0;
	const wfs_decl *fields = t->type != NULL ? t->type->fields : NULL;
	uint32_t count = t->type != NULL ? t->type->field_count : 0;
	wfs__nodes(fields, count, &slots, &groups);
	memset(&a, 0, sizeof a);
	a.size = slots * (sizeof(wfs_slot) + WFS__ALIGN) + groups * (sizeof(wfs_group) + WFS__ALIGN) + 2 * WFS__ALIGN;
	t->memory = w->realloc(w->user, NULL, a.size);
	if (t->memory == NULL) return wfs__reject(w, WFS_MEMORY, "there is no memory left");
	a.base = (unsigned char *)t->memory + (-(uintptr_t)t->memory & (WFS__ALIGN - 1));
	a.size -= WFS__ALIGN;
	return wfs__lay(&a, &t->row, fields, count, t->revision, WFS__FIELD) || wfs__reject(w, WFS_CORRUPT, "a row is larger than any can be");
}

static wfs_text wfs__table_name(const wfs_writer *w, const wfs__wtable *t)
{
	wfs_text name;
	name.bytes = (const char *)w->heap.data + t->name;
	name.length = t->name_length;
	return name;
}

/* wfs__table_of returns the number of the table of a type at a revision, made if
 * there is none yet, SIZE_MAX if that fails. */
static size_t wfs__table_of(wfs_writer *w, wfs_text name, const wfs_type *type, uint32_t revision)
{
	wfs__wtable t;
	size_t n = wfs__table_number(w), i;
	unsigned char *p;
	uint32_t ref;
	/* From the back: entities of one table mostly come one after the other. */
	for (i = n; i > 0; i--) {
		const wfs__wtable *known = &wfs__wtables(w)[i - 1];
		if (known->revision == revision && known->type == type && wfs__compare(wfs__table_name(w, known), name) == 0) return i - 1;
	}
	memset(&t, 0, sizeof t);
	t.type = type;
	t.revision = revision;
	if (!wfs__heap_put(w, name, &ref)) return SIZE_MAX;
	t.name = ref == 0 ? 0 : (size_t)ref * 4 + 4;
	t.name_length = name.length;
	p = wfs__grow(w, &w->tables, sizeof t);
	if (p == NULL) return SIZE_MAX;
	memcpy(p, &t, sizeof t);
	return wfs__lay_table(w, &wfs__wtables(w)[n]) ? n : SIZE_MAX;
}

/* ---- Entities ---- */

static unsigned char *wfs__base(const wfs_writer *w, wfs_place at) { return (at.heap ? w->heap.data : w->rows.data) + at.base; }

/* wfs__neutral gives what is always there in a group what is not zero: no
 * rotation, the identity. */
static void wfs__neutral(const wfs_group *g, unsigned char *base)
{
	uint32_t i, k;
	for (i = 0; i < g->count; i++) {
		const wfs_slot *s = &g->slots[i];
		unsigned char *p = base + s->offset;
		if (s->bit != WFS_ALWAYS) continue;
		switch (s->decl->kind) {
		case WFS_STRUCT: wfs__neutral(s->inner, p); break;
		case WFS_QUAT: wfs__store32(p + 12, 0x3F800000u); break;
		case WFS_MAT3X4: case WFS_MAT4:
			for (k = 0; k < wfs_components(s->decl->kind) / 4; k++) wfs__store32(p + 20 * (size_t)k, 0x3F800000u);
			break;
		default: break;
		}
	}
}

static bool wfs__put(wfs_writer *w, uint32_t id, wfs_text name, const wfs_type *type, uint32_t revision)
{
	wfs__wentity e;
	size_t table;
	unsigned char *row, *entry;
	if (w->result != WFS_OK) return false;
	if (id == 0) return wfs__reject(w, WFS_CORRUPT, "an entity's ID is not 0");
	if (wfs__entity_number(w) >= UINT32_MAX - 1) return wfs__reject(w, WFS_CORRUPT, "there are more entities than a pack can hold");
	table = wfs__table_of(w, name, type, revision);
	if (table == SIZE_MAX) return false;
	memset(&e, 0, sizeof e);
	e.id = id;
	e.table = (uint32_t)table;
	e.row = w->rows.size;
	e.first_raw = w->extra.size;
	row = wfs__grow(w, &w->rows, wfs__wtables(w)[table].row.size);
	entry = row == NULL ? NULL : wfs__grow(w, &w->entities, sizeof e);
	if (entry == NULL) return false;
	wfs__store32(row + wfs__wtables(w)[table].row.id, id);
	wfs__neutral(&wfs__wtables(w)[table].row, row);
	memcpy(entry, &e, sizeof e);
	wfs__wtables(w)[table].count++;
	return true;
}

bool wfs_put(wfs_writer *w, uint32_t id, const char *type, uint32_t revision)
{
	const wfs_type *t = w->result == WFS_OK ? wfs_type_of(&w->declared, type) : NULL;
	if (t == NULL) return wfs__reject(w, WFS_CORRUPT, "an entity's type is declared nowhere");
	return wfs__put(w, id, t->name, t, revision);
}

static wfs__wentity *wfs__last(wfs_writer *w)
{
	size_t n = wfs__entity_number(w);
	return w->result == WFS_OK && n > 0 ? &wfs__wentities(w)[n - 1] : NULL;
}

bool wfs_put_raw(wfs_writer *w, wfs_text name, wfs_text lines)
{
	wfs__wraw raw;
	unsigned char *p;
	wfs__wentity *e = wfs__last(w);
	if (e == NULL) return wfs__reject(w, WFS_CORRUPT, "a field was put before any entity");
	if (!wfs__heap_put(w, name, &raw.name) || !wfs__heap_put(w, lines, &raw.lines)) return false;
	p = wfs__grow(w, &w->extra, sizeof raw);
	if (p == NULL) return false;
	memcpy(p, &raw, sizeof raw);
	e->raw++;
	return true;
}

static wfs_place wfs__nowhere(void)
{
	wfs_place none;
	memset(&none, 0, sizeof none);
	return none;
}

static wfs_place wfs__field_place(wfs_writer *w, const wfs_slot *slot)
{
	wfs_place at = wfs__nowhere();
	wfs__wentity *e = wfs__last(w);
	at.group = &wfs__wtables(w)[e->table].row;
	at.slot = slot;
	at.base = e->row;
	return at;
}

wfs_place wfs_put_field(wfs_writer *w, const char *name)
{
	wfs__wentity *e = wfs__last(w);
	const wfs_slot *slot = e != NULL ? wfs_slot_of(&wfs__wtables(w)[e->table].row, name) : NULL;
	if (slot == NULL) {
		wfs__reject(w, WFS_CORRUPT, "an entity's type has no such field at its revision");
		return wfs__nowhere();
	}
	return wfs__field_place(w, slot);
}

/* wfs__here marks the value at a place as present and returns where it lies,
 * NULL if nothing can be put there. */
static unsigned char *wfs__here(wfs_writer *w, wfs_place at)
{
	unsigned char *base;
	if (w->result != WFS_OK) return NULL;
	if (at.slot == NULL) {
		wfs__reject(w, WFS_CORRUPT, "a value was put nowhere");
		return NULL;
	}
	base = wfs__base(w, at);
	if (at.slot->bit != WFS_ALWAYS) {
		unsigned char *bits = base + at.group->presence + at.slot->bit / 8;
		bool was = (*bits >> (at.slot->bit % 8) & 1) != 0;
		*bits = (unsigned char)(*bits | 1u << (at.slot->bit % 8));
		if (!was && at.slot->decl->kind == WFS_STRUCT) wfs__neutral(at.slot->inner, base + at.slot->offset);
	}
	return base + at.slot->offset;
}

bool wfs_put_absent(wfs_writer *w, wfs_place at)
{
	unsigned char *p = wfs__here(w, at), *bits;
	if (p == NULL) return false;
	if (at.slot->bit == WFS_ALWAYS) return wfs__reject(w, WFS_CORRUPT, "a value that must be there was put absent");
	memset(p, 0, at.slot->size);
	bits = wfs__base(w, at) + at.group->presence + at.slot->bit / 8;
	*bits = (unsigned char)(*bits & ~(1u << (at.slot->bit % 8)));
	return true;
}

bool wfs_put_present(wfs_writer *w, wfs_place at) { return wfs__here(w, at) != NULL; }

wfs_place wfs_put_member(wfs_writer *w, wfs_place at, const char *name)
{
	unsigned char *p = wfs__here(w, at);
	if (p == NULL) return wfs__nowhere();
	if (at.slot->decl->kind == WFS_STRUCT) {
		at.base += at.slot->offset;
		at.group = at.slot->inner;
		at.slot = wfs_slot_of(at.group, name);
		if (at.slot != NULL) return at;
	}
	wfs__reject(w, WFS_CORRUPT, "a struct has no such member");
	return wfs__nowhere();
}

wfs_place wfs_put_list(wfs_writer *w, wfs_place at, uint32_t count)
{
	size_t first = 0;
	uint32_t ref = 0, i;
	wfs_place item = wfs__nowhere();
	if (wfs__here(w, at) == NULL) return item;
	if (!wfs__is_list(at.slot->decl->kind)) {
		wfs__reject(w, WFS_CORRUPT, "a list was put where there is none");
		return item;
	}
	item.group = at.slot->inner;
	item.slot = &item.group->slots[0];
	item.heap = true;
	if (count > 0) {
		ref = wfs__heap_room(w, count, item.group->size, item.group->align, &first);
		if (ref == 0) return wfs__nowhere();
		for (i = 0; i < count; i++) wfs__neutral(item.group, w->heap.data + first + (size_t)i * item.group->size);
	}
	item.base = first;
	wfs__store32(wfs__base(w, at) + at.slot->offset, ref); /* after the heap has grown */
	return item;
}

wfs_place wfs_put_next(wfs_place item)
{
	if (item.slot != NULL) item.base += item.group->size;
	return item;
}

static bool wfs__mismatch(wfs_writer *w) { return wfs__reject(w, WFS_CORRUPT, "a value is of another kind than its field, or does not fit"); }

/* wfs__store writes the lowest bytes of v. */
static void wfs__store(unsigned char *p, uint64_t v, uint32_t size)
{
	uint32_t i;
	for (i = 0; i < size; i++) p[i] = (unsigned char)(v >> 8 * i & 0xFF);
}

bool wfs_put_uint(wfs_writer *w, wfs_place at, uint64_t v)
{
	unsigned char *p = wfs__here(w, at);
	if (p == NULL) return false;
	switch (at.slot->decl->kind) {
	case WFS_BOOL:
		if (v > 1) return wfs__mismatch(w);
		break;
	case WFS_U8: case WFS_U16: case WFS_U32: case WFS_U64: case WFS_FLAGS: case WFS_REF: break;
	default: return wfs__mismatch(w);
	}
	if (at.slot->size < 8 && v >> 8 * at.slot->size != 0) return wfs__mismatch(w);
	wfs__store(p, v, at.slot->size);
	return true;
}

bool wfs_put_int(wfs_writer *w, wfs_place at, int64_t v)
{
	unsigned char *p = wfs__here(w, at);
	int64_t limit;
	if (p == NULL) return false;
	switch (at.slot->decl->kind) {
	case WFS_I8: case WFS_I16: case WFS_I32: case WFS_I64: case WFS_ENUM: break;
	default: return wfs__mismatch(w);
	}
	limit = at.slot->size == 8 ? INT64_MAX : ((int64_t)1 << (8 * at.slot->size - 1)) - 1;
	if (v > limit || v < -limit - 1) return wfs__mismatch(w);
	wfs__store(p, (uint64_t)v, at.slot->size);
	return true;
}

bool wfs_put_floats(wfs_writer *w, wfs_place at, const float *v, uint32_t count)
{
	unsigned char *p = wfs__here(w, at);
	uint32_t i, bits;
	if (p == NULL) return false;
	if (count == 0 || count != wfs_components(at.slot->decl->kind)) return wfs__mismatch(w);
	for (i = 0; i < count; i++) {
		memcpy(&bits, &v[i], sizeof bits);
		wfs__store32(p + 4 * (size_t)i, bits);
	}
	return true;
}

bool wfs_put_float(wfs_writer *w, wfs_place at, float v) { return wfs_put_floats(w, at, &v, 1); }

bool wfs_put_double(wfs_writer *w, wfs_place at, double v)
{
	unsigned char *p = wfs__here(w, at);
	uint64_t bits;
	if (p == NULL) return false;
	if (at.slot->decl->kind != WFS_F64) return wfs__mismatch(w);
	memcpy(&bits, &v, sizeof bits);
	wfs__store64(p, bits);
	return true;
}

bool wfs_put_text(wfs_writer *w, wfs_place at, wfs_text v)
{
	uint32_t ref;
	if (wfs__here(w, at) == NULL) return false;
	if (at.slot->decl->kind != WFS_BLOB && ((at.slot->decl->kind != WFS_STRING && at.slot->decl->kind != WFS_EXPR) || !wfs__valid_utf8(v.bytes, v.length) ||
		(at.slot->decl->kind == WFS_EXPR && !wfs__is_source(v)))) return wfs__mismatch(w);
	if (!wfs__heap_put(w, v, &ref)) return false;
	wfs__store32(wfs__base(w, at) + at.slot->offset, ref); /* after the heap has grown */
	return true;
}

bool wfs_put_string(wfs_writer *w, wfs_place at, const char *v) { return wfs_put_text(w, at, wfs__text(v)); }

bool wfs_put_guid(wfs_writer *w, wfs_place at, const unsigned char v[16])
{
	unsigned char *p = wfs__here(w, at);
	if (p == NULL) return false;
	if (at.slot->decl->kind != WFS_GUID) return wfs__mismatch(w);
	memcpy(p, v, 16);
	return true;
}

/* ---- Copies ---- */

static bool wfs__put_members(wfs_writer *w, wfs_place at, wfs_value v)
{
	const wfs_group *from = v.slot->inner, *to = at.slot->inner;
	uint32_t i;
	at.base += at.slot->offset;
	at.group = to;
	if (from->count != to->count) return wfs__mismatch(w);
	for (i = 0; i < to->count; i++) {
		at.slot = &to->slots[i];
		if (wfs__compare(at.slot->decl->name, from->slots[i].decl->name) != 0) return wfs__mismatch(w);
		if (!wfs_put_value(w, at, wfs_member_at(v, i))) return false;
	}
	return true;
}

/* The recursion is as deep as declarations are nested. Lists that share their
 * elements could make more of themselves than there is room for: verify a pack
 * that others wrote before its values are copied. */
bool wfs_put_value(wfs_writer *w, wfs_place at, wfs_value v)
{
	unsigned char *p;
	wfs_list list;
	wfs_place item;
	uint32_t i;
	if (v.at == NULL) return wfs_put_absent(w, at);
	p = wfs__here(w, at);
	if (p == NULL) return false;
	if (at.slot->decl->kind != v.slot->decl->kind) return wfs__mismatch(w);
	switch (v.slot->decl->kind) {
	case WFS_STRUCT: return wfs__put_members(w, at, v);
	case WFS_STRING: case WFS_BLOB: case WFS_EXPR: return wfs_put_text(w, at, wfs_string(v));
	case WFS_FLAGS: return wfs_put_uint(w, at, wfs_uint(v));
	case WFS_SET: case WFS_ARRAY:
		list = wfs_items(v);
		item = wfs_put_list(w, at, list.count);
		for (i = 0; i < list.count; i++, item = wfs_put_next(item)) {
			if (!wfs_put_value(w, item, wfs_item(&list, i))) return false;
		}
		return w->result == WFS_OK;
	default:
		if (v.slot->size != at.slot->size) return wfs__mismatch(w);
		memcpy(p, v.at, at.slot->size);
		return true;
	}
}

bool wfs_put_copy(wfs_writer *w, const wfs_entity *e)
{
	const wfs_type *type = NULL;
	const wfs_group *row;
	wfs_text name, lines;
	uint32_t i, n = wfs_raw_count(e);
	if (w->result != WFS_OK) return false;
	if (e->table->type != NULL) {
		type = wfs__find_type(&w->declared, e->table->name);
		if (type == NULL) return wfs__reject(w, WFS_CORRUPT, "an entity's type is declared nowhere");
	}
	if (!wfs__put(w, e->id, e->table->name, type, e->table->revision)) return false;
	row = &wfs__wtables(w)[wfs__last(w)->table].row;
	for (i = 0; i < e->table->row.count; i++) {
		wfs_value v = wfs_field_at(e, i);
		const wfs_decl *d = e->table->row.slots[i].decl;
		/* The fields are the same mostly, and then in the same places. */
		if (i >= row->count || wfs__compare(row->slots[i].decl->name, d->name) != 0) return wfs__mismatch(w);
		if (!wfs_put_value(w, wfs__field_place(w, &row->slots[i]), v)) return false;
	}
	if (row->count != e->table->row.count) return wfs__mismatch(w);
	for (i = 0; i < n; i++) {
		if (!wfs_raw(e, i, &name, &lines)) return wfs__reject(w, WFS_CORRUPT, "an extra field's text leads nowhere");
		if (!wfs_put_raw(w, name, lines)) return false;
	}
	return true;
}

/* ---- Making the pack ---- */

/* wfs__sort is a heap sort of n things by their numbers; the caller says how two
 * of them compare, and has them change places. */
typedef struct wfs__sorting {
	int (*compare)(void *of, size_t a, size_t b);
	void (*swap)(void *of, size_t a, size_t b);
	void *of;
} wfs__sorting;

static void wfs__sift(const wfs__sorting *s, size_t root, size_t n)
{
	for (;;) {
		size_t child = 2 * root + 1;
		if (child >= n) return;
		if (child + 1 < n && s->compare(s->of, child, child + 1) < 0) child++;
		if (s->compare(s->of, root, child) >= 0) return;
		s->swap(s->of, root, child);
		root = child;
	}
}

static void wfs__sort(const wfs__sorting *s, size_t n)
{
	size_t i;
	for (i = 1; i < n && s->compare(s->of, i - 1, i) < 0; i++) {}
	if (i >= n) return; /* it is in order, as what was copied is */
	for (i = n / 2; i > 0; i--) wfs__sift(s, i - 1, n);
	for (i = n; i > 1; i--) {
		s->swap(s->of, 0, i - 1);
		wfs__sift(s, 0, i - 1);
	}
}

static int wfs__compare_entities(void *of, size_t a, size_t b)
{
	const wfs__wentity *e = wfs__wentities((const wfs_writer *)of);
	return e[a].id < e[b].id ? -1 : e[a].id > e[b].id;
}

static void wfs__swap_entities(void *of, size_t a, size_t b)
{
	wfs__wentity *e = wfs__wentities((const wfs_writer *)of), was = e[a];
	e[a] = e[b];
	e[b] = was;
}

/* wfs__number_tables gives each table its place in the pack: by name, revision,
 * and whether it is declared. There are few. */
static void wfs__number_tables(wfs_writer *w)
{
	wfs__wtable *t = wfs__wtables(w);
	size_t n = wfs__table_number(w), i, k;
	for (i = 0; i < n; i++) {
		t[i].number = 0;
		for (k = 0; k < n; k++) {
			int c = wfs__compare(wfs__table_name(w, &t[k]), wfs__table_name(w, &t[i]));
			if (c == 0) c = t[k].revision < t[i].revision ? -1 : t[k].revision > t[i].revision;
			if (c == 0) c = (t[k].type == NULL) - (t[i].type == NULL);
			if (c < 0) t[i].number++;
		}
	}
}

/* wfs__lay_rows gives each table's rows their place and returns where they end. */
static size_t wfs__lay_rows(wfs_writer *w)
{
	wfs__wtable *t = wfs__wtables(w);
	size_t n = wfs__table_number(w), at = 0, number, i;
	for (number = 0; number < n; number++) {
		for (i = 0; i < n && t[i].number != number; i++) {}
		at = (at + 7) & ~(size_t)7;
		t[i].at = at;
		at += (size_t)t[i].count * t[i].row.size;
		t[i].count = 0; /* of wfs__fill */
	}
	return at;
}

/* wfs__fill writes directory, index, rows and extra fields. The entities are in
 * the order of IDs. */
static bool wfs__fill(wfs_writer *w, const wfs_section *s)
{
	wfs__wentity *e = wfs__wentities(w);
	size_t n = wfs__entity_number(w), i, k, raw = 0;
	uint64_t slots = wfs__index_slots((uint32_t)n);
	for (i = 0; i < n; i++) {
		wfs__wtable *t = &wfs__wtables(w)[e[i].table];
		unsigned char *entry = w->data + s[WFS_DIRECTORY].offset + 8 * i;
		size_t slot = wfs__home_slot(e[i].id, slots);
		if (i > 0 && e[i].id == e[i - 1].id) return wfs__reject(w, WFS_CORRUPT, "an entity was put twice");
		wfs__store32(entry, t->number);
		wfs__store32(entry + 4, t->count);
		memcpy(w->data + s[WFS_ROWS].offset + t->at + (size_t)t->count * t->row.size, w->rows.data + e[i].row, t->row.size);
		t->count++;
		while (wfs_load32(w->data + s[WFS_INDEX].offset + 4 * slot) != 0) slot = slot + 1 < slots ? slot + 1 : 0;
		wfs__store32(w->data + s[WFS_INDEX].offset + 4 * slot, (uint32_t)i + 1);
		for (k = 0; k < e[i].raw; k++, raw++) {
			wfs__wraw r;
			unsigned char *x = w->data + s[WFS_EXTRA].offset + 12 * raw;
			memcpy(&r, w->extra.data + e[i].first_raw + k * sizeof r, sizeof r);
			wfs__store32(x, (uint32_t)i);
			wfs__store32(x + 4, r.name);
			wfs__store32(x + 8, r.lines);
		}
	}
	return true;
}

static void wfs__fill_tables(wfs_writer *w, unsigned char *at)
{
	size_t i;
	for (i = 0; i < wfs__table_number(w); i++) {
		const wfs__wtable *t = &wfs__wtables(w)[i];
		unsigned char *entry = at + 32 * (size_t)t->number;
		wfs__store32(entry, t->name_length == 0 ? 0 : (uint32_t)((t->name - 4) / 4));
		wfs__store32(entry + 4, t->revision);
		wfs__store64(entry + 8, t->at);
		wfs__store32(entry + 16, t->count);
		wfs__store32(entry + 20, t->row.size);
		wfs__store32(entry + 24, t->row.id);
		wfs__store32(entry + 28, t->type == NULL ? 1 : 0);
	}
}

static void wfs__seal(unsigned char *data, const wfs_section *s)
{
	wfs__crc crc;
	int kind;
	wfs__crc_begin(&crc);
	for (kind = WFS_TYPES; kind <= WFS_EXTRA; kind++) {
		unsigned char *entry = data + WFS__HEADER + 24 * (kind - 1);
		wfs__store32(entry + 4, wfs__crc_add(&crc, 0xFFFFFFFFu, data + s[kind].offset, s[kind].length) ^ 0xFFFFFFFFu);
	}
	wfs__store32(data + 76, 0);
	wfs__store32(data + 76, wfs__crc_add(&crc, 0xFFFFFFFFu, data, WFS__HEADER + 24 * WFS_EXTRA) ^ 0xFFFFFFFFu);
}

static void wfs__fill_header(wfs_writer *w, const wfs_section *s)
{
	static const unsigned char magic[8] = {0x89, 'W', 'P', 'K', 0x0D, 0x0A, 0x1A, 0x0A};
	unsigned char *d = w->data;
	int kind;
	memcpy(d, magic, 8);
	wfs__store(d + 8, w->declared.major, 2);
	wfs__store32(d + 12, WFS_EXTRA);
	memcpy(d + 16, w->world, 16);
	memcpy(d + 32, w->based_on, 32);
	wfs__store64(d + 64, w->size);
	wfs__store32(d + 72, (uint32_t)wfs__entity_number(w));
	for (kind = WFS_TYPES; kind <= WFS_EXTRA; kind++) {
		unsigned char *entry = d + WFS__HEADER + 24 * (kind - 1);
		wfs__store32(entry, (uint32_t)kind);
		wfs__store64(entry + 8, s[kind].offset);
		wfs__store64(entry + 16, s[kind].length);
	}
}

/* Sets are put in order in the finished pack, where values can be compared. */

static unsigned char *wfs__item_bytes(const wfs_list *list, size_t i)
{
	return (unsigned char *)(uintptr_t)list->at + i * list->element->size;
}

static int wfs__compare_items(void *of, size_t a, size_t b)
{
	const wfs_list *list = (const wfs_list *)of;
	return wfs__compare_values(wfs_item(list, (uint32_t)a), wfs_item(list, (uint32_t)b));
}

static void wfs__swap_items(void *of, size_t a, size_t b)
{
	const wfs_list *list = (const wfs_list *)of;
	unsigned char was[16];
	size_t size = list->element->size; /* of a single value: at most a guid's */
	memcpy(was, wfs__item_bytes(list, a), size);
	memcpy(wfs__item_bytes(list, a), wfs__item_bytes(list, b), size);
	memcpy(wfs__item_bytes(list, b), was, size);
}

/* wfs__order_set sorts a set and drops what is there twice. */
static void wfs__order_set(wfs_list *list)
{
	wfs__sorting s;
	size_t n = list->count, kept = 1, i;
	s.compare = wfs__compare_items;
	s.swap = wfs__swap_items;
	s.of = list;
	wfs__sort(&s, n);
	for (i = 1; i < n; i++) {
		if (wfs__compare_items(list, kept - 1, i) == 0) continue;
		if (kept != i) memcpy(wfs__item_bytes(list, kept), wfs__item_bytes(list, i), list->element->size);
		kept++;
	}
	memset(wfs__item_bytes(list, kept), 0, (n - kept) * list->element->size);
	wfs__store32((unsigned char *)(uintptr_t)list->at - 4, (uint32_t)kept);
}

static void wfs__order_sets(const wfs_pack *pack, const wfs_group *g, const unsigned char *base)
{
	uint32_t i, k;
	for (i = 0; i < g->count; i++) {
		const wfs_slot *s = &g->slots[i];
		wfs_value v = wfs_value_in(pack, g, s, base);
		wfs_list list;
		if (v.at == NULL) continue;
		if (s->decl->kind == WFS_STRUCT) wfs__order_sets(pack, s->inner, v.at);
		if (!wfs__is_list(s->decl->kind)) continue;
		list = wfs_items(v);
		if (list.count == 0) continue;
		if (s->decl->kind == WFS_SET) wfs__order_set(&list);
		else for (k = 0; k < list.count; k++) wfs__order_sets(pack, s->inner, list.at + (size_t)k * s->inner->size);
	}
}

static void wfs__order_all_sets(wfs_writer *w, const wfs_section *s)
{
	wfs_pack pack;
	size_t i, k;
	memset(&pack, 0, sizeof pack);
	pack.data = w->data;
	pack.size = w->size;
	memcpy(pack.sections, s, sizeof pack.sections);
	for (i = 0; i < wfs__table_number(w); i++) {
		const wfs__wtable *t = &wfs__wtables(w)[i];
		for (k = 0; k < t->count; k++) wfs__order_sets(&pack, &t->row, w->data + s[WFS_ROWS].offset + t->at + k * t->row.size);
	}
}

/* wfs__read_back holds the pack against all that a reader checks. */
static wfs_result wfs__read_back(wfs_writer *w)
{
	wfs_pack pack;
	wfs_result r = wfs_check(&pack, w->data, w->size);
	void *memory;
	w->problem = pack.problem;
	if (r != WFS_OK) return r;
	memory = w->realloc(w->user, NULL, pack.memory);
	if (memory == NULL) {
		w->problem.what = "there is no memory left";
		return WFS_MEMORY;
	}
	r = wfs_open(&pack, memory, pack.memory);
	w->problem = pack.problem;
	if (r == WFS_OK) r = wfs_verify(&pack, &w->problem);
	w->realloc(w->user, memory, 0);
	return r;
}

wfs_result wfs_writer_finish(wfs_writer *w)
{
	wfs_section s[WFS_SECTIONS];
	wfs__sorting sorting;
	size_t n = wfs__entity_number(w), at = WFS__HEADER + 24 * WFS_EXTRA;
	int kind;
	if (w->result != WFS_OK) return w->result;
	sorting.compare = wfs__compare_entities;
	sorting.swap = wfs__swap_entities;
	sorting.of = w;
	wfs__sort(&sorting, n);
	wfs__number_tables(w);
	memset(s, 0, sizeof s);
	s[WFS_TYPES].length = w->declared.sections[WFS_TYPES].length;
	s[WFS_TABLES].length = 32 * wfs__table_number(w);
	s[WFS_ROWS].length = wfs__lay_rows(w);
	s[WFS_HEAP].length = w->heap.size;
	s[WFS_DIRECTORY].length = 8 * n;
	s[WFS_INDEX].length = 4 * (size_t)wfs__index_slots((uint32_t)n);
	s[WFS_EXTRA].length = 12 * (w->extra.size / sizeof(wfs__wraw));
	for (kind = WFS_TYPES; kind <= WFS_EXTRA; kind++) {
		s[kind].offset = at = (at + 7) & ~(size_t)7;
		if (s[kind].length > SIZE_MAX / 2 - at) wfs__reject(w, WFS_MEMORY, "the pack is larger than memory can be");
		at += s[kind].length;
	}
	if (w->result != WFS_OK) return w->result;
	if (w->data != NULL) w->realloc(w->user, w->data, 0);
	w->size = at;
	w->data = (unsigned char *)w->realloc(w->user, NULL, at);
	if (w->data == NULL) {
		wfs__reject(w, WFS_MEMORY, "there is no memory left");
		return w->result;
	}
	memset(w->data, 0, at);
	if (s[WFS_TYPES].length > 0) memcpy(w->data + s[WFS_TYPES].offset, w->types.data, s[WFS_TYPES].length);
	memcpy(w->data + s[WFS_HEAP].offset, w->heap.data, w->heap.size);
	if (!wfs__fill(w, s)) return w->result;
	wfs__fill_tables(w, w->data + s[WFS_TABLES].offset);
	wfs__order_all_sets(w, s);
	wfs__fill_header(w, s);
	wfs__seal(w->data, s);
	w->result = wfs__read_back(w);
	return w->result;
}

/* ---- Files ---- */

#ifndef WFS_NO_FILES
#include <stdio.h>

#if defined(__unix__) || defined(__APPLE__)

/* wfs__write_file makes a file durable under a name that nothing has yet. */
static bool wfs__write_file(const char *path, mode_t mode, const unsigned char *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	bool good;
	if (fd < 0) return false;
	while (size > 0) {
		ssize_t n = write(fd, data, size < 1u << 30 ? size : 1u << 30);
		if (n <= 0) break;
		data += n;
		size -= (size_t)n;
	}
	good = size == 0 && (mode == 0 || chmod(path, mode) == 0) && fsync(fd) == 0;
	if (close(fd) != 0) good = false;
	if (!good) unlink(path);
	return good;
}

/* wfs__sync_directory makes a name in a directory durable. */
static bool wfs__sync_directory(char *path)
{
	char *slash = strrchr(path, '/');
	int fd;
	bool good;
	if (slash != NULL) slash[slash == path ? 1 : 0] = 0;
	fd = open(slash != NULL ? path : ".", O_RDONLY);
	if (fd < 0) return false;
	good = fsync(fd) == 0;
	close(fd);
	return good;
}

wfs_result wfs_save(const char *path, const void *data, size_t size)
{
	struct stat st;
	size_t length = strlen(path);
	char *beside = (char *)malloc(length + 32);
	bool good;
	if (beside == NULL) return WFS_MEMORY;
	snprintf(beside, length + 32, "%s.%ld.saving", path, (long)getpid());
	unlink(beside); /* of a process that had this number and was killed */
	good = wfs__write_file(beside, stat(path, &st) == 0 ? st.st_mode & 07777 : 0, (const unsigned char *)data, size);
	if (good && rename(beside, path) != 0) {
		unlink(beside);
		good = false;
	}
	if (good) good = wfs__sync_directory(beside);
	free(beside);
	return good ? WFS_OK : WFS_IO;
}
#else
/* Without POSIX the file is written in place, its header last: until that is
 * there its checksum does not hold, and worldfs waits. */
wfs_result wfs_save(const char *path, const void *data, size_t size)
{
	static const unsigned char blank[WFS__HEADER] = {0};
	size_t head = size < WFS__HEADER ? size : WFS__HEADER;
	FILE *f = fopen(path, "wb");
	bool good;
	if (f == NULL) return WFS_IO;
	good = fwrite(blank, 1, head, f) == head &&
	       fwrite((const unsigned char *)data + head, 1, size - head, f) == size - head &&
	       fflush(f) == 0 && fseek(f, 0, SEEK_SET) == 0 && fwrite(data, 1, head, f) == head;
	if (fclose(f) != 0) good = false;
	return good ? WFS_OK : WFS_IO;
}
#endif
#endif /* WFS_NO_FILES */

#endif /* WORLDFS_IMPLEMENTATION */
