/* walk - times how long a ship pack takes to be mapped and every field of it to be
 * read, through worldfs.h and as plain packed structs.
 *
 *     walk PACK PLAIN ROUNDS
 *
 * PLAIN has the rows and the heap of the pack behind a table of where they lie, and is
 * read as an engine reads a file that only it writes: without a check. Each way begins
 * with a file that is not mapped, and adds up every number, every byte of a text and
 * every element of a list; through worldfs.h it has all that wfs_check and wfs_open do
 * as well. Each line that is printed is a round, in nanoseconds: plain, structs, slots,
 * kinds. walk_types.h and walk_ways.h are written for the pack. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "worldfs.h"
#include "walk_types.h"

static inline uint64_t bits(float f)
{
	uint32_t b;
	memcpy(&b, &f, sizeof b);
	return b;
}

static inline uint64_t bits64(double d)
{
	uint64_t b;
	memcpy(&b, &d, sizeof b);
	return b;
}

static inline uint64_t floats(const float *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i;
	for (i = 0; i < n; i++) sum += bits(p[i]);
	return sum;
}

static inline uint64_t words(const uint32_t *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i;
	for (i = 0; i < n; i++) sum += p[i];
	return sum;
}

static inline uint64_t loaded_floats(const unsigned char *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i;
	for (i = 0; i < n; i++) sum += bits(wfs_loadf(p + 4 * (size_t)i));
	return sum;
}

static inline uint64_t loaded_words(const unsigned char *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i;
	for (i = 0; i < n; i++) sum += wfs_load32(p + 4 * (size_t)i);
	return sum;
}

static inline uint64_t text(wfs_text t)
{
	uint64_t sum = t.length;
	size_t i;
	for (i = 0; i < t.length; i++) sum += (unsigned char)t.bytes[i];
	return sum;
}

/* plain_at returns what a reference into the heap refers to, and how many there are. */
static inline const void *plain_at(const unsigned char *heap, uint32_t ref, uint32_t *n)
{
	const uint32_t *at = (const uint32_t *)(const void *)heap + ref;
	*n = ref == 0 ? 0 : *at;
	return at + 1;
}

static inline uint64_t plain_text(const unsigned char *heap, uint32_t ref)
{
	uint32_t n;
	wfs_text t;
	t.bytes = (const char *)plain_at(heap, ref, &n);
	t.length = n;
	return text(t);
}

typedef struct plain_table {
	uint32_t at, count;
} plain_table;

#include "walk_ways.h"

static void fail(const char *what)
{
	fprintf(stderr, "walk: %s\n", what);
	exit(1);
}

/* by_kind reads a value by the kind of its declaration, as a program does that was
 * compiled without knowing the types. */
static uint64_t by_kind(wfs_value v)
{
	wfs_kind k = wfs_kind_of(v);
	uint32_t i, n = wfs_components(k);
	uint64_t sum = 0;
	switch (k) {
	case WFS_NULL: return 0;
	case WFS_I8: case WFS_I16: case WFS_I32: case WFS_I64: case WFS_ENUM: return (uint64_t)wfs_int(v);
	case WFS_F64: return bits64(wfs_double(v));
	case WFS_STRING: case WFS_BLOB: case WFS_EXPR: return text(wfs_string(v));
	case WFS_GUID: return loaded_words(wfs_guid(v), 4);
	case WFS_SET: case WFS_ARRAY: {
		wfs_list list = wfs_items(v);
		for (i = 0; i < list.count; i++) sum += by_kind(wfs_item(&list, i));
		return sum;
	}
	case WFS_STRUCT:
		for (i = 0; i < v.slot->inner->count; i++) sum += by_kind(wfs_member_at(v, i));
		return sum;
	default: break;
	}
	if (n == 0) return wfs_uint(v);
	for (i = 0; i < n; i++) sum += bits(wfs_float(v, i));
	return sum;
}

static uint64_t walk_kinds(const wfs_pack *pack)
{
	uint64_t sum = 0;
	wfs_entity e;
	uint32_t i, k;
	for (i = 0; wfs_at(pack, i, &e); i++) {
		sum += e.id;
		for (k = 0; k < e.table->row.count; k++) sum += by_kind(wfs_field_at(&e, k));
	}
	return sum;
}

static uint64_t with_pack(const char *path, uint64_t (*walk)(const wfs_pack *pack))
{
	wfs_file file;
	wfs_pack pack;
	uint64_t sum;
	void *memory;
	if (wfs_map(&file, path) != WFS_OK) fail("the pack cannot be mapped");
	if (wfs_check(&pack, file.data, file.size) != WFS_OK) fail(pack.problem.what);
	memory = malloc(pack.memory);
	if (wfs_open(&pack, memory, pack.memory) != WFS_OK) fail(pack.problem.what);
	sum = walk(&pack);
	free(memory);
	wfs_unmap(&file);
	return sum;
}

static uint64_t structs(const char *path) { return with_pack(path, walk_structs); }
static uint64_t slots(const char *path) { return with_pack(path, walk_slots); }
static uint64_t kinds(const char *path) { return with_pack(path, walk_kinds); }

static uint64_t plain(const char *path)
{
	wfs_file file;
	uint64_t sum;
	if (wfs_map(&file, path) != WFS_OK) fail("the plain file cannot be mapped");
	sum = walk_plain((const unsigned char *)file.data);
	wfs_unmap(&file);
	return sum;
}

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t (*const ways[])(const char *) = {plain, structs, slots, kinds};
	uint64_t want, begun;
	long round, rounds;
	size_t i;
	if (argc != 4) fail("usage: walk PACK PLAIN ROUNDS");
	rounds = strtol(argv[3], NULL, 10);
	want = plain(argv[2]);
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < sizeof ways / sizeof *ways; i++) {
			begun = now();
			if (ways[i](argv[i == 0 ? 2 : 1]) != want) fail("the ways have read different values");
			printf("%lu ", (unsigned long)(now() - begun));
		}
		printf("\n");
	}
	return 0;
}
