/* unit.h - tests of what the other programs do not come to: JSON, hashes, and what
 * the writer refuses. It prints what does not hold, and exits with 1 then.
 *
 *     tool unit OUT       also writes a pack that has every kind
 */
#ifndef WFS_UNIT_H
#define WFS_UNIT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../worldfs_write.h"

static int failures;

#define HOLDS(condition) \
	do { \
		if (!(condition)) { \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			failures++; \
		} \
	} while (0)

/* ---- JSON ---- */

/* json parses a copy of the text that ends where the text does, so that a
 * sanitizer sees a read beyond it. */
static bool json(const char *text)
{
	size_t n = strlen(text);
	char *copy = (char *)malloc(n + 1);
	wfs_json v;
	bool good;
	if (copy == NULL) abort();
	memcpy(copy + 1, text, n);
	good = wfs_json_parse(copy + 1, n, &v);
	free(copy);
	return good;
}

static void json_is_json(void)
{
	static const char *const good[] = {"0", "-0", "-1.5e+3", "1E2", "\"\"", "\"\\u00e9\\ud83d\\ude00\\n\"", "[]", " [ 1 , [ ] , { } ] ",
		"{\"a\":{\"b\":[true,false,null]},\"\":0}", "\"\xc3\xa9\"", "[[[[1]],2],{\"a\":[{}]}]"};
	static const char *const bad[] = {"", " ", "01", "-", "1.", ".5", "1e", "+1", "nul", "truee", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud83d\"", "\"\\ude00\"",
		"\"\\ud83d\\u0041\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\x01\"", "[", "]", "[1", "[1,]", "[,1]", "[1 2]", "{", "{1:2}", "{\"a\"}", "{\"a\":}",
		"{\"a\":1,}", "{\"a\":1 \"b\":2}", "[1}", "{\"a\":1]", "1 2", "\"a\" b", "NaN"};
	char deep[2 * WFS_JSON_DEPTH + 3];
	size_t i;
	for (i = 0; i < sizeof good / sizeof *good; i++) {
		if (!json(good[i])) printf("refused: %s\n", good[i]), failures++;
	}
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (json(bad[i])) printf("not refused: %s\n", bad[i]), failures++;
	}
	/* An empty array in as many as there may be, and in one more. */
	memset(deep, '[', WFS_JSON_DEPTH + 1);
	memset(deep + WFS_JSON_DEPTH + 1, ']', WFS_JSON_DEPTH + 1);
	deep[2 * WFS_JSON_DEPTH + 2] = 0;
	HOLDS(json(deep));
	memset(deep + WFS_JSON_DEPTH, '[', 1);
	deep[WFS_JSON_DEPTH + 1] = '1';
	HOLDS(!json(deep));
}

static wfs_json parsed(const char *text)
{
	wfs_json v;
	HOLDS(wfs_json_parse(text, strlen(text), &v));
	return v;
}

static void json_gives_values(void)
{
	wfs_json o = parsed("{\"a\\u0062c\":\"x\\ty\",\"n\":-12,\"big\":\"18446744073709551615\",\"list\":[1,2,3],\"f\":1.5e2,\"t\":true,\"min\":-9223372036854775808}"), v, key;
	wfs_json_iter it;
	char text[8];
	uint64_t u;
	int64_t i;
	double d;
	int n = 0;
	HOLDS(wfs_json_get(o, "abc", &v) && wfs_json_string(v, text, sizeof text) == 3 && strcmp(text, "x\ty") == 0);
	HOLDS(wfs_json_string(v, text, 3) == 3 && memcmp(text, "x\ty", 3) == 0);
	HOLDS(wfs_json_string(v, text, 2) == 3 && memcmp(text, "x\t", 2) == 0);
	HOLDS(wfs_json_string(v, NULL, 0) == 3);
	HOLDS(wfs_json_is(v, "x\ty") && !wfs_json_is(v, "x\t") && !wfs_json_is(v, "x\tyz"));
	HOLDS(!wfs_json_get(o, "ab", &v));
	HOLDS(wfs_json_is(parsed("\"a\\u0062\xc3\xa9/\\/\""), "ab\xc3\xa9//") && !wfs_json_is(parsed("\"\""), "a") && wfs_json_is(parsed("\"\""), ""));
	HOLDS(wfs_json_get(o, "n", &v) && wfs_json_i64(v, &i) && i == -12 && !wfs_json_u64(v, &u));
	HOLDS(wfs_json_get(o, "big", &v) && wfs_json_u64(v, &u) && u == UINT64_MAX && !wfs_json_i64(v, &i));
	HOLDS(wfs_json_get(o, "min", &v) && wfs_json_i64(v, &i) && i == INT64_MIN);
	HOLDS(wfs_json_get(o, "f", &v) && wfs_json_double(v, &d) && d >= 150 && d <= 150 && !wfs_json_u64(v, &u));
	HOLDS(wfs_json_get(o, "t", &v) && wfs_json_true(v) && !wfs_json_double(v, &d));
	HOLDS(wfs_json_get(o, "list", &v));
	for (it = wfs_json_each(v); wfs_json_next(&it, NULL, &key);) n++;
	HOLDS(n == 3);
	it = wfs_json_each(parsed("7"));
	HOLDS(!wfs_json_next(&it, NULL, &v));
}

static void json_reads_doubles(void)
{
	static const char *const texts[] = {"0", "-0.0", "46.10353", "1e308", "5e-324", "123456789012345678901234567890", "0.000000000000000000000000000001", "1e-400", "1e400",
		"2.2250738585072014e-308", "-17e307", "1e999999999999", "0e999999999999"};
	size_t i;
	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		double want = strtod(texts[i], NULL), got = -1;
		HOLDS(wfs_json_double(parsed(texts[i]), &got));
		if (!(got <= want) && !(got >= want)) printf("%s is NaN\n", texts[i]), failures++;
		if (isfinite(want) && !(fabs(got - want) <= fabs(want) * 1e-15 + 5e-324)) printf("%s: %.17g is not %.17g\n", texts[i], got, want), failures++;
	}
}

/* ---- Writing ---- */

static const unsigned char world[16] = {0xa0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static const char types[] =
	"{\"name\":\"All\",\"revision\":2,\"fields\":[{\"name\":\"b\",\"kind\":\"bool\"},{\"name\":\"i8\",\"kind\":\"i8\"},{\"name\":\"i16\",\"kind\":\"i16\"},"
	"{\"name\":\"i32\",\"kind\":\"i32\"},{\"name\":\"i64\",\"kind\":\"i64\"},{\"name\":\"u8\",\"kind\":\"u8\"},{\"name\":\"u16\",\"kind\":\"u16\"},{\"name\":\"u32\",\"kind\":\"u32\"},"
	"{\"name\":\"u64\",\"kind\":\"u64\"},{\"name\":\"f32\",\"kind\":\"f32\"},{\"name\":\"f64\",\"kind\":\"f64\"},{\"name\":\"v3\",\"kind\":\"vec3\"},{\"name\":\"q\",\"kind\":\"quat\"},"
	"{\"name\":\"m\",\"kind\":\"mat3x4\"},{\"name\":\"s\",\"kind\":\"string\"},{\"name\":\"blob\",\"kind\":\"blob\"},{\"name\":\"g\",\"kind\":\"guid\"},"
	"{\"name\":\"e\",\"kind\":\"enum\",\"values\":[\"off\",\"on\"]},{\"name\":\"flags\",\"kind\":\"flags\",\"values\":{\"a\":0,\"z\":40}},{\"name\":\"ref\",\"kind\":\"ref\"},"
	"{\"name\":\"refs\",\"kind\":\"set\",\"of\":\"ref\"},{\"name\":\"names\",\"kind\":\"set\",\"of\":\"string\"},{\"name\":\"doubles\",\"kind\":\"set\",\"of\":\"f64\"},"
	"{\"name\":\"st\",\"kind\":\"struct\",\"fields\":[{\"name\":\"n\",\"kind\":\"u16\"},{\"name\":\"turn\",\"kind\":\"quat\"}],\"optional\":true},"
	"{\"name\":\"list\",\"kind\":\"array\",\"of\":{\"kind\":\"struct\",\"fields\":[{\"name\":\"k\",\"kind\":\"i64\"},{\"name\":\"t\",\"kind\":\"string\",\"optional\":true}]}},"
	"{\"name\":\"late\",\"kind\":\"u8\",\"since\":2}]}\n"
	"{\"name\":\"Z\",\"revision\":1}\n";

static void begin(wfs_writer *w)
{
	HOLDS(wfs_writer_begin(w, world, types, sizeof types - 1, NULL, NULL) == WFS_OK);
}

static void put_everything(wfs_writer *w)
{
	static const float v3[] = {1, -0.0f, 3.5f};
	wfs_place at, item;
	wfs_text blob, lines;
	blob.bytes = "\xff\0z";
	blob.length = 3;
	wfs_put(w, 70, "Z", 1);
	wfs_put(w, 7, "All", 2);
	wfs_put_uint(w, wfs_put_field(w, "b"), 1);
	wfs_put_int(w, wfs_put_field(w, "i8"), -128);
	wfs_put_int(w, wfs_put_field(w, "i16"), -32768);
	wfs_put_int(w, wfs_put_field(w, "i32"), INT32_MIN);
	wfs_put_int(w, wfs_put_field(w, "i64"), INT64_MIN);
	wfs_put_uint(w, wfs_put_field(w, "u8"), 255);
	wfs_put_uint(w, wfs_put_field(w, "u16"), 65535);
	wfs_put_uint(w, wfs_put_field(w, "u32"), UINT32_MAX);
	wfs_put_uint(w, wfs_put_field(w, "u64"), UINT64_MAX);
	wfs_put_float(w, wfs_put_field(w, "f32"), 1.5f);
	wfs_put_double(w, wfs_put_field(w, "f64"), -2.5);
	wfs_put_floats(w, wfs_put_field(w, "v3"), v3, 3);
	wfs_put_string(w, wfs_put_field(w, "s"), "first");
	wfs_put_string(w, wfs_put_field(w, "s"), "bunker door \xc3\xa9");
	wfs_put_text(w, wfs_put_field(w, "blob"), blob);
	wfs_put_guid(w, wfs_put_field(w, "g"), world);
	wfs_put_int(w, wfs_put_field(w, "e"), 1);
	wfs_put_uint(w, wfs_put_field(w, "flags"), (uint64_t)1 << 40 | 1);
	wfs_put_uint(w, wfs_put_field(w, "ref"), 70);
	item = wfs_put_list(w, wfs_put_field(w, "refs"), 4);
	wfs_put_uint(w, item, 9);
	wfs_put_uint(w, item = wfs_put_next(item), 7);
	wfs_put_uint(w, item = wfs_put_next(item), 9);
	wfs_put_uint(w, wfs_put_next(item), 8);
	item = wfs_put_list(w, wfs_put_field(w, "names"), 3);
	wfs_put_string(w, item, "b");
	wfs_put_string(w, item = wfs_put_next(item), "aa");
	wfs_put_string(w, wfs_put_next(item), "a");
	item = wfs_put_list(w, wfs_put_field(w, "doubles"), 3);
	wfs_put_double(w, item, 1);
	wfs_put_double(w, item = wfs_put_next(item), -0.0);
	wfs_put_double(w, wfs_put_next(item), -3);
	at = wfs_put_field(w, "st");
	wfs_put_uint(w, wfs_put_member(w, at, "n"), 12);
	item = wfs_put_list(w, wfs_put_field(w, "list"), 2);
	wfs_put_int(w, wfs_put_member(w, item, "k"), -1);
	wfs_put_string(w, wfs_put_member(w, item, "t"), "one");
	wfs_put_int(w, wfs_put_member(w, wfs_put_next(item), "k"), 2);
	lines.bytes = "    0.500000 : 3f000000";
	lines.length = strlen(lines.bytes);
	blob.bytes = "glow";
	blob.length = 4;
	wfs_put_raw(w, blob, lines);
}

static void a_pack_is_written(const char *path)
{
	wfs_writer w;
	unsigned char *first;
	size_t size;
	begin(&w);
	put_everything(&w);
	HOLDS(wfs_writer_finish(&w) == WFS_OK);
	size = w.size;
	first = (unsigned char *)malloc(size + 1);
	if (first == NULL) abort();
	memcpy(first, w.data, size);
	HOLDS(wfs_writer_finish(&w) == WFS_OK && w.size == size && memcmp(w.data, first, size) == 0); /* again, the same */
	HOLDS(wfs_save(path, w.data, w.size) == WFS_OK);
	HOLDS(wfs_save(path, w.data, w.size) == WFS_OK); /* over itself */
	HOLDS(wfs_save("/nowhere/at/all", w.data, w.size) == WFS_IO);
	free(first);
	wfs_writer_free(&w);
}

static void an_empty_pack_is_written(void)
{
	wfs_writer w;
	HOLDS(wfs_writer_begin(&w, world, NULL, 0, NULL, NULL) == WFS_OK);
	HOLDS(wfs_writer_finish(&w) == WFS_OK);
	wfs_writer_free(&w);
}

/* refused finds out that what was put is refused, and that the writer says so at
 * the end. */
static void refused(wfs_writer *w, bool put, const char *what)
{
	if (put || wfs_writer_finish(w) == WFS_OK || w->problem.what[0] == 0) printf("not refused: %s\n", what), failures++;
	wfs_writer_free(w);
}

static wfs_place in_all(wfs_writer *w, const char *field)
{
	begin(w);
	HOLDS(wfs_put(w, 1, "All", 2));
	return wfs_put_field(w, field);
}

static void what_does_not_fit_is_refused(void)
{
	static const float v[] = {1, 2, 3, 4};
	wfs_writer w;
	wfs_place at;
	wfs_text bad;
	bad.bytes = "\xff";
	bad.length = 1;
	begin(&w), refused(&w, wfs_put(&w, 0, "All", 2), "ID 0");
	begin(&w), refused(&w, wfs_put(&w, 1, "Nothing", 2), "an unknown type");
	begin(&w), refused(&w, wfs_put_uint(&w, wfs_put_field(&w, "b"), 1), "a field before any entity");
	begin(&w), refused(&w, wfs_put_raw(&w, bad, bad), "a raw field before any entity");
	begin(&w), wfs_put(&w, 1, "Z", 1), wfs_put(&w, 1, "All", 2), refused(&w, false, "an ID twice");
	begin(&w), wfs_put(&w, 1, "All", 1), refused(&w, wfs_put_uint(&w, wfs_put_field(&w, "late"), 1), "a field of a later revision");
	at = in_all(&w, "nothing"), refused(&w, wfs_put_uint(&w, at, 1), "an unknown field");
	at = in_all(&w, "b"), refused(&w, wfs_put_uint(&w, at, 2), "a bool of 2");
	at = in_all(&w, "u8"), refused(&w, wfs_put_uint(&w, at, 256), "256 in u8");
	at = in_all(&w, "u8"), refused(&w, wfs_put_int(&w, at, 1), "a signed number in u8");
	at = in_all(&w, "i8"), refused(&w, wfs_put_int(&w, at, 128), "128 in i8");
	at = in_all(&w, "i8"), refused(&w, wfs_put_int(&w, at, -129), "-129 in i8");
	at = in_all(&w, "v3"), refused(&w, wfs_put_floats(&w, at, v, 4), "4 floats in vec3");
	at = in_all(&w, "s"), refused(&w, wfs_put_floats(&w, at, v, 0), "no floats in string");
	at = in_all(&w, "f32"), refused(&w, wfs_put_double(&w, at, 1), "a double in f32");
	at = in_all(&w, "s"), refused(&w, wfs_put_text(&w, at, bad), "a string that is not UTF-8");
	at = in_all(&w, "u8"), refused(&w, wfs_put_text(&w, at, bad), "a text in u8");
	at = in_all(&w, "u8"), refused(&w, wfs_put_guid(&w, at, world), "a guid in u8");
	at = in_all(&w, "u8"), refused(&w, wfs_put_absent(&w, at), "an absent u8");
	at = in_all(&w, "u8"), refused(&w, wfs_put_uint(&w, wfs_put_list(&w, at, 1), 1), "a list in u8");
	at = in_all(&w, "st"), refused(&w, wfs_put_uint(&w, wfs_put_member(&w, at, "x"), 1), "an unknown member");
	at = in_all(&w, "u8"), refused(&w, wfs_put_uint(&w, wfs_put_member(&w, at, "x"), 1), "a member of u8");
	HOLDS(wfs_writer_begin(&w, world, "{}\n", 3, NULL, NULL) == WFS_CORRUPT);
	wfs_writer_free(&w);
	HOLDS(wfs_writer_begin(&w, world, "{\"name\":\"B\"}\n{\"name\":\"A\"}\n", 26, NULL, NULL) == WFS_CORRUPT);
	wfs_writer_free(&w);
	HOLDS(wfs_writer_begin(&w, world, "{\"name\":\"B\"}", 12, NULL, NULL) == WFS_CORRUPT);
	wfs_writer_free(&w);
}

/* ration is memory that ends after so many calls. */
static void *ration(void *user, void *memory, size_t size)
{
	int *left = (int *)user;
	if (size == 0) {
		free(memory);
		return NULL;
	}
	return (*left)-- > 0 ? realloc(memory, size) : NULL;
}

static void memory_may_end_at_any_moment(void)
{
	int n;
	for (n = 0; n < 1000; n++) {
		wfs_writer w;
		wfs_result r;
		int left = n;
		wfs_writer_begin(&w, world, types, sizeof types - 1, ration, &left);
		if (w.result == WFS_OK) put_everything(&w);
		r = w.result == WFS_OK ? wfs_writer_finish(&w) : w.result;
		wfs_writer_free(&w);
		if (r == WFS_OK) return;
		HOLDS(r == WFS_MEMORY);
	}
	HOLDS(n < 1000); /* it must be enough some time */
}

/* Memory that is too small, or not aligned. */
static void reading_takes_the_memory_that_it_says(void)
{
	wfs_writer w;
	wfs_pack pack;
	size_t less, shift;
	begin(&w);
	put_everything(&w);
	HOLDS(wfs_writer_finish(&w) == WFS_OK);
	HOLDS(wfs_check(&pack, w.data, w.size) == WFS_OK);
	HOLDS(wfs_open(&pack, NULL, 0) == WFS_MEMORY);
	for (shift = 0; shift < 16; shift++) {
		for (less = 0; less < 64; less += 16) {
			unsigned char *block = (unsigned char *)malloc(pack.memory + shift - less);
			wfs_entity e;
			if (block == NULL) abort();
			HOLDS(wfs_open(&pack, block + shift, pack.memory - less) == (less == 0 ? WFS_OK : WFS_MEMORY));
			if (less == 0) HOLDS(wfs_find(&pack, 7, &e) && wfs_int(wfs_field(&e, "i8")) == -128 && !wfs_find(&pack, 8, &e));
			free(block);
		}
	}
	wfs_writer_free(&w);
}

static void hashes_are_right(void)
{
	static const unsigned char abc[32] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
		0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
	unsigned char hash[32];
	wfs__crc crc;
	wfs_hash("abc", 3, hash);
	HOLDS(memcmp(hash, abc, 32) == 0);
	wfs__crc_begin(&crc);
	HOLDS((wfs__crc_add(&crc, 0xFFFFFFFFu, (const unsigned char *)"123456789", 9) ^ 0xFFFFFFFFu) == 0xE3069283u);
	wfs__crc_tables(&crc);
	HOLDS((wfs__crc_add(&crc, 0xFFFFFFFFu, (const unsigned char *)"123456789", 9) ^ 0xFFFFFFFFu) == 0xE3069283u);
}

/* Where there is no instruction the tables stand in for it, and one goes on with what the
 * other has begun. */
static void checksums_are_the_same_by_tables(void)
{
	unsigned char bytes[67];
	wfs__crc begun, tables;
	size_t from, n;
	wfs__crc_begin(&begun);
	wfs__crc_tables(&tables);
	for (n = 0; n < sizeof bytes; n++) bytes[n] = (unsigned char)(n * 37 + 11);
	for (from = 0; from < 8; from++) {
		for (n = 0; n <= sizeof bytes - from; n++) {
			uint32_t half = wfs__crc_add(&tables, 0xFFFFFFFFu, bytes + from, n / 2);
			HOLDS(wfs__crc_add(&begun, half, bytes + from + n / 2, n - n / 2) == wfs__crc_add(&tables, 0xFFFFFFFFu, bytes + from, n));
		}
	}
}

static inline int unit_main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: tool unit OUT\n");
		return 2;
	}
	json_is_json();
	json_gives_values();
	json_reads_doubles();
	hashes_are_right();
	checksums_are_the_same_by_tables();
	a_pack_is_written(argv[1]);
	an_empty_pack_is_written();
	what_does_not_fit_is_refused();
	memory_may_end_at_any_moment();
	reading_takes_the_memory_that_it_says();
	return failures == 0 ? 0 : 1;
}

#endif
