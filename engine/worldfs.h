/* worldfs.h - reads world packs in place.
 *
 * A world pack is a whole game world in one file; docs/pack-format.md is its
 * specification, and all that this header was made from. It is C99 (and C++),
 * one file, without globals and without allocation:
 *
 *     #define WORLDFS_IMPLEMENTATION     // in one .c file; elsewhere only include
 *     #include "worldfs.h"
 *
 *     wfs_pack pack;
 *     if (wfs_check(&pack, data, size) != WFS_OK) die(pack.problem.what);
 *     void *memory = malloc(pack.memory);          // or a block of your own
 *     if (wfs_open(&pack, memory, pack.memory) != WFS_OK) die(pack.problem.what);
 *
 *     wfs_entity door;
 *     if (wfs_find(&pack, 6555, &door)) {
 *         wfs_value position = wfs_field(&door, "position");
 *         printf("%f\n", (double)wfs_float(position, 0));
 *     }
 *
 * wfs_check looks at the header, at every checksum and at how much memory the
 * declarations of the types need once they are read. wfs_open reads these, and
 * checks tables, directory, index and extra fields. The pack's bytes and the
 * memory stay the caller's, and must stay as they are while the pack is used.
 *
 * What is guaranteed whatever the bytes are: nothing outside of data and memory
 * is read, nothing outside of memory and *pack is written, and every loop ends.
 * Rows are looked at when they are read: a reference that leads nowhere is read
 * as empty. wfs_verify looks at all of them, for packs that others wrote.
 *
 * Hot loops walk a table's rows (wfs_row) and load at slots' offsets, or use the
 * structs that `worldfs types --c` writes: values lie aligned in the file.
 *
 * Define WFS_NO_FILES to leave out wfs_map and wfs_unmap, and with them all use
 * of the C library but string.h.
 */
#ifndef WORLDFS_H
#define WORLDFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The newest format that is read. */
#define WFS_MAJOR 4

typedef enum wfs_result {
	WFS_OK = 0,
	WFS_NOT_A_PACK, /* it does not begin as packs do */
	WFS_NEWER,      /* its format is newer than this header */
	WFS_TRUNCATED,  /* it is cut off */
	WFS_CHECKSUM,   /* it is damaged */
	WFS_CORRUPT,    /* it breaks a rule of the format */
	WFS_MEMORY,     /* there is less memory than it needs */
	WFS_IO          /* the file cannot be read */
} wfs_result;

/* wfs_problem says what is wrong, and at which byte of the pack. */
typedef struct wfs_problem {
	const char *what; /* in words; "" if nothing */
	size_t offset;
} wfs_problem;

/* wfs_text is bytes that end nowhere in particular: there is no zero byte after
 * them. bytes is never NULL. */
typedef struct wfs_text {
	const char *bytes;
	size_t length;
} wfs_text;

typedef enum wfs_kind {
	WFS_NULL = 0, /* of a value that is absent */
	WFS_BOOL, WFS_I8, WFS_I16, WFS_I32, WFS_I64, WFS_U8, WFS_U16, WFS_U32, WFS_U64,
	WFS_F32, WFS_F64, WFS_VEC2, WFS_VEC3, WFS_VEC4, WFS_QUAT, WFS_MAT3X4, WFS_MAT4,
	WFS_STRING, WFS_BLOB, WFS_EXPR, WFS_GUID, WFS_ENUM, WFS_FLAGS, WFS_REF,
	WFS_SET, WFS_ARRAY, WFS_STRUCT
} wfs_kind;

/* What a declaration says of a field beside its kind. */
enum {
	WFS_OPTIONAL = 1 << 0,
	WFS_DIRECT = 1 << 1, /* a ref whose entity follows the one that it refers to */
	WFS_HIDDEN = 1 << 2,
	WFS_EDITOR_ONLY = 1 << 3,
	WFS_UNIQUE = 1 << 4,
	WFS_DERIVED = 1 << 5,
	WFS_CONDITIONAL = 1 << 6, /* it has a save_when: of a type's field, it may be absent */
	WFS_WIDE = 1 << 7,        /* flags of 64 bits */
	WFS_YIELDS = 1 << 8,      /* it, or its type, says whether it yields */
	WFS_YIELDS_TRUE = 1 << 9  /* and what it says is true */
};

/* wfs_name is one name of an enum's value, or of a flag's bit. */
typedef struct wfs_name {
	wfs_text name;
	int64_t number;
} wfs_name;

/* wfs_decl declares a type's field, a struct's member, or a list's element,
 * which has no name. */
typedef struct wfs_decl wfs_decl;
struct wfs_decl {
	wfs_text name;
	wfs_text json;          /* as it stands in the pack: default, attributes and the like are in there */
	const wfs_decl *of;     /* set, array: its elements */
	const wfs_decl *fields; /* struct: its members */
	const wfs_name *names;  /* enum, flags */
	uint32_t field_count, name_count;
	uint32_t since, until; /* revisions; 0 for no limit */
	uint32_t flags;        /* WFS_OPTIONAL and so on */
	wfs_kind kind;
};

/* wfs_type is the declaration of a type, with the fields of all its revisions. */
typedef struct wfs_type {
	wfs_text name;
	wfs_text json; /* as it stands in the pack: label, mount and attributes are in there */
	const wfs_decl *fields;
	uint32_t field_count;
	uint32_t revision; /* the current one */
	uint32_t flags;    /* WFS_YIELDS, WFS_YIELDS_TRUE */
} wfs_type;

/* wfs_slot is where a field's value lies in a group: a row, a struct, or an
 * element of a list. */
typedef struct wfs_group wfs_group;
typedef struct wfs_slot {
	const wfs_decl *decl;
	const wfs_group *inner; /* struct: its members; list: an element, a group of one slot */
	uint32_t offset, size;  /* in bytes */
	uint32_t align;         /* 1, 2, 4 or 8 */
	uint32_t bit;           /* its presence bit, or WFS_ALWAYS */
} wfs_slot;

#define WFS_ALWAYS UINT32_MAX

struct wfs_group {
	const wfs_slot *slots; /* in the order of the fields */
	uint32_t count;
	uint32_t size, align;
	uint32_t presence; /* offset of the presence bits */
	uint32_t id;       /* a row's: offset of the entity's ID */
};

/* wfs_table is the entities of one type at one revision, in the order of IDs. */
typedef struct wfs_table {
	wfs_text name;
	const wfs_type *type; /* NULL if the type is declared nowhere */
	const unsigned char *rows;
	wfs_group row;
	uint32_t revision, count;
	uint32_t checked; /* of wfs_open */
} wfs_table;

typedef struct wfs_section {
	size_t offset, length;
} wfs_section;

/* The sections by kind. */
enum { WFS_TYPES = 1, WFS_TABLES, WFS_ROWS, WFS_HEAP, WFS_DIRECTORY, WFS_INDEX, WFS_EXTRA, WFS_SECTIONS };

typedef struct wfs_pack {
	const unsigned char *data;
	size_t size;
	size_t memory; /* how much wfs_open needs */
	const wfs_type *types;
	const wfs_table *tables;
	uint32_t type_count, table_count, entity_count;
	uint32_t major;
	unsigned char world[16];    /* the world's ID */
	unsigned char based_on[32]; /* the content hash of what its writer had loaded; zero for none */
	wfs_section sections[WFS_SECTIONS];
	wfs_problem problem;
} wfs_pack;

/* wfs_entity is one entity: a row of a table. */
typedef struct wfs_entity {
	const wfs_pack *pack;
	const wfs_table *table;
	const unsigned char *row;
	uint32_t place; /* in the order of IDs */
	uint32_t id;
} wfs_entity;

/* wfs_value is a value where it lies. at is NULL if it is absent. */
typedef struct wfs_value {
	const wfs_pack *pack;
	const wfs_slot *slot;
	const unsigned char *at;
} wfs_value;

/* wfs_list is the elements of a set or an array where they lie. */
typedef struct wfs_list {
	const wfs_pack *pack;
	const wfs_group *element;
	const unsigned char *at;
	uint32_t count;
} wfs_list;

/* Opening a pack. */
wfs_result wfs_check(wfs_pack *pack, const void *data, size_t size);
wfs_result wfs_open(wfs_pack *pack, void *memory, size_t size);

/* wfs_verify finds out that every value of every entity can be read: references,
 * bools, UTF-8, the order of sets, and that no two values share a list, by which
 * a small pack could stand for a world without bounds. */
wfs_result wfs_verify(const wfs_pack *pack, wfs_problem *problem);

/* wfs_hash computes a pack's content hash, which its writer names as based_on. */
void wfs_hash(const void *data, size_t size, unsigned char hash[32]);

const char *wfs_result_text(wfs_result result);

/* Entities: by ID in constant time, by place in the order of IDs. */
bool wfs_find(const wfs_pack *pack, uint32_t id, wfs_entity *out);
bool wfs_at(const wfs_pack *pack, uint32_t place, wfs_entity *out);

/* Types and fields. wfs_slot_of and wfs_type_of take time in the number of
 * fields and in the logarithm of that of types: look them up once a table. They
 * return NULL where there is none of that name. */
const wfs_type *wfs_type_of(const wfs_pack *pack, const char *name);
const wfs_slot *wfs_slot_of(const wfs_group *group, const char *name);
const char *wfs_kind_name(wfs_kind kind);

/* wfs_name_of returns the name of an enum's value, or of a flag's bit; of length
 * 0 if it has none. wfs_number_of is the reverse. */
wfs_text wfs_name_of(const wfs_decl *decl, int64_t number);
bool wfs_number_of(const wfs_decl *decl, const char *name, int64_t *number);

/* Values. A getter of another kind than the value's gives 0 or nothing. */
wfs_value wfs_field(const wfs_entity *e, const char *name);
static inline wfs_value wfs_value_in(const wfs_pack *pack, const wfs_group *group, const wfs_slot *slot, const unsigned char *base);
static inline wfs_value wfs_field_at(const wfs_entity *e, uint32_t field);
wfs_value wfs_member(wfs_value v, const char *name);
static inline wfs_value wfs_member_at(wfs_value v, uint32_t member);
static inline wfs_kind wfs_kind_of(wfs_value v);
static inline uint64_t wfs_uint(wfs_value v);                   /* bool, u8 to u64, flags, ref */
static inline int64_t wfs_int(wfs_value v);                     /* i8 to i64, enum, and u8 to u32, bool, ref */
static inline uint32_t wfs_components(wfs_kind kind);           /* how many f32 a value has, 0 of other kinds */
static inline uint32_t wfs_float_bits(wfs_value v, uint32_t i); /* f32, and component i of vectors, quaternions, matrices */
static inline float wfs_float(wfs_value v, uint32_t i);         /* the same */
static inline uint64_t wfs_double_bits(wfs_value v);            /* f64 */
static inline double wfs_double(wfs_value v);                   /* f64, and f32 */
wfs_text wfs_string(wfs_value v);                               /* string, blob */
static inline const unsigned char *wfs_guid(wfs_value v);       /* 16 bytes, or NULL */
wfs_list wfs_items(wfs_value v);                                /* set, array */
static inline wfs_value wfs_item(const wfs_list *list, uint32_t i);

/* Fields that the entity's type does not know: their lines of text, as they are
 * kept. Neither need be UTF-8. */
uint32_t wfs_raw_count(const wfs_entity *e);
bool wfs_raw(const wfs_entity *e, uint32_t i, wfs_text *name, wfs_text *lines);

/* wfs_heap_text returns what a reference to a string or a blob stands for, false
 * if it leads nowhere. wfs_heap_list does so for lists of such elements. */
bool wfs_heap_text(const wfs_pack *pack, uint32_t ref, wfs_text *out);
bool wfs_heap_list(const wfs_pack *pack, uint32_t ref, const wfs_group *element, wfs_list *out);

bool wfs_text_is(wfs_text text, const char *s);

/* Loads from any address. Compilers make one instruction of each. */
static inline uint32_t wfs_load16(const unsigned char *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }

static inline uint32_t wfs_load32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t wfs_load64(const unsigned char *p)
{
	return (uint64_t)wfs_load32(p) | (uint64_t)wfs_load32(p + 4) << 32;
}

static inline float wfs_loadf(const unsigned char *p)
{
	uint32_t bits = wfs_load32(p);
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

static inline double wfs_loadd(const unsigned char *p)
{
	uint64_t bits = wfs_load64(p);
	double d;
	memcpy(&d, &bits, sizeof d);
	return d;
}

/* wfs_row returns row i of a table, i < table->count. */
static inline const unsigned char *wfs_row(const wfs_table *table, uint32_t i)
{
	return table->rows + (size_t)i * table->row.size;
}

static inline uint32_t wfs_row_id(const wfs_table *table, const unsigned char *row)
{
	return wfs_load32(row + table->row.id);
}

/* wfs_present reports whether the group at base has a value in the slot. */
static inline bool wfs_present(const wfs_group *group, const wfs_slot *slot, const unsigned char *base)
{
	return slot->bit == WFS_ALWAYS || (base[group->presence + slot->bit / 8] >> (slot->bit % 8) & 1) != 0;
}

/* The getters of values that lie in place are inline: a call takes longer than they do. */
static inline uint32_t wfs_components(wfs_kind kind)
{
	switch (kind) {
	case WFS_F32: return 1;
	case WFS_VEC2: return 2;
	case WFS_VEC3: return 3;
	case WFS_VEC4: case WFS_QUAT: return 4;
	case WFS_MAT3X4: return 12;
	case WFS_MAT4: return 16;
	default: return 0;
	}
}

static inline wfs_value wfs_value_in(const wfs_pack *pack, const wfs_group *group, const wfs_slot *slot, const unsigned char *base)
{
	wfs_value v;
	v.pack = pack;
	v.slot = slot;
	v.at = base != NULL && slot != NULL && wfs_present(group, slot, base) ? base + slot->offset : NULL;
	return v;
}

static inline wfs_value wfs_field_at(const wfs_entity *e, uint32_t field)
{
	const wfs_group *row = &e->table->row;
	return wfs_value_in(e->pack, row, field < row->count ? &row->slots[field] : NULL, e->row);
}

static inline wfs_kind wfs_kind_of(wfs_value v) { return v.at == NULL ? WFS_NULL : v.slot->decl->kind; }

static inline wfs_value wfs_member_at(wfs_value v, uint32_t member)
{
	const wfs_group *g = wfs_kind_of(v) == WFS_STRUCT ? v.slot->inner : NULL;
	return wfs_value_in(v.pack, g, g != NULL && member < g->count ? &g->slots[member] : NULL, v.at);
}

static inline uint64_t wfs_uint(wfs_value v)
{
	switch (wfs_kind_of(v)) {
	case WFS_BOOL: case WFS_U8: return v.at[0];
	case WFS_U16: return wfs_load16(v.at);
	case WFS_U32: case WFS_REF: return wfs_load32(v.at);
	case WFS_U64: return wfs_load64(v.at);
	case WFS_FLAGS: return v.slot->size == 8 ? wfs_load64(v.at) : wfs_load32(v.at);
	default: return 0;
	}
}

/* wfs__signed returns the number that the lowest bits stand for in two's
 * complement. */
static inline int64_t wfs__signed(uint64_t u, int bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1);
	if ((u & sign) == 0) return (int64_t)u;
	return (int64_t)(u - sign) - (int64_t)(sign - 1) - 1;
}

static inline int64_t wfs_int(wfs_value v)
{
	switch (wfs_kind_of(v)) {
	case WFS_I8: return wfs__signed(v.at[0], 8);
	case WFS_I16: return wfs__signed(wfs_load16(v.at), 16);
	case WFS_I32: case WFS_ENUM: return wfs__signed(wfs_load32(v.at), 32);
	case WFS_I64: return wfs__signed(wfs_load64(v.at), 64);
	case WFS_BOOL: case WFS_U8: case WFS_U16: case WFS_U32: case WFS_REF: return (int64_t)wfs_uint(v);
	default: return 0;
	}
}

static inline uint32_t wfs_float_bits(wfs_value v, uint32_t i)
{
	return i < wfs_components(wfs_kind_of(v)) ? wfs_load32(v.at + 4 * (size_t)i) : 0;
}

static inline float wfs_float(wfs_value v, uint32_t i)
{
	return i < wfs_components(wfs_kind_of(v)) ? wfs_loadf(v.at + 4 * (size_t)i) : 0;
}

static inline uint64_t wfs_double_bits(wfs_value v) { return wfs_kind_of(v) == WFS_F64 ? wfs_load64(v.at) : 0; }

static inline double wfs_double(wfs_value v) { return wfs_kind_of(v) == WFS_F64 ? wfs_loadd(v.at) : (double)wfs_float(v, 0); }

static inline const unsigned char *wfs_guid(wfs_value v) { return wfs_kind_of(v) == WFS_GUID ? v.at : NULL; }

static inline wfs_value wfs_item(const wfs_list *list, uint32_t i)
{
	const wfs_group *g = i < list->count ? list->element : NULL;
	return wfs_value_in(list->pack, g, g != NULL ? &g->slots[0] : NULL, g != NULL ? list->at + (size_t)i * g->size : NULL);
}

/* JSON, as far as declarations and the control socket need it: in place and
 * without allocation. A wfs_json is one value that has been found to be right,
 * without white space around it. */
typedef struct wfs_json {
	const char *text;
	size_t length;
} wfs_json;

typedef struct wfs_json_iter {
	const char *at, *end;
	bool object;
} wfs_json_iter;

/* wfs_json_parse reports whether text is one JSON value in UTF-8, nested at most
 * WFS_JSON_DEPTH deep. */
#define WFS_JSON_DEPTH 1024
bool wfs_json_parse(const char *text, size_t length, wfs_json *out);

/* wfs_json_each begins a walk over an object or an array; over another value it
 * ends at once. key may be NULL. */
wfs_json_iter wfs_json_each(wfs_json container);
bool wfs_json_next(wfs_json_iter *it, wfs_json *key, wfs_json *value);
bool wfs_json_get(wfs_json object, const char *key, wfs_json *value);

/* wfs_json_string decodes a string into buffer, which gets a zero byte at the
 * end where capacity allows, and returns its length, also where that is more
 * than fits: then what fits is there. Of another value it is 0. */
size_t wfs_json_string(wfs_json value, char *buffer, size_t capacity);
bool wfs_json_is(wfs_json string, const char *s);
bool wfs_json_true(wfs_json value);
bool wfs_json_u64(wfs_json value, uint64_t *out); /* a whole number, or a string of one */
bool wfs_json_i64(wfs_json value, int64_t *out);
bool wfs_json_double(wfs_json value, double *out); /* to within a few last bits */

#ifndef WFS_NO_FILES
/* wfs_map makes a file's bytes readable, by mapping them where the system can.
 * Worldfs replaces a published pack and never changes it in place, so that a
 * mapped one stays as it is; a program that does so ends the mapping before. */
typedef struct wfs_file {
	void *data;
	size_t size;
} wfs_file;

wfs_result wfs_map(wfs_file *file, const char *path);
void wfs_unmap(wfs_file *file);
#endif

#ifdef __cplusplus
}
#endif
#endif /* WORLDFS_H */

#if defined(WORLDFS_IMPLEMENTATION) && !defined(WORLDFS_IMPLEMENTED)
#define WORLDFS_IMPLEMENTED

/* ---- JSON ---- */

static size_t wfs__min(size_t a, size_t b) { return a < b ? a : b; }

/* wfs__utf8 returns the length of the UTF-8 sequence at p, 0 if there is none. */
static size_t wfs__utf8(const unsigned char *p, size_t left)
{
	unsigned char lo = 0x80, hi = 0xBF;
	size_t n, i;
	if (left == 0) return 0;
	if (p[0] < 0x80) return 1;
	if (p[0] >= 0xC2 && p[0] <= 0xDF) n = 2;
	else if (p[0] >= 0xE0 && p[0] <= 0xEF) n = 3;
	else if (p[0] >= 0xF0 && p[0] <= 0xF4) n = 4;
	else return 0;
	if (n > left) return 0;
	if (p[0] == 0xE0) lo = 0xA0;
	if (p[0] == 0xED) hi = 0x9F; /* no surrogates */
	if (p[0] == 0xF0) lo = 0x90;
	if (p[0] == 0xF4) hi = 0x8F;
	if (p[1] < lo || p[1] > hi) return 0;
	for (i = 2; i < n; i++) {
		if (p[i] < 0x80 || p[i] > 0xBF) return 0;
	}
	return n;
}

static bool wfs__valid_utf8(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	while (length > 0) {
		size_t n = wfs__utf8(p, length);
		if (n == 0) return false;
		p += n;
		length -= n;
	}
	return true;
}

static const char *wfs__space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
	return at;
}

static int wfs__hex(char c)
{
	if (c >= '0' && c <= '9') return c - '0';
	if (c >= 'a' && c <= 'f') return c - 'a' + 10;
	if (c >= 'A' && c <= 'F') return c - 'A' + 10;
	return -1;
}

/* wfs__hex4 reads four hexadecimal digits, -1 if there are none. */
static int32_t wfs__hex4(const char *at, const char *end)
{
	int32_t v = 0;
	int i;
	if (end - at < 4) return -1;
	for (i = 0; i < 4; i++) {
		int h = wfs__hex(at[i]);
		if (h < 0) return -1;
		v = v * 16 + h;
	}
	return v;
}

/* wfs__unescape reads one character of a JSON string, escaped or not, into out,
 * and returns its length, 0 if it is wrong. *at is moved behind it. */
static size_t wfs__unescape(const char **at, const char *end, char out[4])
{
	const char *p = *at;
	uint32_t c;
	size_t n;
	if (p >= end) return 0;
	if (*p != '\\') {
		n = wfs__utf8((const unsigned char *)p, (size_t)(end - p));
		if ((unsigned char)*p < 0x20 || n == 0) return 0;
		memcpy(out, p, n);
		*at = p + n;
		return n;
	}
	if (++p >= end) return 0;
	if (*p != 'u') {
		static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
		const char *found = (const char *)memchr(from, *p, sizeof from - 1);
		if (found == NULL) return 0;
		out[0] = to[found - from];
		*at = p + 1;
		return 1;
	}
	{
		int32_t high = wfs__hex4(p + 1, end), low;
		if (high < 0) return 0;
		p += 5;
		c = (uint32_t)high;
		if (c >= 0xDC00 && c <= 0xDFFF) return 0;
		if (c >= 0xD800 && c <= 0xDBFF) {
			if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return 0;
			low = wfs__hex4(p + 2, end);
			if (low < 0xDC00 || low > 0xDFFF) return 0;
			c = 0x10000 + ((c - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
			p += 6;
		}
	}
	*at = p;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	{
		static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
		size_t i;
		for (i = n - 1; i > 0; i--) {
			out[i] = (char)(0x80 | (c & 0x3F));
			c >>= 6;
		}
		out[0] = (char)(lead[n] | c);
	}
	return n;
}

/* wfs__is_plain reports whether a byte of a JSON string stands for itself alone, as
 * nearly all do: printable ASCII. */
static bool wfs__is_plain(char c) { return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\'; }

/* The scanners return where what they scan ends, NULL if it is wrong. */

static const char *wfs__scan_string(const char *at, const char *end)
{
	char c[4];
	if (at >= end || *at != '"') return NULL;
	for (at++;;) {
		while (at < end && wfs__is_plain(*at)) at++;
		if (at >= end) return NULL;
		if (*at == '"') return at + 1;
		if (wfs__unescape(&at, end, c) == 0) return NULL;
	}
}

static const char *wfs__scan_digits(const char *at, const char *end)
{
	const char *first = at;
	while (at < end && *at >= '0' && *at <= '9') at++;
	return at > first ? at : NULL;
}

static const char *wfs__scan_number(const char *at, const char *end)
{
	const char *first;
	if (at < end && *at == '-') at++;
	first = at;
	at = wfs__scan_digits(at, end);
	if (at == NULL || (*first == '0' && at - first > 1)) return NULL;
	if (at < end && *at == '.') {
		at = wfs__scan_digits(at + 1, end);
		if (at == NULL) return NULL;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '+' || *at == '-')) at++;
		at = wfs__scan_digits(at, end);
	}
	return at;
}

static const char *wfs__scan_word(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(end - at) >= n && memcmp(at, word, n) == 0 ? at + n : NULL;
}

/* wfs__scan_scalar scans a value that is no object and no array. */
static const char *wfs__scan_scalar(const char *at, const char *end)
{
	switch (*at) {
	case '"': return wfs__scan_string(at, end);
	case 't': return wfs__scan_word(at, end, "true");
	case 'f': return wfs__scan_word(at, end, "false");
	case 'n': return wfs__scan_word(at, end, "null");
	default: return wfs__scan_number(at, end);
	}
}

/* wfs__scan_colon scans the colon behind a member's name. */
static const char *wfs__scan_colon(const char *at, const char *end)
{
	at = wfs__space(at, end);
	if (at >= end || *at != ':') return NULL;
	return wfs__space(at + 1, end);
}

/* wfs__scan_key scans a member's name and the colon. */
static const char *wfs__scan_key(const char *at, const char *end)
{
	at = wfs__scan_string(at, end);
	return at == NULL ? NULL : wfs__scan_colon(at, end);
}

/* wfs__scan scans a value. It keeps one bit for each level: whether that is an
 * object. */
static const char *wfs__scan(const char *at, const char *end)
{
	unsigned char objects[WFS_JSON_DEPTH / 8];
	size_t depth = 0;
	for (;;) {
		/* Here a value begins. */
		if (at >= end) return NULL;
		if (*at == '{' || *at == '[') {
			bool object = *at == '{';
			unsigned char mask = (unsigned char)(1u << (depth % 8));
			at = wfs__space(at + 1, end);
			if (at < end && *at == (object ? '}' : ']')) {
				at++;
			} else {
				if (depth == WFS_JSON_DEPTH) return NULL;
				if (object) objects[depth / 8] = (unsigned char)(depth % 8 == 0 ? mask : (objects[depth / 8] | mask));
				else objects[depth / 8] = (unsigned char)(depth % 8 == 0 ? 0 : (objects[depth / 8] & ~mask));
				depth++;
				if (object && (at = wfs__scan_key(at, end)) == NULL) return NULL;
				continue;
			}
		} else if ((at = wfs__scan_scalar(at, end)) == NULL) {
			return NULL;
		}
		/* Here one has ended. */
		for (;;) {
			bool object;
			if (depth == 0) return at;
			object = (objects[(depth - 1) / 8] >> ((depth - 1) % 8) & 1) != 0;
			at = wfs__space(at, end);
			if (at >= end) return NULL;
			if (*at == ',') {
				at = wfs__space(at + 1, end);
				if (object && (at = wfs__scan_key(at, end)) == NULL) return NULL;
				break;
			}
			if (*at != (object ? '}' : ']')) return NULL;
			at++;
			depth--;
		}
	}
}

bool wfs_json_parse(const char *text, size_t length, wfs_json *out)
{
	const char *end, *first, *last;
	out->text = "null";
	out->length = 4;
	if (length == 0) return false;
	end = text + length;
	first = wfs__space(text, end);
	last = wfs__scan(first, end);
	if (last == NULL || wfs__space(last, end) != end) return false;
	out->text = first;
	out->length = (size_t)(last - first);
	return true;
}

wfs_json_iter wfs_json_each(wfs_json container)
{
	wfs_json_iter it;
	it.at = it.end = container.text;
	it.object = false;
	if (container.length >= 2 && (container.text[0] == '{' || container.text[0] == '[')) {
		it.object = container.text[0] == '{';
		it.at = container.text + 1;
		it.end = container.text + container.length - 1;
	}
	return it;
}

bool wfs_json_next(wfs_json_iter *it, wfs_json *key, wfs_json *value)
{
	const char *at = wfs__space(it->at, it->end), *last;
	if (at < it->end && *at == ',') at = wfs__space(at + 1, it->end);
	if (at >= it->end) return false;
	if (it->object) {
		last = wfs__scan_string(at, it->end);
		if (last == NULL) return false;
		if (key != NULL) {
			key->text = at;
			key->length = (size_t)(last - at);
		}
		at = wfs__scan_colon(last, it->end);
		if (at == NULL) return false;
	}
	last = wfs__scan(at, it->end);
	if (last == NULL) return false;
	value->text = at;
	value->length = (size_t)(last - at);
	it->at = last;
	return true;
}

bool wfs_json_get(wfs_json object, const char *name, wfs_json *value)
{
	wfs_json_iter it = wfs_json_each(object);
	wfs_json key;
	while (it.object && wfs_json_next(&it, &key, value)) {
		if (wfs_json_is(key, name)) return true;
	}
	return false;
}

static bool wfs__is_string(wfs_json v) { return v.length >= 2 && v.text[0] == '"'; }

size_t wfs_json_string(wfs_json v, char *buffer, size_t capacity)
{
	const char *at = v.text + 1, *end = v.text + v.length - 1;
	size_t length = 0, fits = 0;
	char c[4];
	if (wfs__is_string(v)) {
		while (at < end) {
			size_t n = wfs__unescape(&at, end, c);
			if (n == 0) break;
			if (fits == length && capacity - fits >= n) {
				memcpy(buffer + fits, c, n);
				fits += n;
			}
			length += n;
		}
	}
	if (fits < capacity) buffer[fits] = 0;
	return length;
}

/* wfs__compare_json orders a JSON string against bytes, as memcmp does and then
 * by length. */
static int wfs__compare_json(wfs_json v, wfs_text text)
{
	const char *at = v.text + 1, *end = v.text + v.length - 1;
	size_t i = 0;
	char c[4];
	while (at < end) {
		size_t n = 1, k;
		if (wfs__is_plain(*at)) c[0] = *at++;
		else if ((n = wfs__unescape(&at, end, c)) == 0) break;
		for (k = 0; k < n; k++, i++) {
			if (i == text.length) return 1;
			if (c[k] != text.bytes[i]) return (unsigned char)c[k] < (unsigned char)text.bytes[i] ? -1 : 1;
		}
	}
	return i < text.length ? -1 : 0;
}

static wfs_text wfs__text(const char *s)
{
	wfs_text t;
	t.bytes = s;
	t.length = strlen(s);
	return t;
}

bool wfs_json_is(wfs_json v, const char *s) { return wfs__is_string(v) && wfs__compare_json(v, wfs__text(s)) == 0; }

bool wfs_json_true(wfs_json v) { return v.length == 4 && memcmp(v.text, "true", 4) == 0; }

/* wfs__unquoted returns the digits of a number that may stand in a string. */
static wfs_json wfs__unquoted(wfs_json v)
{
	if (wfs__is_string(v)) {
		v.text++;
		v.length -= 2;
	}
	return v;
}

static bool wfs__digits(const char *at, const char *end, uint64_t *out)
{
	uint64_t n = 0;
	if (wfs__scan_digits(at, end) != end || (end - at > 1 && *at == '0')) return false;
	for (; at < end; at++) {
		uint64_t digit = (uint64_t)(*at - '0');
		if (n > (UINT64_MAX - digit) / 10) return false;
		n = n * 10 + digit;
	}
	*out = n;
	return true;
}

bool wfs_json_u64(wfs_json v, uint64_t *out)
{
	v = wfs__unquoted(v);
	return wfs__digits(v.text, v.text + v.length, out);
}

bool wfs_json_i64(wfs_json v, int64_t *out)
{
	const char *end;
	uint64_t n;
	bool negative;
	v = wfs__unquoted(v);
	end = v.text + v.length;
	negative = v.length > 0 && v.text[0] == '-';
	if (!wfs__digits(v.text + (negative ? 1 : 0), end, &n)) return false;
	if (negative) {
		if (n > (uint64_t)INT64_MAX + 1) return false;
		*out = n == 0 ? 0 : -(int64_t)(n - 1) - 1;
		return true;
	}
	if (n > (uint64_t)INT64_MAX) return false;
	*out = (int64_t)n;
	return true;
}

static double wfs__scale(double d, int32_t exponent)
{
	static const double powers[] = {1e1, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256};
	uint32_t n = (uint32_t)(exponent < 0 ? -exponent : exponent), i;
	while (n >= 512 && d != 0 && d <= 1.7976931348623157e308) { /* neither zero nor infinite yet */
		d = exponent < 0 ? d / 1e256 : d * 1e256;
		n -= 256;
	}
	for (i = 0; i < 9; i++) {
		if (n >> i & 1) d = exponent < 0 ? d / powers[i] : d * powers[i];
	}
	return d;
}

bool wfs_json_double(wfs_json v, double *out)
{
	const char *at = v.text, *end = v.text + v.length;
	uint64_t mantissa = 0;
	int32_t exponent = 0, written = 0;
	bool negative = false, fraction = false, minus = false;
	if (v.length == 0 || wfs__scan_number(at, end) != end) return false;
	if (*at == '-') {
		negative = true;
		at++;
	}
	for (; at < end && *at != 'e' && *at != 'E'; at++) {
		if (*at == '.') {
			fraction = true;
		} else if (mantissa <= (UINT64_MAX - 9) / 10) {
			mantissa = mantissa * 10 + (uint64_t)(*at - '0');
			if (fraction && exponent > -100000) exponent--;
		} else if (!fraction && exponent < 100000) {
			exponent++;
		}
	}
	if (at < end) at++;
	if (at < end && (*at == '+' || *at == '-')) minus = *at++ == '-';
	for (; at < end; at++) {
		if (written < 100000) written = written * 10 + (*at - '0');
	}
	*out = wfs__scale((double)mantissa, exponent + (minus ? -written : written));
	if (negative) *out = -*out;
	return true;
}

/* ---- Checksums ---- */

/* wfs__crc is CRC-32C: by the instruction that processors have for it, four times as
 * fast, or by eight tables, which are made as it begins: 2,304 steps instead of 8 KiB
 * that would be a global. */
typedef struct wfs__crc {
	bool by_instruction;
	uint32_t table[8][256];
} wfs__crc;

#if defined(__GNUC__) && defined(__x86_64__)
#include <cpuid.h>

static bool wfs__crc_has_instruction(void)
{
	unsigned a, b, c, d;
	__cpuid(1, a, b, c, d);
	return (c & bit_SSE4_2) != 0;
}

__attribute__((target("sse4.2"))) static uint32_t wfs__crc_by_instruction(uint32_t crc, const unsigned char *p, size_t n)
{
	uint64_t wide = crc;
	for (; n >= 8; p += 8, n -= 8) wide = __builtin_ia32_crc32di(wide, wfs_load64(p));
	crc = (uint32_t)wide;
	for (; n > 0; p++, n--) crc = __builtin_ia32_crc32qi(crc, *p);
	return crc;
}
#else
static bool wfs__crc_has_instruction(void) { return false; }

static uint32_t wfs__crc_by_instruction(uint32_t crc, const unsigned char *p, size_t n)
{
	(void)p;
	(void)n;
	return crc;
}
#endif

static void wfs__crc_tables(wfs__crc *c)
{
	uint32_t i, k;
	c->by_instruction = false;
	for (i = 0; i < 256; i++) {
		uint32_t v = i;
		for (k = 0; k < 8; k++) v = v >> 1 ^ (v & 1 ? 0x82F63B78u : 0);
		c->table[0][i] = v;
	}
	for (i = 0; i < 256; i++) {
		for (k = 1; k < 8; k++) c->table[k][i] = c->table[k - 1][i] >> 8 ^ c->table[0][c->table[k - 1][i] & 0xFF];
	}
}

static void wfs__crc_begin(wfs__crc *c)
{
	c->by_instruction = wfs__crc_has_instruction();
	if (!c->by_instruction) wfs__crc_tables(c);
}

/* wfs__crc_add goes on with crc, which begins as FFFFFFFF and is inverted at the
 * end. */
static uint32_t wfs__crc_add(const wfs__crc *c, uint32_t crc, const unsigned char *p, size_t n)
{
	if (c->by_instruction) return wfs__crc_by_instruction(crc, p, n);
	for (; n >= 8; p += 8, n -= 8) {
		uint32_t a = crc ^ wfs_load32(p), b = wfs_load32(p + 4);
		crc = c->table[7][a & 0xFF] ^ c->table[6][a >> 8 & 0xFF] ^ c->table[5][a >> 16 & 0xFF] ^ c->table[4][a >> 24] ^
		      c->table[3][b & 0xFF] ^ c->table[2][b >> 8 & 0xFF] ^ c->table[1][b >> 16 & 0xFF] ^ c->table[0][b >> 24];
	}
	for (; n > 0; p++, n--) crc = crc >> 8 ^ c->table[0][(crc ^ *p) & 0xFF];
	return crc;
}

/* SHA-256 (FIPS 180-4). */

typedef struct wfs__sha {
	uint32_t state[8];
	unsigned char block[64];
	size_t filled;
	uint64_t length;
} wfs__sha;

static uint32_t wfs__rotate(uint32_t v, int n) { return v >> n | v << (32 - n); }

static void wfs__sha_block(uint32_t state[8], const unsigned char *p)
{
	static const uint32_t k[64] = {
		0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
		0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
		0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
		0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
		0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
		0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
		0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
		0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
	uint32_t w[64], v[8];
	int i;
	for (i = 0; i < 16; i++) {
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | (uint32_t)p[4 * i + 3];
	}
	for (; i < 64; i++) {
		uint32_t s0 = wfs__rotate(w[i - 15], 7) ^ wfs__rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
		uint32_t s1 = wfs__rotate(w[i - 2], 17) ^ wfs__rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
	memcpy(v, state, sizeof v);
	for (i = 0; i < 64; i++) {
		uint32_t s1 = wfs__rotate(v[4], 6) ^ wfs__rotate(v[4], 11) ^ wfs__rotate(v[4], 25);
		uint32_t s0 = wfs__rotate(v[0], 2) ^ wfs__rotate(v[0], 13) ^ wfs__rotate(v[0], 22);
		uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
		uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof v[0]);
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++) state[i] += v[i];
}

static void wfs__sha_begin(wfs__sha *s)
{
	static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	memset(s, 0, sizeof *s);
	memcpy(s->state, initial, sizeof initial);
}

static void wfs__sha_add(wfs__sha *s, const unsigned char *p, size_t n)
{
	s->length += n;
	while (n > 0) {
		size_t part;
		if (s->filled == 0 && n >= sizeof s->block) {
			wfs__sha_block(s->state, p);
			p += sizeof s->block;
			n -= sizeof s->block;
			continue;
		}
		part = wfs__min(n, sizeof s->block - s->filled);
		memcpy(s->block + s->filled, p, part);
		s->filled += part;
		p += part;
		n -= part;
		if (s->filled == sizeof s->block) {
			wfs__sha_block(s->state, s->block);
			s->filled = 0;
		}
	}
}

static void wfs__sha_end(wfs__sha *s, unsigned char out[32])
{
	static const unsigned char pad[64] = {0x80};
	unsigned char length[8];
	uint64_t bits = s->length * 8;
	int i;
	for (i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i) & 0xFF);
	wfs__sha_add(s, pad, (s->filled < 56 ? 56 : 120) - s->filled);
	wfs__sha_add(s, length, 8);
	for (i = 0; i < 32; i++) out[i] = (unsigned char)(s->state[i / 4] >> (24 - 8 * (i % 4)) & 0xFF);
}

#define WFS__HEADER 80

void wfs_hash(const void *data, size_t size, unsigned char hash[32])
{
	const unsigned char *p = (const unsigned char *)data;
	unsigned char head[WFS__HEADER];
	wfs__sha s;
	wfs__sha_begin(&s);
	if (size < WFS__HEADER) {
		if (size > 0) wfs__sha_add(&s, p, size);
	} else {
		memcpy(head, p, WFS__HEADER);
		memset(head + 32, 0, 32); /* based_on */
		memset(head + 76, 0, 4);  /* the header's checksum */
		wfs__sha_add(&s, head, WFS__HEADER);
		wfs__sha_add(&s, p + WFS__HEADER, size - WFS__HEADER);
	}
	wfs__sha_end(&s, hash);
}

/* ---- Memory ---- */

/* wfs__arena is what is left of the caller's memory. Without a base it only
 * counts, and hands out NULL: so one function both measures and makes. */
typedef struct wfs__arena {
	unsigned char *base;
	size_t size, used;
	bool full;
	uint64_t slots, groups; /* that the rows of all fields seen so far can need */
	uint32_t major;         /* the version that these need */
} wfs__arena;

#define WFS__ALIGN 16

static void *wfs__take(wfs__arena *a, size_t n, size_t each)
{
	size_t bytes;
	void *p = NULL;
	if (n == 0) return NULL;
	if (n > (SIZE_MAX / 2 - WFS__ALIGN) / each) {
		a->full = true;
		return NULL;
	}
	bytes = (n * each + WFS__ALIGN - 1) & ~(size_t)(WFS__ALIGN - 1);
	if (a->used > SIZE_MAX / 2 - bytes || (a->base != NULL && bytes > a->size - a->used)) {
		a->full = true;
		return NULL;
	}
	if (a->base != NULL) p = a->base + a->used;
	a->used += bytes;
	return p;
}

/* ---- Declarations ---- */

static wfs_result wfs__fail(wfs_problem *problem, wfs_result result, size_t offset, const char *what)
{
	problem->what = what;
	problem->offset = offset;
	return result;
}

/* wfs__parser reads the declarations of types. */
typedef struct wfs__parser {
	wfs__arena *arena;
	const char *what; /* is wrong; NULL if nothing */
	const char *at;
} wfs__parser;

static bool wfs__wrong(wfs__parser *p, wfs_json at, const char *what)
{
	if (p->what == NULL) {
		p->what = what;
		p->at = at.text;
	}
	return false;
}

/* wfs__name decodes a string into the arena, or leaves it where it is if there
 * is nothing to decode. */
static bool wfs__name(wfs__parser *p, wfs_json v, wfs_text *out)
{
	if (!wfs__is_string(v)) return wfs__wrong(p, v, "a declaration has a string missing");
	out->bytes = v.text + 1;
	out->length = v.length - 2;
	if (memchr(v.text, '\\', v.length) != NULL) {
		size_t n = wfs_json_string(v, NULL, 0);
		char *copy = (char *)wfs__take(p->arena, n + 1, 1);
		if (copy != NULL) {
			wfs_json_string(v, copy, n + 1);
			out->bytes = copy;
		}
		out->length = n;
		if (p->arena->full) return wfs__wrong(p, v, "there is less memory than the declarations need");
	}
	return true;
}

static bool wfs__u32(wfs__parser *p, wfs_json v, uint32_t *out)
{
	uint64_t n;
	if (!wfs_json_u64(v, &n) || n > UINT32_MAX) return wfs__wrong(p, v, "a revision is a number of 32 bits");
	*out = (uint32_t)n;
	return true;
}

static bool wfs__flag(wfs__parser *p, wfs_json v, uint32_t *flags, uint32_t flag)
{
	if (wfs_json_true(v)) *flags |= flag;
	else if (v.length != 5 || memcmp(v.text, "false", 5) != 0) return wfs__wrong(p, v, "a declaration has something else for true or false");
	return true;
}

static const char *const wfs__kind_names[] = {
	"null", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "vec2", "vec3", "vec4", "quat",
	"mat3x4", "mat4", "string", "blob", "expr", "guid", "enum", "flags", "ref", "set", "array", "struct"};

const char *wfs_kind_name(wfs_kind kind)
{
	return (unsigned)kind <= (unsigned)WFS_STRUCT ? wfs__kind_names[kind] : "";
}

/* wfs__which returns which of the names a string is, count if none. Most differ in
 * their first byte. */
static int wfs__which(wfs_json v, const char *const *names, int count)
{
	int i;
	if (!wfs__is_string(v)) return count;
	for (i = 0; i < count; i++) {
		if ((v.text[1] == names[i][0] || v.text[1] == '\\') && wfs_json_is(v, names[i])) return i;
	}
	return count;
}

static bool wfs__parse_kind(wfs__parser *p, wfs_json v, wfs_decl *d)
{
	int k = wfs__which(v, wfs__kind_names, WFS_STRUCT + 1);
	if (k < WFS_BOOL || k > WFS_STRUCT) return wfs__wrong(p, v, "a declaration has an unknown kind");
	d->kind = (wfs_kind)k;
	return true;
}

static size_t wfs__count(wfs_json container)
{
	wfs_json_iter it = wfs_json_each(container);
	wfs_json value;
	size_t n = 0;
	while (wfs_json_next(&it, NULL, &value)) n++;
	return n;
}

static bool wfs__parse_names(wfs__parser *p, wfs_json v, wfs_decl *d)
{
	wfs_json_iter it = wfs_json_each(v);
	wfs_json key, value;
	size_t n = wfs__count(v), i;
	wfs_name *names;
	if (n == 0 && v.text[0] != '[' && v.text[0] != '{') return wfs__wrong(p, v, "values is a list or an object of names");
	if (n > UINT32_MAX) return wfs__wrong(p, v, "a declaration has too many names");
	names = (wfs_name *)wfs__take(p->arena, n, sizeof *names);
	d->names = names;
	d->name_count = (uint32_t)n;
	for (i = 0; wfs_json_next(&it, &key, &value); i++) {
		wfs_name name;
		name.number = (int64_t)i;
		if (it.object && !wfs_json_i64(value, &name.number)) return wfs__wrong(p, value, "a name has no whole number");
		if (!wfs__name(p, it.object ? key : value, &name.name)) return false;
		if (name.number >= 32) d->flags |= WFS_WIDE;
		if (names != NULL) names[i] = name;
	}
	return true;
}

#define WFS__DEPTH 16 /* of kinds over kinds */

typedef enum wfs__role { WFS__FIELD, WFS__MEMBER, WFS__ELEMENT } wfs__role;

static bool wfs__parse_decl(wfs__parser *p, wfs_json v, wfs_decl *d, wfs__role role, int depth);

static bool wfs__parse_fields(wfs__parser *p, wfs_json v, const wfs_decl **out, uint32_t *count, wfs__role role, int depth)
{
	wfs_json_iter it = wfs_json_each(v);
	wfs_json value;
	size_t n = wfs__count(v), i;
	wfs_decl *fields;
	if (v.text[0] != '[') return wfs__wrong(p, v, "fields is a list");
	if (n > UINT32_MAX) return wfs__wrong(p, v, "a declaration has too many fields");
	fields = (wfs_decl *)wfs__take(p->arena, n, sizeof *fields);
	*out = fields;
	*count = (uint32_t)n;
	for (i = 0; wfs_json_next(&it, NULL, &value); i++) {
		wfs_decl d;
		if (!wfs__parse_decl(p, value, &d, role, depth)) return false;
		if (fields != NULL) fields[i] = d;
	}
	return true;
}

static bool wfs__parse_element(wfs__parser *p, wfs_json v, wfs_decl *d, int depth)
{
	wfs_decl *of = (wfs_decl *)wfs__take(p->arena, 1, sizeof *of), element;
	if (!wfs__parse_decl(p, v, &element, WFS__ELEMENT, depth)) return false;
	if (d->kind == WFS_SET && (element.flags & WFS_OPTIONAL || wfs_components(element.kind) > 1 || element.kind >= WFS_SET))
		return wfs__wrong(p, v, "a set's elements are single values");
	if (of != NULL) *of = element;
	d->of = of;
	p->arena->groups++;
	return true;
}

/* The members of declarations, by their bit in what has been seen. */
static const char *const wfs__members[] = {
	"kind", "direct", "optional", "key", "of", "fields", "values", "vars", /* an element has these alone */
	"name", "since", "until", "hidden", "editor_only", "unique", "derived", "yields",
	"save_when", "insignificant_when", "default", "successor", "attributes"};

enum { WFS__M_KIND, WFS__M_DIRECT, WFS__M_OPTIONAL, WFS__M_KEY, WFS__M_OF, WFS__M_FIELDS, WFS__M_VALUES, WFS__M_VARS, WFS__M_NAME, WFS__M_SINCE,
	WFS__M_UNTIL, WFS__M_HIDDEN, WFS__M_EDITOR_ONLY, WFS__M_UNIQUE, WFS__M_DERIVED, WFS__M_YIELDS, WFS__M_SAVE_WHEN,
	WFS__M_INSIGNIFICANT_WHEN, WFS__M_DEFAULT, WFS__M_SUCCESSOR, WFS__M_ATTRIBUTES, WFS__M_COUNT };

/* wfs__parse_member reads what needs no other member. */
static bool wfs__parse_member(wfs__parser *p, int which, wfs_json v, wfs_decl *d, wfs__role role)
{
	switch (which) {
	case WFS__M_KIND: return wfs__parse_kind(p, v, d);
	case WFS__M_DIRECT: return wfs__flag(p, v, &d->flags, WFS_DIRECT);
	case WFS__M_OPTIONAL: return wfs__flag(p, v, &d->flags, WFS_OPTIONAL);
	case WFS__M_NAME: return wfs__name(p, v, &d->name);
	case WFS__M_SINCE: return wfs__u32(p, v, &d->since);
	case WFS__M_UNTIL: return wfs__u32(p, v, &d->until);
	case WFS__M_HIDDEN: return wfs__flag(p, v, &d->flags, WFS_HIDDEN);
	case WFS__M_EDITOR_ONLY: return wfs__flag(p, v, &d->flags, WFS_EDITOR_ONLY);
	case WFS__M_UNIQUE: return wfs__flag(p, v, &d->flags, WFS_UNIQUE);
	case WFS__M_DERIVED: return wfs__flag(p, v, &d->flags, WFS_DERIVED);
	case WFS__M_VALUES: return wfs__parse_names(p, v, d);
	case WFS__M_YIELDS:
		if (role != WFS__FIELD) return wfs__wrong(p, v, "only a type's own fields yield");
		d->flags |= WFS_YIELDS;
		if (p->arena->major < 3) p->arena->major = 3;
		return wfs__flag(p, v, &d->flags, WFS_YIELDS_TRUE);
	case WFS__M_SAVE_WHEN:
		if (!wfs__is_string(v)) return wfs__wrong(p, v, "save_when is a string");
		if (v.length > 2) d->flags |= WFS_CONDITIONAL;
		return true;
	default: return true; /* has no bearing on where values lie */
	}
}

static bool wfs__parse_decl(wfs__parser *p, wfs_json v, wfs_decl *d, wfs__role role, int depth)
{
	wfs_json found[WFS__M_COUNT], key, value;
	wfs_json_iter it = wfs_json_each(v);
	uint32_t seen = 0;
	int i, known = role == WFS__ELEMENT ? WFS__M_NAME : WFS__M_COUNT;
	memset(d, 0, sizeof *d);
	d->name.bytes = "";
	d->json.bytes = v.text;
	d->json.length = v.length;
	p->arena->slots++;
	if (depth > WFS__DEPTH) return wfs__wrong(p, v, "kinds are nested more than 16 deep");
	if (role == WFS__ELEMENT && wfs__is_string(v)) {
		seen = 1u << WFS__M_KIND;
		if (!wfs__parse_kind(p, v, d)) return false;
	} else if (v.text[0] != '{') {
		return wfs__wrong(p, v, "a declaration is an object");
	}
	while (it.object && wfs_json_next(&it, &key, &value)) {
		i = wfs__which(key, wfs__members, known);
		if (i == known) return wfs__wrong(p, key, "a declaration has an unknown member");
		if (seen >> i & 1) return wfs__wrong(p, key, "a declaration has a member twice");
		seen |= 1u << i;
		found[i] = value;
		if (!wfs__parse_member(p, i, value, d, role)) return false;
	}
	if (!(seen >> WFS__M_KIND & 1)) return wfs__wrong(p, v, "a declaration has no kind");
	if (role != WFS__ELEMENT && d->name.length == 0) return wfs__wrong(p, v, "a field has no name");
	if (d->kind != WFS_FLAGS) d->flags &= ~(uint32_t)WFS_WIDE;
	if (d->name_count > 0 && d->kind != WFS_ENUM && d->kind != WFS_FLAGS) return wfs__wrong(p, v, "only enum and flags have names for values");
	if (d->flags & WFS_DIRECT && d->kind != WFS_REF) return wfs__wrong(p, v, "only a ref can be direct");
	if (seen >> WFS__M_VARS & 1 && d->kind != WFS_EXPR) return wfs__wrong(p, v, "only an expression has variables");
	if (d->kind == WFS_EXPR) p->arena->major = 4;
	if (d->kind == WFS_MAT3X4 || d->kind == WFS_MAT4) p->arena->major = p->arena->major < 2 ? 2 : p->arena->major;
	if ((d->kind == WFS_SET || d->kind == WFS_ARRAY) != (seen >> WFS__M_OF & 1)) return wfs__wrong(p, v, "a set or an array, and nothing else, has elements");
	if (seen >> WFS__M_OF & 1) return wfs__parse_element(p, found[WFS__M_OF], d, depth + 1);
	if (seen >> WFS__M_FIELDS & 1 && !wfs__parse_fields(p, found[WFS__M_FIELDS], &d->fields, &d->field_count, WFS__MEMBER, depth + 1)) return false;
	if ((d->kind == WFS_STRUCT) != (d->field_count > 0)) return wfs__wrong(p, v, "a struct, and nothing else, has members");
	if (d->kind == WFS_STRUCT) p->arena->groups++;
	return true;
}

static bool wfs__parse_type(wfs__parser *p, wfs_json v, wfs_type *t)
{
	static const char *const members[] = {"name", "revision", "label", "mount", "yields", "editor_only", "fields", "attributes"};
	wfs_json_iter it = wfs_json_each(v);
	wfs_json key, value;
	uint32_t seen = 0;
	memset(t, 0, sizeof *t);
	t->name.bytes = "";
	t->json.bytes = v.text;
	t->json.length = v.length;
	t->revision = 1;
	if (v.text[0] != '{') return wfs__wrong(p, v, "a type is an object");
	while (wfs_json_next(&it, &key, &value)) {
		int i = wfs__which(key, members, 8);
		if (i == 8) return wfs__wrong(p, key, "a type has an unknown member");
		if (seen >> i & 1) return wfs__wrong(p, key, "a type has a member twice");
		seen |= 1u << i;
		if (i == 0 && !wfs__name(p, value, &t->name)) return false;
		if (i == 1 && !wfs__u32(p, value, &t->revision)) return false;
		if (i == 4) {
			t->flags |= WFS_YIELDS;
			if (!wfs__flag(p, value, &t->flags, WFS_YIELDS_TRUE)) return false;
			if (t->flags & WFS_YIELDS_TRUE && p->arena->major < 3) p->arena->major = 3;
		}
		if (i == 5) {
			if (!wfs__flag(p, value, &t->flags, WFS_EDITOR_ONLY)) return false;
			if (t->flags & WFS_EDITOR_ONLY) p->arena->major = 4;
		}
		if (i == 6 && !wfs__parse_fields(p, value, &t->fields, &t->field_count, WFS__FIELD, 0)) return false;
	}
	if (t->name.length == 0) return wfs__wrong(p, v, "a type has no name");
	return true;
}

/* wfs__next_type parses the line at *at of the section of types. */
static wfs_result wfs__next_type(wfs_pack *pack, wfs__arena *a, size_t *at, wfs_type *t)
{
	wfs_section s = pack->sections[WFS_TYPES];
	const char *line = (const char *)pack->data + s.offset + *at;
	const char *end = (const char *)memchr(line, '\n', s.length - *at);
	wfs__parser p;
	wfs_json v;
	p.arena = a;
	p.what = NULL;
	p.at = line;
	if (end == NULL) return wfs__fail(&pack->problem, WFS_CORRUPT, s.offset + *at, "the last declaration has no end");
	if (!wfs_json_parse(line, (size_t)(end - line), &v)) return wfs__fail(&pack->problem, WFS_CORRUPT, s.offset + *at, "a declaration is not JSON");
	if (!wfs__parse_type(&p, v, t))
		return wfs__fail(&pack->problem, a->full ? WFS_MEMORY : WFS_CORRUPT, (size_t)(p.at - (const char *)pack->data), p.what);
	*at += (size_t)(end - line) + 1;
	return WFS_OK;
}

/* ---- Layout ---- */

static bool wfs__exists(const wfs_decl *d, uint32_t revision)
{
	return d->since <= revision && (d->until == 0 || revision < d->until);
}

static bool wfs__is_list(wfs_kind kind) { return kind == WFS_SET || kind == WFS_ARRAY; }

/* wfs__measure gives a slot its size and alignment; a struct's are its group's. */
static void wfs__measure(wfs_slot *s)
{
	s->align = 4;
	s->size = 4;
	switch (s->decl->kind) {
	case WFS_BOOL: case WFS_I8: case WFS_U8: s->size = s->align = 1; break;
	case WFS_I16: case WFS_U16: s->size = s->align = 2; break;
	case WFS_I64: case WFS_U64: case WFS_F64: s->size = s->align = 8; break;
	case WFS_FLAGS:
		if (s->decl->flags & WFS_WIDE) s->size = s->align = 8;
		break;
	case WFS_GUID: s->size = 16; break;
	case WFS_STRUCT:
		s->size = s->inner->size;
		s->align = s->inner->align;
		break;
	default:
		if (wfs_components(s->decl->kind) > 0) s->size = 4 * wfs_components(s->decl->kind);
	}
}

/* wfs__place gives each slot of a group its offset: those of alignment 8 first,
 * then 4, 2 and 1. It reports whether 32 bits are enough. */
static bool wfs__place(wfs_group *g, wfs_slot *slots, bool is_row)
{
	uint64_t at = 0;
	uint32_t align, bits = 0, i;
	g->align = 1;
	for (align = 8; align > 0; align /= 2) {
		if (is_row && align == 4) {
			g->id = (uint32_t)at;
			at += 4;
			if (g->align < 4) g->align = 4;
		}
		for (i = 0; i < g->count; i++) {
			if (slots[i].align != align) continue;
			if (g->align < align) g->align = align;
			slots[i].offset = (uint32_t)at;
			at += slots[i].size;
			if (at > UINT32_MAX / 2) return false;
		}
	}
	for (i = 0; i < g->count; i++) {
		if (slots[i].bit != WFS_ALWAYS) slots[i].bit = bits++;
	}
	g->presence = (uint32_t)at;
	at += ((uint64_t)bits + 7) / 8;
	if (at == 0) at = 1;
	at = (at + g->align - 1) & ~(uint64_t)(g->align - 1);
	g->size = (uint32_t)at;
	return at <= UINT32_MAX / 2;
}

/* wfs__lay lays out those of the fields that exist at a revision. The recursion
 * is as deep as declarations are nested, which has been checked. */
static bool wfs__lay(wfs__arena *a, wfs_group *g, const wfs_decl *fields, uint32_t count, uint32_t revision, wfs__role role)
{
	wfs_slot *slots;
	uint32_t i, n = 0;
	memset(g, 0, sizeof *g);
	for (i = 0; i < count; i++) n += role == WFS__ELEMENT || wfs__exists(&fields[i], revision) ? 1 : 0;
	slots = (wfs_slot *)wfs__take(a, n, sizeof *slots);
	if (n > 0 && slots == NULL) return false;
	g->slots = slots;
	for (i = 0; i < count; i++) {
		const wfs_decl *d = &fields[i];
		wfs_slot *s;
		if (role != WFS__ELEMENT && !wfs__exists(d, revision)) continue;
		s = &slots[g->count++];
		memset(s, 0, sizeof *s);
		s->decl = d;
		s->bit = d->flags & WFS_OPTIONAL || (role == WFS__FIELD && d->flags & WFS_CONDITIONAL) ? 0 : WFS_ALWAYS;
		if (d->kind == WFS_STRUCT || wfs__is_list(d->kind)) {
			wfs_group *inner = (wfs_group *)wfs__take(a, 1, sizeof *inner);
			bool list = d->kind != WFS_STRUCT;
			if (inner == NULL || !wfs__lay(a, inner, list ? d->of : d->fields, list ? 1 : d->field_count, revision, list ? WFS__ELEMENT : WFS__MEMBER)) return false;
			s->inner = inner;
		}
		wfs__measure(s);
	}
	return wfs__place(g, slots, role == WFS__FIELD);
}

/* ---- Checking the file ---- */

/* wfs__sections reads the section table. */
static wfs_result wfs__sections(wfs_pack *pack, const wfs__crc *crc, uint32_t count)
{
	size_t at = WFS__HEADER + (size_t)24 * count, i;
	uint32_t last = 0, n;
	for (n = 0; n < count; n++) {
		size_t place = WFS__HEADER + (size_t)24 * n, start = (at + 7) & ~(size_t)7;
		const unsigned char *entry = pack->data + place;
		uint32_t kind = wfs_load32(entry);
		uint64_t length = wfs_load64(entry + 16);
		if (wfs_load64(entry + 8) != start) return wfs__fail(&pack->problem, WFS_CORRUPT, place + 8, "a section does not follow the one before it");
		if (start > pack->size || length > pack->size - start) return wfs__fail(&pack->problem, WFS_CORRUPT, place + 16, "a section goes beyond the end of the file");
		for (i = at; i < start; i++) {
			if (pack->data[i] != 0) return wfs__fail(&pack->problem, WFS_CORRUPT, i, "the padding before a section is not zero");
		}
		if ((wfs__crc_add(crc, 0xFFFFFFFFu, pack->data + start, (size_t)length) ^ 0xFFFFFFFFu) != wfs_load32(entry + 4))
			return wfs__fail(&pack->problem, WFS_CHECKSUM, start, "the checksum of a section does not hold");
		if (kind <= last || (n < WFS_EXTRA && kind != n + 1)) return wfs__fail(&pack->problem, WFS_CORRUPT, place, "a section is out of order");
		if (kind < WFS_SECTIONS) {
			pack->sections[kind].offset = start;
			pack->sections[kind].length = (size_t)length;
		}
		at = start + (size_t)length;
		last = kind;
	}
	if (at != pack->size) return wfs__fail(&pack->problem, WFS_CORRUPT, 64, "the file does not end with its last section");
	return WFS_OK;
}

static wfs_result wfs__header(wfs_pack *pack)
{
	static const unsigned char magic[8] = {0x89, 'W', 'P', 'K', 0x0D, 0x0A, 0x1A, 0x0A}, zero[4] = {0, 0, 0, 0};
	const unsigned char *d = pack->data;
	wfs__crc crc;
	uint32_t sections, sum;
	size_t size;
	if (pack->size == 0) return wfs__fail(&pack->problem, WFS_TRUNCATED, 0, "the pack is empty");
	if (memcmp(d, magic, wfs__min(pack->size, 8)) != 0) return wfs__fail(&pack->problem, WFS_NOT_A_PACK, 0, "it does not begin as packs do");
	if (pack->size < 12) return wfs__fail(&pack->problem, WFS_TRUNCATED, pack->size, "the header is cut off");
	pack->major = wfs_load16(d + 8);
	if (pack->major == 0) return wfs__fail(&pack->problem, WFS_CORRUPT, 8, "there is no version 0");
	if (pack->major > WFS_MAJOR) return wfs__fail(&pack->problem, WFS_NEWER, 8, "the pack's format is newer than this program");
	if (pack->size < WFS__HEADER) return wfs__fail(&pack->problem, WFS_TRUNCATED, pack->size, "the header is cut off");
	sections = wfs_load32(d + 12);
	if (sections < WFS_EXTRA || sections > 64) return wfs__fail(&pack->problem, WFS_CORRUPT, 12, "there cannot be so many sections");
	size = WFS__HEADER + (size_t)24 * sections;
	if (pack->size < size) return wfs__fail(&pack->problem, WFS_TRUNCATED, pack->size, "the section table is cut off");
	wfs__crc_begin(&crc);
	sum = wfs__crc_add(&crc, 0xFFFFFFFFu, d, 76);
	sum = wfs__crc_add(&crc, sum, zero, 4);
	sum = wfs__crc_add(&crc, sum, d + WFS__HEADER, size - WFS__HEADER) ^ 0xFFFFFFFFu;
	if (sum != wfs_load32(d + 76)) return wfs__fail(&pack->problem, WFS_CHECKSUM, 76, "the checksum of the header does not hold");
	if (wfs_load64(d + 64) > pack->size) return wfs__fail(&pack->problem, WFS_TRUNCATED, pack->size, "the pack is cut off");
	if (wfs_load64(d + 64) < pack->size) return wfs__fail(&pack->problem, WFS_CORRUPT, 64, "the file goes on after its end");
	memcpy(pack->world, d + 16, 16);
	memcpy(pack->based_on, d + 32, 32);
	pack->entity_count = wfs_load32(d + 72);
	return wfs__sections(pack, &crc, sections);
}

/* wfs__table_entry returns entry i of the section of tables. */
static const unsigned char *wfs__table_entry(const wfs_pack *pack, uint32_t i)
{
	return pack->data + pack->sections[WFS_TABLES].offset + (size_t)32 * i;
}

/* wfs__table_head reads what names a table: the order that tables are in. */
static bool wfs__table_head(const wfs_pack *pack, uint32_t i, wfs_text *name, uint32_t *revision, uint32_t *flags)
{
	const unsigned char *entry = wfs__table_entry(pack, i);
	*revision = wfs_load32(entry + 4);
	*flags = wfs_load32(entry + 28);
	return wfs_heap_text(pack, wfs_load32(entry), name) && *flags <= 1;
}

static int wfs__compare(wfs_text a, wfs_text b)
{
	int c = memcmp(a.bytes, b.bytes, wfs__min(a.length, b.length));
	return c != 0 ? c : a.length < b.length ? -1 : a.length > b.length;
}

/* wfs__measure_memory finds out how much memory wfs_open needs: types and tables
 * both are in the order of names, and are walked side by side. */
static wfs_result wfs__measure_memory(wfs_pack *pack)
{
	wfs__arena a;
	wfs_type t;
	wfs_text name;
	size_t at = 0;
	uint32_t table = 0, revision, flags;
	memset(&a, 0, sizeof a);
	a.major = 1;
	for (pack->type_count = 0; at < pack->sections[WFS_TYPES].length; pack->type_count++) {
		wfs_result r;
		int order = 0;
		a.slots = a.groups = 0;
		r = wfs__next_type(pack, &a, &at, &t);
		if (r != WFS_OK) return r;
		if (pack->type_count == UINT32_MAX - 1) return wfs__fail(&pack->problem, WFS_CORRUPT, 0, "there are too many types");
		for (; table < pack->table_count && order <= 0; table++) {
			wfs_json quoted; /* the name as it stands: it may have escapes */
			wfs_json line;
			line.text = t.json.bytes;
			line.length = t.json.length;
			if (!wfs__table_head(pack, table, &name, &revision, &flags))
				return wfs__fail(&pack->problem, WFS_CORRUPT, pack->sections[WFS_TABLES].offset + (size_t)32 * table, "a table is malformed");
			if (flags & 1) continue;
			wfs_json_get(line, "name", &quoted);
			order = -wfs__compare_json(quoted, name);
			if (order < 0) return wfs__fail(&pack->problem, WFS_CORRUPT, pack->sections[WFS_TABLES].offset + (size_t)32 * table, "a table has no declaration, or types or tables are out of order");
			if (order > 0) break;
			wfs__take(&a, (size_t)a.slots, sizeof(wfs_slot) + WFS__ALIGN);
			wfs__take(&a, (size_t)a.groups, sizeof(wfs_group) + WFS__ALIGN);
		}
	}
	for (; table < pack->table_count; table++) {
		if (!wfs__table_head(pack, table, &name, &revision, &flags) || !(flags & 1))
			return wfs__fail(&pack->problem, WFS_CORRUPT, pack->sections[WFS_TABLES].offset + (size_t)32 * table, "a table has no declaration");
	}
	if (a.major != pack->major) return wfs__fail(&pack->problem, WFS_CORRUPT, 8, "the version is another than that of the declarations");
	wfs__take(&a, pack->type_count, sizeof(wfs_type));
	wfs__take(&a, pack->table_count, sizeof(wfs_table));
	if (a.full) return wfs__fail(&pack->problem, WFS_MEMORY, 0, "the declarations need more memory than there can be");
	pack->memory = a.used + WFS__ALIGN;
	return WFS_OK;
}

wfs_result wfs_check(wfs_pack *pack, const void *data, size_t size)
{
	wfs_result r;
	wfs_section heap, tables;
	memset(pack, 0, sizeof *pack);
	pack->data = (const unsigned char *)data;
	pack->size = size;
	pack->problem.what = "";
	r = wfs__header(pack);
	if (r != WFS_OK) return r;
	heap = pack->sections[WFS_HEAP];
	tables = pack->sections[WFS_TABLES];
	if (heap.length < 4 || heap.length % 4 != 0) return wfs__fail(&pack->problem, WFS_CORRUPT, heap.offset, "the heap's length is no multiple of 4");
	if (tables.length % 32 != 0 || tables.length / 32 > UINT32_MAX) return wfs__fail(&pack->problem, WFS_CORRUPT, tables.offset, "the section of tables has no whole entries");
	pack->table_count = (uint32_t)(tables.length / 32);
	return wfs__measure_memory(pack);
}

/* ---- Opening ---- */

static wfs_result wfs__open_types(wfs_pack *pack, wfs__arena *a)
{
	wfs_type *types = (wfs_type *)wfs__take(a, pack->type_count, sizeof *types);
	size_t at = 0, offset = pack->sections[WFS_TYPES].offset;
	uint32_t i;
	pack->types = types;
	for (i = 0; i < pack->type_count && types != NULL; i++) {
		size_t line = at;
		wfs_result r = at < pack->sections[WFS_TYPES].length ? wfs__next_type(pack, a, &at, &types[i])
		                                                     : wfs__fail(&pack->problem, WFS_CORRUPT, offset, "the pack has changed");
		if (r != WFS_OK) return r;
		if (i > 0 && wfs__compare(types[i - 1].name, types[i].name) >= 0)
			return wfs__fail(&pack->problem, WFS_CORRUPT, offset + line, "types are not in the order of their names");
	}
	return WFS_OK;
}

static const wfs_type *wfs__find_type(const wfs_pack *pack, wfs_text name)
{
	uint32_t low = 0, high = pack->type_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int c = wfs__compare(name, pack->types[middle].name);
		if (c == 0) return &pack->types[middle];
		if (c < 0) high = middle;
		else low = middle + 1;
	}
	return NULL;
}

/* wfs__open_table reads entry i, whose rows begin in their section at the next
 * multiple of 8 from *at on. */
static wfs_result wfs__open_table(wfs_pack *pack, wfs__arena *a, wfs_table *t, uint32_t i, size_t *at)
{
	const unsigned char *entry = wfs__table_entry(pack, i);
	size_t place = (size_t)(entry - pack->data), start = (*at + 7) & ~(size_t)7;
	wfs_section rows = pack->sections[WFS_ROWS];
	uint32_t flags;
	memset(t, 0, sizeof *t);
	if (!wfs__table_head(pack, i, &t->name, &t->revision, &flags)) return wfs__fail(&pack->problem, WFS_CORRUPT, place, "a table is malformed");
	if (i > 0) {
		const wfs_table *before = t - 1;
		int c = wfs__compare(before->name, t->name);
		if (c > 0 || (c == 0 && (before->revision > t->revision || (before->revision == t->revision && (before->type == NULL || !(flags & 1))))))
			return wfs__fail(&pack->problem, WFS_CORRUPT, place, "tables are out of order");
	}
	if (!(flags & 1)) {
		t->type = wfs__find_type(pack, t->name);
		if (t->type == NULL) return wfs__fail(&pack->problem, WFS_CORRUPT, place, "a table has no declaration");
	}
	if (!wfs__lay(a, &t->row, t->type ? t->type->fields : NULL, t->type ? t->type->field_count : 0, t->revision, WFS__FIELD))
		return a->full ? wfs__fail(&pack->problem, WFS_MEMORY, place, "there is less memory than the declarations need")
		               : wfs__fail(&pack->problem, WFS_CORRUPT, place, "a row is larger than any can be");
	if (wfs_load32(entry + 20) != t->row.size || wfs_load32(entry + 24) != t->row.id)
		return wfs__fail(&pack->problem, WFS_CORRUPT, place + 20, "rows are of another size than the type's declaration gives");
	t->count = wfs_load32(entry + 16);
	if (wfs_load64(entry + 8) != start || start > rows.length || t->count == 0 || t->count > (rows.length - start) / t->row.size)
		return wfs__fail(&pack->problem, WFS_CORRUPT, place + 8, "a table's rows do not follow those before, or go beyond their section");
	t->rows = pack->data + rows.offset + start;
	*at = start + (size_t)t->count * t->row.size;
	return WFS_OK;
}

static wfs_result wfs__open_tables(wfs_pack *pack, wfs__arena *a)
{
	wfs_table *tables = (wfs_table *)wfs__take(a, pack->table_count, sizeof *tables);
	uint64_t total = 0;
	size_t at = 0;
	uint32_t i;
	if (pack->table_count > 0 && tables == NULL) return wfs__fail(&pack->problem, WFS_MEMORY, 0, "there is less memory than the tables need");
	pack->tables = tables;
	for (i = 0; i < pack->table_count; i++) {
		wfs_result r = wfs__open_table(pack, a, &tables[i], i, &at);
		if (r != WFS_OK) return r;
		total += tables[i].count;
	}
	if (total != pack->entity_count || at != pack->sections[WFS_ROWS].length)
		return wfs__fail(&pack->problem, WFS_CORRUPT, pack->sections[WFS_TABLES].offset, "the tables have other rows than the pack has entities");
	return WFS_OK;
}

/* wfs__check_directory finds out that every row of every table is there once,
 * in the order of IDs. tables is what pack->tables is. */
static wfs_result wfs__check_directory(wfs_pack *pack, wfs_table *tables)
{
	wfs_section s = pack->sections[WFS_DIRECTORY];
	uint32_t i, last = 0;
	if (s.length != (uint64_t)8 * pack->entity_count) return wfs__fail(&pack->problem, WFS_CORRUPT, s.offset, "the directory has another number of entities");
	for (i = 0; i < pack->entity_count; i++) {
		size_t place = s.offset + (size_t)8 * i;
		uint32_t table = wfs_load32(pack->data + place), row = wfs_load32(pack->data + place + 4), id;
		if (table >= pack->table_count || row != tables[table].checked || row >= tables[table].count)
			return wfs__fail(&pack->problem, WFS_CORRUPT, place, "the directory does not have each row once");
		tables[table].checked++;
		id = wfs_row_id(&tables[table], wfs_row(&tables[table], row));
		if (id <= last) return wfs__fail(&pack->problem, WFS_CORRUPT, place, "the directory is not in the order of IDs");
		last = id;
	}
	return WFS_OK;
}

static uint64_t wfs__index_slots(uint32_t entities) { return (uint64_t)entities + entities / 2 + 1; }

static size_t wfs__home_slot(uint32_t id, uint64_t slots)
{
	uint32_t h = id;
	h ^= h >> 16;
	h *= 0x85EBCA6Bu;
	h ^= h >> 13;
	h *= 0xC2B2AE35u;
	h ^= h >> 16;
	return (size_t)((uint64_t)h * slots >> 32);
}

/* wfs__lookup returns the place of an ID and one, 0 if it is not there. */
static uint32_t wfs__lookup(const wfs_pack *pack, uint32_t id)
{
	uint64_t slots = wfs__index_slots(pack->entity_count), n;
	const unsigned char *index = pack->data + pack->sections[WFS_INDEX].offset;
	size_t slot = wfs__home_slot(id, slots);
	for (n = 0; n < slots; n++) {
		wfs_entity e;
		uint32_t place = wfs_load32(index + 4 * slot);
		if (place == 0) return 0;
		if (wfs_at(pack, place - 1, &e) && e.id == id) return place;
		slot = slot + 1 < slots ? slot + 1 : 0;
	}
	return 0;
}

/* wfs__leads_to reports whether wfs__lookup finds the place, whose entity has the ID. IDs
 * are there once, as the directory has shown, so that no other place can be found, and
 * the rows on the way need not be looked at. */
static bool wfs__leads_to(const wfs_pack *pack, uint32_t id, uint32_t place)
{
	uint64_t slots = wfs__index_slots(pack->entity_count), n;
	const unsigned char *index = pack->data + pack->sections[WFS_INDEX].offset;
	size_t slot = wfs__home_slot(id, slots);
	for (n = 0; n < slots; n++) {
		uint32_t found = wfs_load32(index + 4 * slot);
		if (found == place + 1) return true;
		if (found == 0) return false;
		slot = slot + 1 < slots ? slot + 1 : 0;
	}
	return false;
}

static wfs_result wfs__check_index(wfs_pack *pack)
{
	wfs_section s = pack->sections[WFS_INDEX];
	uint64_t slots = wfs__index_slots(pack->entity_count), used = 0, i;
	uint32_t place;
	if (s.length != 4 * slots) return wfs__fail(&pack->problem, WFS_CORRUPT, s.offset, "the index is of another size");
	for (i = 0; i < slots; i++) used += wfs_load32(pack->data + s.offset + 4 * (size_t)i) != 0 ? 1 : 0;
	if (used != pack->entity_count) return wfs__fail(&pack->problem, WFS_CORRUPT, s.offset, "the index has another number of entities");
	for (place = 0; place < pack->entity_count; place++) {
		wfs_entity e;
		if (!wfs_at(pack, place, &e) || !wfs__leads_to(pack, e.id, place))
			return wfs__fail(&pack->problem, WFS_CORRUPT, s.offset, "an entity is not found under its ID");
	}
	return WFS_OK;
}

static wfs_result wfs__check_extra(wfs_pack *pack)
{
	wfs_section s = pack->sections[WFS_EXTRA];
	size_t at;
	uint32_t last = 0;
	if (s.length % 12 != 0 || s.length / 12 > UINT32_MAX) return wfs__fail(&pack->problem, WFS_CORRUPT, s.offset, "the section of extra fields has no whole entries");
	for (at = 0; at < s.length; at += 12) {
		uint32_t place = wfs_load32(pack->data + s.offset + at);
		if (place >= pack->entity_count || place < last) return wfs__fail(&pack->problem, WFS_CORRUPT, s.offset + at, "extra fields are not in the order of entities");
		last = place;
	}
	return WFS_OK;
}

wfs_result wfs_open(wfs_pack *pack, void *memory, size_t size)
{
	wfs__arena a;
	wfs_result r;
	size_t skip = memory == NULL ? 0 : (size_t)(-(uintptr_t)memory & (WFS__ALIGN - 1));
	if (memory == NULL || size < pack->memory || size < skip) return wfs__fail(&pack->problem, WFS_MEMORY, 0, "there is less memory than the pack needs");
	memset(&a, 0, sizeof a);
	a.base = (unsigned char *)memory + skip;
	a.size = size - skip;
	r = wfs__open_types(pack, &a);
	if (r == WFS_OK) r = wfs__open_tables(pack, &a);
	if (r == WFS_OK) r = wfs__check_directory(pack, (wfs_table *)(uintptr_t)pack->tables);
	if (r == WFS_OK) r = wfs__check_index(pack);
	if (r == WFS_OK) r = wfs__check_extra(pack);
	return r;
}

/* ---- Reading ---- */

bool wfs_at(const wfs_pack *pack, uint32_t place, wfs_entity *out)
{
	const unsigned char *entry;
	uint32_t table, row;
	if (place >= pack->entity_count) return false;
	entry = pack->data + pack->sections[WFS_DIRECTORY].offset + (size_t)8 * place;
	table = wfs_load32(entry);
	row = wfs_load32(entry + 4);
	if (table >= pack->table_count || row >= pack->tables[table].count) return false;
	out->pack = pack;
	out->table = &pack->tables[table];
	out->row = wfs_row(out->table, row);
	out->place = place;
	out->id = wfs_row_id(out->table, out->row);
	return true;
}

bool wfs_find(const wfs_pack *pack, uint32_t id, wfs_entity *out)
{
	uint32_t place = wfs__lookup(pack, id);
	return place != 0 && wfs_at(pack, place - 1, out);
}

const wfs_type *wfs_type_of(const wfs_pack *pack, const char *name) { return wfs__find_type(pack, wfs__text(name)); }

bool wfs_text_is(wfs_text text, const char *s) { return wfs__compare(text, wfs__text(s)) == 0; }

const wfs_slot *wfs_slot_of(const wfs_group *group, const char *name)
{
	uint32_t i;
	for (i = 0; i < group->count; i++) {
		if (wfs_text_is(group->slots[i].decl->name, name)) return &group->slots[i];
	}
	return NULL;
}

wfs_text wfs_name_of(const wfs_decl *decl, int64_t number)
{
	wfs_text none = {"", 0};
	uint32_t i;
	for (i = 0; i < decl->name_count; i++) {
		if (decl->names[i].number == number) return decl->names[i].name;
	}
	return none;
}

bool wfs_number_of(const wfs_decl *decl, const char *name, int64_t *number)
{
	uint32_t i;
	for (i = 0; i < decl->name_count; i++) {
		if (wfs_text_is(decl->names[i].name, name)) {
			*number = decl->names[i].number;
			return true;
		}
	}
	return false;
}

/* wfs__heap finds what a reference refers to: n things of that size and
 * alignment, which lie in the heap then. */
static bool wfs__heap(const wfs_pack *pack, uint32_t ref, uint32_t size, uint32_t align, const unsigned char **at, uint32_t *n)
{
	wfs_section heap = pack->sections[WFS_HEAP];
	size_t offset = (size_t)ref * 4;
	if (ref == 0 || ref >= heap.length / 4) return false;
	*n = wfs_load32(pack->data + heap.offset + offset);
	offset += 4;
	if (*n > (heap.length - offset) / size || (align == 8 && offset % 8 != 0)) return false;
	*at = pack->data + heap.offset + offset;
	return true;
}

bool wfs_heap_text(const wfs_pack *pack, uint32_t ref, wfs_text *out)
{
	const unsigned char *at;
	uint32_t n;
	out->bytes = "";
	out->length = 0;
	if (ref == 0) return true;
	if (!wfs__heap(pack, ref, 1, 1, &at, &n)) return false;
	out->bytes = (const char *)at;
	out->length = n;
	return true;
}

bool wfs_heap_list(const wfs_pack *pack, uint32_t ref, const wfs_group *element, wfs_list *out)
{
	out->pack = pack;
	out->element = element;
	out->at = pack->data;
	out->count = 0;
	return ref == 0 || wfs__heap(pack, ref, element->size, element->align, &out->at, &out->count);
}

wfs_value wfs_field(const wfs_entity *e, const char *name)
{
	return wfs_value_in(e->pack, &e->table->row, wfs_slot_of(&e->table->row, name), e->row);
}

wfs_value wfs_member(wfs_value v, const char *name)
{
	const wfs_group *g = wfs_kind_of(v) == WFS_STRUCT ? v.slot->inner : NULL;
	return wfs_value_in(v.pack, g, g != NULL ? wfs_slot_of(g, name) : NULL, v.at);
}

wfs_text wfs_string(wfs_value v)
{
	wfs_text t = {"", 0};
	wfs_kind k = wfs_kind_of(v);
	if (k == WFS_STRING || k == WFS_BLOB || k == WFS_EXPR) wfs_heap_text(v.pack, wfs_load32(v.at), &t);
	return t;
}

wfs_list wfs_items(wfs_value v)
{
	wfs_list list;
	memset(&list, 0, sizeof list);
	if (wfs__is_list(wfs_kind_of(v)) && !wfs_heap_list(v.pack, wfs_load32(v.at), v.slot->inner, &list)) list.count = 0;
	return list;
}

/* wfs__first_raw returns the first extra field of the entity at a place, or of
 * one after it. */
static uint32_t wfs__first_raw(const wfs_pack *pack, uint64_t place)
{
	wfs_section s = pack->sections[WFS_EXTRA];
	uint32_t low = 0, high = (uint32_t)(s.length / 12);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (wfs_load32(pack->data + s.offset + (size_t)12 * middle) < place) low = middle + 1;
		else high = middle;
	}
	return low;
}

uint32_t wfs_raw_count(const wfs_entity *e)
{
	uint32_t first = wfs__first_raw(e->pack, e->place), end = wfs__first_raw(e->pack, (uint64_t)e->place + 1);
	return end > first ? end - first : 0;
}

bool wfs_raw(const wfs_entity *e, uint32_t i, wfs_text *name, wfs_text *lines)
{
	const unsigned char *entry;
	if (i >= wfs_raw_count(e)) return false;
	entry = e->pack->data + e->pack->sections[WFS_EXTRA].offset + (size_t)12 * ((size_t)wfs__first_raw(e->pack, e->place) + i);
	{
		bool named = wfs_heap_text(e->pack, wfs_load32(entry + 4), name);
		return wfs_heap_text(e->pack, wfs_load32(entry + 8), lines) && named;
	}
}

/* ---- Verifying ---- */

typedef struct wfs__verifier {
	const wfs_pack *pack;
	wfs_problem *problem;
	uint64_t budget; /* bytes of lists that may still come: no list is there twice */
} wfs__verifier;

static bool wfs__bad(wfs__verifier *v, const unsigned char *at, const char *what)
{
	v->problem->what = what;
	v->problem->offset = (size_t)(at - v->pack->data);
	return false;
}

/* wfs__order maps a float's bits to integers that sort as IEEE 754's total order
 * does. */
static int64_t wfs__order(uint64_t bits, int width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);
	return wfs__signed(bits & sign ? bits ^ (sign - 1) : bits, width);
}

static int wfs__compare_values(wfs_value a, wfs_value b)
{
	switch (wfs_kind_of(a)) {
	case WFS_STRING: case WFS_BLOB: case WFS_EXPR: return wfs__compare(wfs_string(a), wfs_string(b));
	case WFS_GUID: return memcmp(a.at, b.at, 16);
	case WFS_F32: return wfs__order(wfs_float_bits(a, 0), 32) < wfs__order(wfs_float_bits(b, 0), 32) ? -1 : wfs_float_bits(a, 0) != wfs_float_bits(b, 0);
	case WFS_F64: return wfs__order(wfs_double_bits(a), 64) < wfs__order(wfs_double_bits(b), 64) ? -1 : wfs_double_bits(a) != wfs_double_bits(b);
	case WFS_I8: case WFS_I16: case WFS_I32: case WFS_I64: case WFS_ENUM: return wfs_int(a) < wfs_int(b) ? -1 : wfs_int(a) > wfs_int(b);
	default: return wfs_uint(a) < wfs_uint(b) ? -1 : wfs_uint(a) > wfs_uint(b);
	}
}

static bool wfs__verify_group(wfs__verifier *v, const wfs_group *g, const unsigned char *base);

static bool wfs__verify_list(wfs__verifier *v, const wfs_slot *s, const unsigned char *at)
{
	wfs_list list;
	uint64_t bytes;
	uint32_t i;
	if (!wfs_heap_list(v->pack, wfs_load32(at), s->inner, &list)) return wfs__bad(v, at, "a reference to a list leads nowhere");
	if (list.count == 0) return true;
	bytes = 4 + (uint64_t)list.count * s->inner->size;
	if (bytes > v->budget) return wfs__bad(v, at, "several values share a list");
	v->budget -= bytes;
	for (i = 0; i < list.count; i++) {
		if (!wfs__verify_group(v, s->inner, list.at + (size_t)i * s->inner->size)) return false;
		if (s->decl->kind == WFS_SET && i > 0 && wfs__compare_values(wfs_item(&list, i - 1), wfs_item(&list, i)) >= 0)
			return wfs__bad(v, at, "a set is not in order");
	}
	return true;
}

/* wfs__is_source says whether a text can stand on a line as an expression. */
static bool wfs__is_source(wfs_text t)
{
	size_t i;
	if (t.length > 0 && (t.bytes[0] == ' ' || t.bytes[0] == '\t' || t.bytes[t.length - 1] == ' ' || t.bytes[t.length - 1] == '\t')) return false;
	for (i = 0; i < t.length; i++) {
		unsigned char c = (unsigned char)t.bytes[i];
		if ((c < ' ' && c != '\t') || c == 0x7f) return false;
	}
	return true;
}

static bool wfs__verify_slot(wfs__verifier *v, const wfs_slot *s, const unsigned char *at)
{
	wfs_text text;
	switch (s->decl->kind) {
	case WFS_STRUCT: return wfs__verify_group(v, s->inner, at);
	case WFS_SET: case WFS_ARRAY: return wfs__verify_list(v, s, at);
	case WFS_BOOL: return at[0] <= 1 || wfs__bad(v, at, "a bool is neither 0 nor 1");
	case WFS_STRING: case WFS_BLOB: case WFS_EXPR:
		if (!wfs_heap_text(v->pack, wfs_load32(at), &text)) return wfs__bad(v, at, "a reference to a string or a blob leads nowhere");
		if (s->decl->kind == WFS_EXPR && !wfs__is_source(text)) return wfs__bad(v, at, "an expression does not fit on a line");
		return s->decl->kind == WFS_BLOB || wfs__valid_utf8(text.bytes, text.length) || wfs__bad(v, at, "a string is not UTF-8");
	default: return true;
	}
}

static bool wfs__verify_group(wfs__verifier *v, const wfs_group *g, const unsigned char *base)
{
	uint32_t i;
	for (i = 0; i < g->count; i++) {
		const wfs_slot *s = &g->slots[i];
		if (wfs_present(g, s, base) && !wfs__verify_slot(v, s, base + s->offset)) return false;
	}
	return true;
}

wfs_result wfs_verify(const wfs_pack *pack, wfs_problem *problem)
{
	wfs__verifier v;
	wfs_text name, lines;
	size_t at;
	uint32_t t, row;
	v.pack = pack;
	v.problem = problem;
	v.budget = pack->sections[WFS_HEAP].length;
	problem->what = "";
	problem->offset = 0;
	for (t = 0; t < pack->table_count; t++) {
		for (row = 0; row < pack->tables[t].count; row++) {
			if (!wfs__verify_group(&v, &pack->tables[t].row, wfs_row(&pack->tables[t], row))) return WFS_CORRUPT;
		}
	}
	for (at = 0; at < pack->sections[WFS_EXTRA].length; at += 12) {
		const unsigned char *entry = pack->data + pack->sections[WFS_EXTRA].offset + at;
		if (!wfs_heap_text(pack, wfs_load32(entry + 4), &name) || !wfs_heap_text(pack, wfs_load32(entry + 8), &lines)) {
			wfs__bad(&v, entry, "an extra field's text leads nowhere");
			return WFS_CORRUPT;
		}
	}
	return WFS_OK;
}

const char *wfs_result_text(wfs_result result)
{
	switch (result) {
	case WFS_OK: return "good";
	case WFS_NOT_A_PACK: return "not a world pack";
	case WFS_NEWER: return "the pack's format is newer than this program";
	case WFS_TRUNCATED: return "the pack is cut off";
	case WFS_CHECKSUM: return "the pack is damaged: checksum mismatch";
	case WFS_CORRUPT: return "the pack is malformed";
	case WFS_MEMORY: return "there is not enough memory for the pack";
	case WFS_IO: return "the file cannot be read";
	}
	return "";
}

/* ---- Files ---- */

#ifndef WFS_NO_FILES
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

wfs_result wfs_map(wfs_file *file, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	file->data = NULL;
	file->size = 0;
	if (fd < 0) return WFS_IO;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 && (uintmax_t)st.st_size <= SIZE_MAX) {
		file->size = (size_t)st.st_size;
		file->data = file->size == 0 ? NULL : mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	} else {
		file->data = MAP_FAILED;
	}
	close(fd);
	if (file->data != MAP_FAILED) return WFS_OK;
	file->data = NULL;
	file->size = 0;
	return WFS_IO;
}

void wfs_unmap(wfs_file *file)
{
	if (file->data != NULL) munmap(file->data, file->size);
	file->data = NULL;
	file->size = 0;
}
#else
#include <stdio.h>
#include <stdlib.h>

wfs_result wfs_map(wfs_file *file, const char *path)
{
	FILE *f = fopen(path, "rb");
	long size;
	file->data = NULL;
	file->size = 0;
	if (f == NULL) return WFS_IO;
	if (fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0 ||
	    (size > 0 && (file->data = malloc((size_t)size)) == NULL)) {
		fclose(f);
		return WFS_IO;
	}
	file->size = fread(file->data, 1, (size_t)size, f);
	if (file->size != (size_t)size) {
		free(file->data);
		file->data = NULL;
		file->size = 0;
	}
	fclose(f);
	return file->data == NULL && size > 0 ? WFS_IO : WFS_OK;
}

void wfs_unmap(wfs_file *file)
{
	free(file->data);
	file->data = NULL;
	file->size = 0;
}
#endif
#endif /* WFS_NO_FILES */

#endif /* WORLDFS_IMPLEMENTATION */
