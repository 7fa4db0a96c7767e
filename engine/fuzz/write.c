/* Fuzzes the writer: the bytes say what is put, in which order. What was accepted
 * must make a pack that reads. */
#define _POSIX_C_SOURCE 200809L
#define WORLDFS_IMPLEMENTATION
#include "../tools/dump.h"
#include "../tools/unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
	const uint8_t *at, *end;
} input;

static uint32_t next(input *in) { return in->at < in->end ? *in->at++ : 0; }

static uint64_t wide(input *in)
{
	uint64_t v = 0;
	uint32_t n = next(in) % 9;
	for (; n > 0; n--) v = v << 8 | next(in);
	return v;
}

static void put_any(wfs_writer *w, input *in, wfs_place at, int depth)
{
	static const char *const members[] = {"n", "turn", "k", "t", "nothing"};
	float floats[16];
	wfs_text text;
	wfs_place item;
	uint32_t i, n;
	switch (next(in) % 12) {
	case 0: wfs_put_absent(w, at); return;
	case 1: wfs_put_uint(w, at, wide(in)); return;
	case 2: wfs_put_int(w, at, (int64_t)wide(in)); return;
	case 3: wfs_put_double(w, at, (double)wide(in)); return;
	case 4:
		n = next(in) % 17;
		for (i = 0; i < n; i++) {
			uint32_t bits = (uint32_t)(wide(in) & UINT32_MAX);
			memcpy(&floats[i], &bits, sizeof bits);
		}
		wfs_put_floats(w, at, floats, n);
		return;
	case 5: case 6:
		text.length = next(in) % 16;
		if (text.length > (size_t)(in->end - in->at)) text.length = (size_t)(in->end - in->at);
		text.bytes = (const char *)in->at;
		in->at += text.length;
		wfs_put_text(w, at, text);
		return;
	case 7:
		if (in->end - in->at >= 16) wfs_put_guid(w, at, in->at);
		return;
	case 8: case 9:
		n = next(in) % 6;
		item = wfs_put_list(w, at, n);
		for (i = 0; i < n && depth < 4; i++, item = wfs_put_next(item)) put_any(w, in, item, depth + 1);
		return;
	case 10: put_any(w, in, wfs_put_member(w, at, members[next(in) % 5]), depth + 1); return;
	default: wfs_put_present(w, at); return;
	}
}

/* put_fields puts what the bytes say into the entity. A field that does not suit is
 * passed over mostly: the writer keeps the first that went wrong. */
static void put_fields(wfs_writer *w, input *in)
{
	static const char *const fields[] = {"b", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "v3", "q", "m", "s", "blob", "g", "e", "flags",
		"ref", "refs", "names", "doubles", "st", "list", "late", "nothing"};
	uint32_t n = next(in) % 8;
	wfs_text name;
	for (; n > 0; n--) put_any(w, in, wfs_put_field(w, fields[next(in) % 27]), 0);
	if (next(in) % 4 == 0) {
		name.bytes = "raw";
		name.length = next(in) % 4;
		wfs_put_raw(w, name, name);
	}
}

static void copy_all(wfs_writer *w, wfs_writer *from)
{
	wfs_pack pack;
	wfs_entity e;
	uint32_t i;
	void *memory;
	if (wfs_check(&pack, from->data, from->size) != WFS_OK) abort();
	memory = malloc(pack.memory);
	if (memory == NULL || wfs_open(&pack, memory, pack.memory) != WFS_OK) abort();
	for (i = 0; wfs_at(&pack, i, &e); i++) wfs_put_copy(w, &e);
	free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wfs_writer w, again;
	input in;
	uint32_t n;
	in.at = data;
	in.end = data + size;
	begin(&w);
	for (n = 0; in.at < in.end && n < 64; n++) {
		if (!wfs_put(&w, next(&in) + 1, next(&in) % 8 == 0 ? "Z" : "All", next(&in) % 3)) break;
		put_fields(&w, &in);
	}
	if (w.result == WFS_OK && wfs_writer_finish(&w) != WFS_OK && strcmp(w.problem.what, "an entity was put twice") != 0) abort();
	if (w.result == WFS_OK) {
		begin(&again);
		copy_all(&again, &w);
		if (wfs_writer_finish(&again) != WFS_OK) abort();
		wfs_writer_free(&again);
	}
	wfs_writer_free(&w);
	return 0;
}
