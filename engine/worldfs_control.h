/* worldfs_control.h - speaks the control socket of a world that is mounted, or that
 * worldfs keep or run has in step, as docs/control.md describes it: so a running game
 * shows findings on its display, takes in changes while it runs, and has edits taken
 * back.
 *
 *     #define WORLDFS_IMPLEMENTATION     // in one .c file
 *     #include "worldfs_control.h"
 *
 *     wfs_control c;
 *     char buffer[65536];
 *     wfs_answer answer;
 *     if (wfs_control_find(&c, "/home/ann/island") == WFS_CONTROL_OK &&
 *         wfs_control_call(&c, "status", "{}", buffer, sizeof buffer, &answer) == WFS_CONTROL_OK) {
 *         wfs_json_iter it = wfs_control_findings(answer.json);
 *         wfs_finding finding;
 *         while (wfs_control_finding(&it, &finding)) draw(&finding);
 *     }
 *
 *     wfs_watch watch;                                // in the game's loop
 *     wfs_watch_open(&watch, &c, NULL, buffer, sizeof buffer);
 *     while (wfs_watch_next(&watch, &line) == WFS_CONTROL_OK) reload(line);
 *
 * Nothing is allocated: answers lie in the caller's buffer, and the JSON in them
 * is read there. An answer that is too long for its buffer is WFS_CONTROL_LONG.
 * wfs_control_call waits for its answer, as long as timeout_ms; wfs_watch_next
 * never waits. It needs POSIX sockets, or those of Windows (link with ws2_32).
 */
#ifndef WORLDFS_CONTROL_H
#define WORLDFS_CONTROL_H

/* Under -std=c99 the C library hides what is POSIX's unless it is asked before
 * the first of its headers. */
#if defined(WORLDFS_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE) && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif

#include "worldfs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wfs_control_result {
	WFS_CONTROL_OK = 0,
	WFS_CONTROL_NONE,    /* the world is neither mounted nor kept in step, or its daemon is gone */
	WFS_CONTROL_REFUSED, /* the daemon did not do it: the answer says why */
	WFS_CONTROL_LONG,    /* the answer is longer than its buffer */
	WFS_CONTROL_BROKEN,  /* the answer is none, or the connection ended in it */
	WFS_CONTROL_TIMEOUT, /* there was no answer in time */
	WFS_CONTROL_WAIT     /* of a watch: there is nothing new */
} wfs_control_result;

/* wfs_control is where a world's daemon listens. */
typedef struct wfs_control {
	char socket[108]; /* its path: longer ones no socket has; "" where there is none */
	int timeout_ms;   /* of a call; 30,000 unless it is set */
	uint16_t port;    /* of the loopback interface, where there is no socket; else 0 */
	char token[128];  /* what a call shows there */
} wfs_control;

typedef struct wfs_answer {
	int status;    /* of HTTP: 200 if it was done */
	wfs_json json; /* in the buffer; null where the answer is empty, or words */
	wfs_text body; /* the same as bytes */
} wfs_answer;

/* wfs_control_find finds the daemon of the world in a directory, or the process that
 * keeps it in step where it is not mounted. The world may be covered by its mount if
 * the caller names the record itself: a path that ends in .json, as WORLDFS_CONTROL
 * has one for a game that worldfs run has started. */
wfs_control_result wfs_control_find(wfs_control *c, const char *world);

/* wfs_control_call makes a call of docs/control.md. The name may have options
 * behind it ("apply?policy=mine"). body is JSON, or what the call takes. */
wfs_control_result wfs_control_call(const wfs_control *c, const char *name, const char *body, char *buffer, size_t capacity, wfs_answer *answer);

/* wfs_finding is what is to be shown of a finding. Strings are JSON, to be decoded
 * by wfs_json_string; what it does not have is null. */
typedef struct wfs_finding {
	wfs_json code, severity, type, name, field, message, advice, mend;
	uint32_t id, other; /* entities; 0 for none */
	bool blocks_ship;
} wfs_finding;

/* The findings of an answer to status or check. */
wfs_json_iter wfs_control_findings(wfs_json answer);
bool wfs_control_finding(wfs_json_iter *it, wfs_finding *out);

/* wfs_watch is an open call of watch. */
typedef struct wfs_watch {
	int fd;
	bool chunked, head; /* head: the header of the answer has been read */
	char *buffer;
	size_t capacity;
	size_t at, end;   /* what has come and was not looked at yet */
	size_t text;      /* what of the body stands at the buffer's beginning */
	size_t passed;    /* the line that was returned last: it is dropped next */
	uint64_t chunk;   /* bytes of the chunk that are still to come */
	bool between;     /* the end of a chunk is still to come */
} wfs_watch;

/* wfs_watch_open begins to watch from a position, NULL for from now on. A line is
 * at most as long as the buffer, which stays in use until wfs_watch_close. */
wfs_control_result wfs_watch_open(wfs_watch *w, const wfs_control *c, const char *from, char *buffer, size_t capacity);

/* wfs_watch_next returns the next event (docs/watch.md), which is good until the
 * next call. WFS_CONTROL_WAIT: there is none yet. WFS_CONTROL_NONE: the world was
 * unmounted, or its daemon is gone. */
wfs_control_result wfs_watch_next(wfs_watch *w, wfs_json *event);
void wfs_watch_close(wfs_watch *w);

/* wfs_watch.fd may be polled for something to read. */

/* wfs_control_select has the tools beside the game know what is selected in it; count 0
 * selects no entity. The call is written into the buffer first: it takes 12 bytes an
 * entity and 32. The answer is a selection. */
wfs_control_result wfs_control_select(const wfs_control *c, const uint32_t *ids, size_t count, char *buffer, size_t capacity, wfs_answer *answer);

/* wfs_selections_open is wfs_watch_open for selections: wfs_watch_next returns what is
 * selected now, then each selection that the game or a tool makes. */
wfs_control_result wfs_selections_open(wfs_watch *w, const wfs_control *c, char *buffer, size_t capacity);

/* wfs_selected reads the entities of a selection, and returns how many it has, of which
 * the first that fit are in ids. */
size_t wfs_selected(wfs_json selection, uint32_t *ids, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif /* WORLDFS_CONTROL_H */

#if defined(WORLDFS_IMPLEMENTATION) && !defined(WORLDFS_CONTROL_IMPLEMENTED)
#define WORLDFS_CONTROL_IMPLEMENTED

#include <stdio.h>
#ifdef _WIN32
#include <winsock2.h>
#else
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#endif

/* ---- What systems call differently ---- */

#ifdef _WIN32

struct sockaddr_un {
	unsigned short sun_family;
	char sun_path[108];
};

typedef struct sockaddr wfs__sockaddr;
typedef int wfs__ssize;

/* A socket is a handle of the kernel's, which has 32 bits. */
#define WFS__SOCKET(fd) ((SOCKET)(unsigned)(fd))

static int wfs__socket(int family)
{
	WSADATA data;
	SOCKET s;
	if (WSAStartup(MAKEWORD(2, 2), &data) != 0) return -1; /* more than once is allowed */
	s = socket(family, SOCK_STREAM, 0);
	return s == INVALID_SOCKET ? -1 : (int)s;
}

static int wfs__connect_to(int fd, const void *address, size_t size) { return connect(WFS__SOCKET(fd), (const wfs__sockaddr *)address, (int)size); }
static wfs__ssize wfs__send_some(int fd, const char *data, size_t size) { return send(WFS__SOCKET(fd), data, size < 65536 ? (int)size : 65536, 0); }
static wfs__ssize wfs__receive_some(int fd, char *data, size_t size) { return recv(WFS__SOCKET(fd), data, size < 65536 ? (int)size : 65536, 0); }
static void wfs__close(int fd) { closesocket(WFS__SOCKET(fd)); }
static bool wfs__would_block(void) { return WSAGetLastError() == WSAEWOULDBLOCK; }
static bool wfs__interrupted(void) { return WSAGetLastError() == WSAEINTR; }
static bool wfs__reset(void) { return WSAGetLastError() == WSAECONNRESET; }
static int64_t wfs__now(void) { return (int64_t)GetTickCount64(); }

static bool wfs__does_not_block(int fd)
{
	u_long yes = 1;
	return ioctlsocket(WFS__SOCKET(fd), (long)FIONBIO, &yes) == 0;
}

static int wfs__poll(int fd, short what, int timeout_ms)
{
	WSAPOLLFD p;
	p.fd = WFS__SOCKET(fd);
	p.events = what;
	p.revents = 0;
	return WSAPoll(&p, 1, timeout_ms);
}

static size_t wfs__read_file(const char *path, char *buffer, size_t capacity)
{
	size_t n;
	bool ended;
	FILE *f = fopen(path, "rb");
	if (f == NULL) return 0;
	n = fread(buffer, 1, capacity, f);
	ended = n < capacity && !ferror(f);
	fclose(f);
	return ended ? n : 0; /* a longer file is none of ours */
}

#else

typedef ssize_t wfs__ssize;

#ifdef MSG_NOSIGNAL
#define WFS__NO_SIGNAL MSG_NOSIGNAL
#else
#define WFS__NO_SIGNAL 0
#endif

static int wfs__socket(int family) { return socket(family, SOCK_STREAM, 0); }
static int wfs__connect_to(int fd, const void *address, size_t size) { return connect(fd, (const struct sockaddr *)address, (socklen_t)size); }
static wfs__ssize wfs__send_some(int fd, const char *data, size_t size) { return send(fd, data, size, WFS__NO_SIGNAL); }
static wfs__ssize wfs__receive_some(int fd, char *data, size_t size) { return recv(fd, data, size, 0); }
static void wfs__close(int fd) { close(fd); }
static bool wfs__would_block(void) { return errno == EAGAIN || errno == EWOULDBLOCK; }
static bool wfs__interrupted(void) { return errno == EINTR; }
static bool wfs__reset(void) { return errno == ECONNRESET; }

static int64_t wfs__now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool wfs__does_not_block(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static int wfs__poll(int fd, short what, int timeout_ms)
{
	struct pollfd p;
	p.fd = fd;
	p.events = what;
	p.revents = 0;
	return poll(&p, 1, timeout_ms);
}

static size_t wfs__read_file(const char *path, char *buffer, size_t capacity)
{
	size_t n = 0;
	ssize_t got = 1;
	int fd = open(path, O_RDONLY);
	if (fd < 0) return 0;
	while (n < capacity && (got = read(fd, buffer + n, capacity - n)) > 0) n += (size_t)got;
	close(fd);
	return got == 0 ? n : 0; /* a longer file is none of ours */
}

#endif

/* ---- Finding the daemon ---- */

/* wfs__connect returns a socket that does not block, -1 if there is no daemon. */
static int wfs__connect(const wfs_control *c)
{
	struct sockaddr_un path;
	struct sockaddr_in loopback;
	int fd, failed;
	memset(&path, 0, sizeof path);
	memset(&loopback, 0, sizeof loopback);
	if (strlen(c->socket) >= sizeof path.sun_path) return -1;
	fd = wfs__socket(c->port != 0 ? AF_INET : AF_UNIX);
	if (fd < 0) return -1;
	if (c->port != 0) {
		loopback.sin_family = AF_INET;
		loopback.sin_port = htons(c->port);
		loopback.sin_addr.s_addr = htonl(0x7f000001);
		failed = wfs__connect_to(fd, &loopback, sizeof loopback);
	} else {
		path.sun_family = AF_UNIX;
		memcpy(path.sun_path, c->socket, strlen(c->socket));
		failed = wfs__connect_to(fd, &path, sizeof path);
	}
	if (failed != 0 || !wfs__does_not_block(fd)) {
		wfs__close(fd);
		return -1;
	}
	return fd;
}

/* wfs__loopback reads the address of a record: only this machine is called. */
static bool wfs__loopback(wfs_json record, wfs_control *c)
{
	static const char host[] = "127.0.0.1:";
	char address[32];
	wfs_json v;
	uint64_t port;
	size_t n;
	if (!wfs_json_get(record, "address", &v)) return false;
	n = wfs_json_string(v, address, sizeof address);
	if (n < sizeof host || n >= sizeof address || memcmp(address, host, sizeof host - 1) != 0) return false;
	if (!wfs__digits(address + sizeof host - 1, address + n, &port) || port == 0 || port > 65535) return false;
	if (!wfs_json_get(record, "token", &v)) return false;
	n = wfs_json_string(v, c->token, sizeof c->token);
	if (n == 0 || n >= sizeof c->token || strpbrk(c->token, " \r\n") != NULL) return false;
	c->port = (uint16_t)port;
	return true;
}

/* wfs__read_record reads where a daemon is. */
static bool wfs__read_record(wfs_control *c, const char *world, const char *name)
{
	char path[4096], record[8192];
	wfs_json v, socket;
	size_t length;
	int n = snprintf(path, sizeof path, "%s%s", world, name);
	memset(c, 0, sizeof *c);
	c->timeout_ms = 30000;
	if (n < 0 || (size_t)n >= sizeof path) return false;
	length = wfs__read_file(path, record, sizeof record);
	if (!wfs_json_parse(record, length, &v)) return false;
	if (!wfs_json_get(v, "socket", &socket)) return wfs__loopback(v, c);
	length = wfs_json_string(socket, c->socket, sizeof c->socket);
	return length > 0 && length < sizeof c->socket;
}

wfs_control_result wfs_control_find(wfs_control *c, const char *world)
{
	wfs_control keeper;
	size_t length = strlen(world);
	bool found;
	if (length > 5 && strcmp(world + length - 5, ".json") == 0) return wfs__read_record(c, world, "") ? WFS_CONTROL_OK : WFS_CONTROL_NONE;
	found = wfs__read_record(c, world, "/.worldfs/daemon.json");
	if (wfs__read_record(&keeper, world, "/.worldfs/keeper.json")) {
		int fd = found ? wfs__connect(c) : -1; /* a daemon that was killed leaves its record */
		if (fd >= 0) wfs__close(fd);
		else *c = keeper;
		found = true;
	}
	return found ? WFS_CONTROL_OK : WFS_CONTROL_NONE;
}

/* ---- Bytes ---- */

/* wfs__wait waits until the socket can be read or written. */
static bool wfs__wait(int fd, short what, int64_t until)
{
	for (;;) {
		int64_t left = until - wfs__now();
		int n = wfs__poll(fd, what, left > 0 ? (left < 60000 ? (int)left : 60000) : 0);
		if (n > 0) return true;
		if (n < 0 && !wfs__interrupted()) return false;
		if (n == 0 && left <= 0) return false;
	}
}

static bool wfs__send(int fd, const char *data, size_t size, int64_t until)
{
	while (size > 0) {
		wfs__ssize n = wfs__send_some(fd, data, size);
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		} else if (n < 0 && wfs__would_block()) {
			if (!wfs__wait(fd, POLLOUT, until)) return false;
		} else if (n == 0 || !wfs__interrupted()) {
			return false;
		}
	}
	return true;
}

/* wfs__request sends a call, and returns the socket, -1 if there is no daemon. */
static int wfs__request(const wfs_control *c, const char *name, const char *options, const char *body, size_t length, int64_t until)
{
	char head[512];
	int fd, n = snprintf(head, sizeof head, "POST /v1/%s%s HTTP/1.1\r\nHost: worldfs\r\nConnection: close\r\n%s%s%sContent-Length: %lu\r\n\r\n",
		name, options, c->port != 0 ? "Authorization: Bearer " : "", c->token, c->port != 0 ? "\r\n" : "", (unsigned long)length);
	if (n < 0 || (size_t)n >= sizeof head || strpbrk(name, " \r\n") != NULL || strpbrk(options, " \r\n") != NULL) return -1;
	fd = wfs__connect(c);
	if (fd >= 0 && !wfs__send(fd, head, (size_t)n, until)) {
		wfs__close(fd);
		return -1;
	}
	/* A daemon that refuses a call may have answered and hung up before it had the
	 * body: that answer is to be read. */
	if (fd >= 0) wfs__send(fd, body, length, until);
	return fd;
}

/* ---- HTTP ---- */

/* wfs__has_name reports whether a line of a header is of that name, in lower case
 * and with the colon. */
static bool wfs__has_name(const char *line, size_t length, const char *name)
{
	size_t n = strlen(name), i;
	for (i = 0; i < n && i < length; i++) {
		char c = line[i] >= 'A' && line[i] <= 'Z' ? (char)(line[i] - 'A' + 'a') : line[i];
		if (c != name[i]) return false;
	}
	return i == n;
}

/* wfs__head finds out whether the header of an answer has come whole, and what it
 * says: 0 not yet, -1 that it is none, else its length. *length is that of the
 * body, UINT64_MAX if it ends with the connection. */
static int64_t wfs__head(const char *text, size_t size, int *status, bool *chunked, uint64_t *length)
{
	static const char content_length[] = "content-length:";
	size_t i, line = 0;
	*chunked = false;
	*length = UINT64_MAX;
	for (i = 0; i + 3 < size; i++) {
		if (memcmp(text + i, "\r\n", 2) != 0) continue;
		if (wfs__has_name(text + line, i - line, "transfer-encoding:") && i - line >= 25 && memcmp(text + i - 7, "chunked", 7) == 0) *chunked = true;
		if (wfs__has_name(text + line, i - line, content_length)) {
			const char *digits = wfs__space(text + line + sizeof content_length - 1, text + i);
			if (!wfs__digits(digits, text + i, length)) return -1;
		}
		line = i + 2;
		if (memcmp(text + i, "\r\n\r\n", 4) != 0) continue;
		if (i < 12 || memcmp(text, "HTTP/1.", 7) != 0) return -1;
		*status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
		return (int64_t)i + 4;
	}
	return 0;
}

/* wfs__chunk_size reads the line before a chunk: how long that line is, 0 if it
 * has not come whole, -1 if it is none. */
static int64_t wfs__chunk_size(const char *text, size_t size, uint64_t *chunk)
{
	const char *end = size > 0 ? (const char *)memchr(text, '\n', size) : NULL;
	size_t i;
	*chunk = 0;
	if (end == NULL) return size > 32 ? -1 : 0;
	for (i = 0; i < size && wfs__hex(text[i]) >= 0; i++) {
		if (i == 15) return -1;
		*chunk = *chunk * 16 + (uint64_t)wfs__hex(text[i]);
	}
	return i == 0 ? -1 : end - text + 1;
}

/* wfs__unchunk takes the chunks of a whole body apart in place, and returns how
 * long the body is, -1 if it is cut off. */
static int64_t wfs__unchunk(char *text, size_t size)
{
	size_t at = 0, out = 0;
	for (;;) {
		uint64_t chunk;
		int64_t n = wfs__chunk_size(text + at, size - at, &chunk);
		if (n <= 0) return -1;
		at += (size_t)n;
		if (chunk == 0) return (int64_t)out;
		if (chunk > size - at || size - at - (size_t)chunk < 2) return -1;
		memmove(text + out, text + at, (size_t)chunk);
		out += (size_t)chunk;
		at += (size_t)chunk + 2;
	}
}

/* wfs__receive reads an answer to its end. */
static wfs_control_result wfs__receive(int fd, char *buffer, size_t capacity, size_t *size, int64_t until)
{
	*size = 0;
	for (;;) {
		wfs__ssize n;
		if (*size == capacity) return WFS_CONTROL_LONG;
		n = wfs__receive_some(fd, buffer + *size, capacity - *size);
		if (n > 0) *size += (size_t)n;
		else if (n == 0 || (wfs__reset() && *size > 0)) return WFS_CONTROL_OK; /* whether it is whole, its header says */
		else if (wfs__would_block()) {
			if (!wfs__wait(fd, POLLIN, until)) return WFS_CONTROL_TIMEOUT;
		} else if (!wfs__interrupted()) return WFS_CONTROL_BROKEN;
	}
}

/* wfs__answer reads what has come as an answer. */
static wfs_control_result wfs__answer(char *buffer, size_t size, wfs_answer *answer)
{
	bool chunked;
	uint64_t said;
	int64_t head = wfs__head(buffer, size, &answer->status, &chunked, &said), length;
	if (head <= 0) return WFS_CONTROL_BROKEN;
	length = (int64_t)size - head;
	if (!chunked && said != UINT64_MAX && said != (uint64_t)length) return WFS_CONTROL_BROKEN;
	if (chunked) length = wfs__unchunk(buffer + head, (size_t)length);
	if (length < 0) return WFS_CONTROL_BROKEN;
	answer->body.bytes = buffer + head;
	answer->body.length = (size_t)length;
	wfs_json_parse(answer->body.bytes, answer->body.length, &answer->json);
	return answer->status == 200 ? WFS_CONTROL_OK : WFS_CONTROL_REFUSED;
}

wfs_control_result wfs_control_call(const wfs_control *c, const char *name, const char *body, char *buffer, size_t capacity, wfs_answer *answer)
{
	int64_t until = wfs__now() + c->timeout_ms;
	wfs_control_result r;
	size_t size;
	int fd = wfs__request(c, name, "", body, strlen(body), until);
	memset(answer, 0, sizeof *answer);
	answer->body.bytes = "";
	wfs_json_parse("", 0, &answer->json);
	if (fd < 0) return WFS_CONTROL_NONE;
	r = wfs__receive(fd, buffer, capacity, &size, until);
	wfs__close(fd);
	return r == WFS_CONTROL_OK ? wfs__answer(buffer, size, answer) : r;
}

/* ---- Findings ---- */

wfs_json_iter wfs_control_findings(wfs_json answer)
{
	wfs_json list;
	if (!wfs_json_get(answer, "findings", &list)) list = answer;
	return wfs_json_each(list);
}

static wfs_json wfs__get(wfs_json object, const char *name)
{
	wfs_json v;
	if (!wfs_json_get(object, name, &v)) wfs_json_parse("", 0, &v);
	return v;
}

static uint32_t wfs__get_id(wfs_json object, const char *name)
{
	uint64_t id;
	return wfs_json_u64(wfs__get(object, name), &id) && id <= UINT32_MAX ? (uint32_t)id : 0;
}

bool wfs_control_finding(wfs_json_iter *it, wfs_finding *out)
{
	wfs_json v;
	if (it->object || !wfs_json_next(it, NULL, &v)) return false;
	out->code = wfs__get(v, "code");
	out->severity = wfs__get(v, "severity");
	out->type = wfs__get(v, "type");
	out->name = wfs__get(v, "name");
	out->field = wfs__get(v, "field");
	out->message = wfs__get(v, "message");
	out->advice = wfs__get(v, "advice");
	out->mend = wfs__get(v, "mend");
	out->id = wfs__get_id(v, "id");
	out->other = wfs__get_id(v, "other");
	out->blocks_ship = wfs_json_true(wfs__get(v, "blocks_ship"));
	return true;
}

/* ---- Watching ---- */

static wfs_control_result wfs__stream_open(wfs_watch *w, const wfs_control *c, const char *name, const char *options, char *buffer, size_t capacity)
{
	memset(w, 0, sizeof *w);
	w->buffer = buffer;
	w->capacity = capacity;
	w->fd = wfs__request(c, name, options, "{}", 2, wfs__now() + c->timeout_ms);
	return w->fd < 0 ? WFS_CONTROL_NONE : WFS_CONTROL_OK;
}

wfs_control_result wfs_watch_open(wfs_watch *w, const wfs_control *c, const char *from, char *buffer, size_t capacity)
{
	char options[64] = "";
	memset(w, 0, sizeof *w);
	w->fd = -1;
	if (from != NULL && (size_t)snprintf(options, sizeof options, "?from=%s", from) >= sizeof options) return WFS_CONTROL_REFUSED;
	return wfs__stream_open(w, c, "watch", options, buffer, capacity);
}

void wfs_watch_close(wfs_watch *w)
{
	if (w->fd >= 0) wfs__close(w->fd);
	w->fd = -1;
}

/* wfs__watch_head reads the answer's header once it has come. */
static wfs_control_result wfs__watch_head(wfs_watch *w)
{
	int status = 0;
	uint64_t length;
	int64_t n = wfs__head(w->buffer, w->end, &status, &w->chunked, &length);
	if (n == 0) return WFS_CONTROL_WAIT;
	if (n < 0) return WFS_CONTROL_BROKEN;
	if (status != 200) return WFS_CONTROL_REFUSED;
	w->at = (size_t)n;
	w->head = true;
	return WFS_CONTROL_OK;
}

/* wfs__watch_bytes moves what has come of the body behind what stands at the
 * buffer's beginning. */
static wfs_control_result wfs__watch_bytes(wfs_watch *w)
{
	while (w->at < w->end) {
		size_t n = w->end - w->at;
		if (w->chunked && w->chunk == 0) {
			size_t skip = w->between ? 2 : 0; /* the end of the chunk before */
			int64_t line = n > skip ? wfs__chunk_size(w->buffer + w->at + skip, n - skip, &w->chunk) : 0;
			if (line == 0) return WFS_CONTROL_OK;
			if (line < 0) return WFS_CONTROL_BROKEN;
			if (w->chunk == 0) return WFS_CONTROL_NONE; /* the last one */
			w->at += skip + (size_t)line;
			w->between = true;
			continue;
		}
		if (w->chunked && n > w->chunk) n = (size_t)w->chunk;
		memmove(w->buffer + w->text, w->buffer + w->at, n);
		w->text += n;
		w->at += n;
		w->chunk -= w->chunked ? n : 0;
	}
	return WFS_CONTROL_OK;
}

/* wfs__watch_line returns the first line at the buffer's beginning. */
static bool wfs__watch_line(wfs_watch *w, wfs_json *event)
{
	char *end;
	while (w->text > 0 && (end = (char *)memchr(w->buffer, '\n', w->text)) != NULL) {
		w->passed = (size_t)(end - w->buffer) + 1;
		if (wfs_json_parse(w->buffer, w->passed, event)) return true;
		memmove(w->buffer, w->buffer + w->passed, w->text - w->passed); /* not an event: an empty line */
		w->text -= w->passed;
		w->passed = 0;
	}
	return false;
}

wfs_control_result wfs_watch_next(wfs_watch *w, wfs_json *event)
{
	for (;;) {
		wfs_control_result r;
		wfs__ssize n;
		if (w->fd < 0) return WFS_CONTROL_NONE;
		memmove(w->buffer, w->buffer + w->passed, w->text - w->passed);
		w->text -= w->passed;
		w->passed = 0;
		if (w->head && wfs__watch_line(w, event)) return WFS_CONTROL_OK;
		/* What was not looked at yet goes behind the text, and what comes behind that. */
		memmove(w->buffer + w->text, w->buffer + w->at, w->end - w->at);
		w->end = w->text + (w->end - w->at);
		w->at = w->text;
		if (w->end == w->capacity) return WFS_CONTROL_LONG;
		n = wfs__receive_some(w->fd, w->buffer + w->end, w->capacity - w->end);
		if (n == 0) return WFS_CONTROL_NONE;
		if (n < 0) return wfs__would_block() || wfs__interrupted() ? WFS_CONTROL_WAIT : WFS_CONTROL_NONE;
		w->end += (size_t)n;
		if (!w->head) {
			r = wfs__watch_head(w);
			if (r == WFS_CONTROL_WAIT) continue;
			if (r != WFS_CONTROL_OK) return r;
		}
		r = wfs__watch_bytes(w);
		if (r != WFS_CONTROL_OK && !wfs__watch_line(w, event)) return r;
		if (r != WFS_CONTROL_OK) return WFS_CONTROL_OK;
	}
}

/* ---- Selecting ---- */

wfs_control_result wfs_control_select(const wfs_control *c, const uint32_t *ids, size_t count, char *buffer, size_t capacity, wfs_answer *answer)
{
	size_t at, i;
	memset(answer, 0, sizeof *answer);
	if (capacity < 32 || count > (capacity - 32) / 12) return WFS_CONTROL_LONG;
	at = (size_t)snprintf(buffer, capacity, "{\"by\":\"game\",\"ids\":[");
	for (i = 0; i < count; i++) at += (size_t)snprintf(buffer + at, capacity - at, "%s%lu", i > 0 ? "," : "", (unsigned long)ids[i]);
	snprintf(buffer + at, capacity - at, "]}");
	return wfs_control_call(c, "select", buffer, buffer, capacity, answer);
}

wfs_control_result wfs_selections_open(wfs_watch *w, const wfs_control *c, char *buffer, size_t capacity)
{
	return wfs__stream_open(w, c, "selections", "", buffer, capacity);
}

size_t wfs_selected(wfs_json selection, uint32_t *ids, size_t capacity)
{
	wfs_json_iter it = wfs_json_each(wfs__get(selection, "entities"));
	wfs_json entity;
	size_t n = 0;
	while (!it.object && wfs_json_next(&it, NULL, &entity)) {
		if (n < capacity) ids[n] = wfs__get_id(entity, "id");
		n++;
	}
	return n;
}

#endif /* WORLDFS_IMPLEMENTATION */
