/* Fuzzes what reads a daemon's answers: JSON, HTTP, and the lines of a watch in
 * buffers of any size, as they come in pieces. */
#define WORLDFS_IMPLEMENTATION
#include "../worldfs_control.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(wfs_json v, int depth)
{
	wfs_json_iter it = wfs_json_each(v);
	wfs_json key, value;
	char text[16];
	uint64_t u;
	int64_t i;
	double d;
	wfs_json_string(v, text, sizeof text);
	wfs_json_u64(v, &u);
	wfs_json_i64(v, &i);
	wfs_json_double(v, &d);
	while (depth < 8 && wfs_json_next(&it, &key, &value)) walk(value, depth + 1);
}

static char *copied(const uint8_t *data, size_t size)
{
	char *copy = (char *)malloc(size == 0 ? 1 : size);
	if (copy == NULL) abort();
	if (size > 0) memcpy(copy, data, size);
	return copy;
}

static void answer(const uint8_t *data, size_t size)
{
	char *copy = copied(data, size);
	wfs_answer a;
	wfs_finding finding;
	wfs_json v;
	wfs_json_iter it;
	if (wfs_json_parse(copy, size, &v)) walk(v, 0);
	memset(&a, 0, sizeof a);
	if (wfs__answer(copy, size, &a) == WFS_CONTROL_OK) {
		walk(a.json, 0);
		it = wfs_control_findings(a.json);
		while (wfs_control_finding(&it, &finding)) walk(finding.message, 0);
	}
	free(copy);
}

/* watch reads the bytes as the answer to a call of watch: in two pieces. */
static void watch(const uint8_t *data, size_t size, size_t capacity, size_t cut)
{
	char *buffer = copied(data, 0);
	wfs_control_result r = WFS_CONTROL_WAIT;
	wfs_watch w;
	wfs_json event;
	int pair[2], piece;
	if (size > 60000 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) abort();
	free(buffer);
	buffer = (char *)malloc(capacity);
	if (buffer == NULL || fcntl(pair[0], F_SETFL, O_NONBLOCK) != 0) abort();
	memset(&w, 0, sizeof w);
	w.fd = pair[0];
	w.buffer = buffer;
	w.capacity = capacity;
	for (piece = 0; piece < 2; piece++) {
		const uint8_t *from = piece == 0 ? data : data + cut;
		size_t n = piece == 0 ? cut : size - cut;
		if (n > 0 && send(pair[1], from, n, 0) != (ssize_t)n) abort();
		if (piece == 1) close(pair[1]);
		do {
			r = wfs_watch_next(&w, &event);
			if (r == WFS_CONTROL_OK) walk(event, 0);
		} while (r == WFS_CONTROL_OK);
		if (r != WFS_CONTROL_WAIT) break;
	}
	if (r == WFS_CONTROL_WAIT) abort(); /* the other end is closed */
	if (piece == 0) close(pair[1]);
	wfs_watch_close(&w);
	free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2 || size > 60000) return 0;
	answer(data + 2, size - 2);
	watch(data + 2, size - 2, 1 + (size_t)data[0] * 4, (size - 2) * data[1] / 255);
	return 0;
}
