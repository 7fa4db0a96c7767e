/* control.h - calls the daemon of a mounted world.
 *
 *     tool control WORLD call NAME BODY     prints the status and the answer
 *     tool control WORLD findings           prints a line for each finding
 *     tool control WORLD watch FROM N       prints N events, waiting for each
 *     tool control WORLD select ID...       selects entities
 *     tool control WORLD selections N       prints what is selected, and N-1 selections after that
 */
#ifndef WFS_CONTROL_TOOL_H
#define WFS_CONTROL_TOOL_H

#include <stdio.h>
#include <stdlib.h>

#include "../worldfs_control.h"

static void print_json(wfs_json v)
{
	char text[512];
	size_t n = wfs_json_string(v, text, sizeof text);
	printf(" [%.*s]", (int)(n < sizeof text ? n : sizeof text - 1), text);
}

static int print_findings(const wfs_control *c, char *buffer, size_t capacity)
{
	wfs_answer answer;
	wfs_finding f;
	wfs_json_iter it;
	wfs_control_result r = wfs_control_call(c, "status", "{}", buffer, capacity, &answer);
	if (r != WFS_CONTROL_OK) return (int)r;
	it = wfs_control_findings(answer.json);
	while (wfs_control_finding(&it, &f)) {
		printf("%lu %lu %d", (unsigned long)f.id, (unsigned long)f.other, f.blocks_ship);
		print_json(f.code);
		print_json(f.severity);
		print_json(f.field);
		putchar('\n');
	}
	return 0;
}

static void print_selection(wfs_json selection)
{
	uint32_t ids[8];
	size_t n = wfs_selected(selection, ids, 8), i;
	printf("%lu", (unsigned long)n);
	for (i = 0; i < n && i < 8; i++) printf(" %lu", (unsigned long)ids[i]);
	putchar('\n');
	fflush(stdout);
}

static int select_entities(const wfs_control *c, int argc, char **argv, char *buffer, size_t capacity)
{
	uint32_t ids[64];
	int i;
	wfs_answer answer;
	wfs_control_result r;
	for (i = 0; i < argc && i < 64; i++) ids[i] = (uint32_t)strtoul(argv[i], NULL, 10);
	r = wfs_control_select(c, ids, (size_t)i, buffer, capacity, &answer);
	if (r == WFS_CONTROL_OK) print_selection(answer.json);
	else if (r == WFS_CONTROL_REFUSED) printf("%.*s\n", (int)answer.body.length, answer.body.bytes);
	return (int)r;
}

/* print_stream prints n lines of an open call, each with print. */
static int print_stream(wfs_watch *w, wfs_control_result r, long n, void (*print)(wfs_json))
{
	wfs_json line;
	while (r == WFS_CONTROL_OK && n > 0) {
		r = wfs_watch_next(w, &line);
		if (r == WFS_CONTROL_WAIT && wfs__wait(w->fd, POLLIN, wfs__now() + 30000)) r = WFS_CONTROL_OK;
		else if (r == WFS_CONTROL_OK) {
			print(line);
			n--;
		}
	}
	wfs_watch_close(w);
	return n == 0 ? 0 : (int)r;
}

static void print_event(wfs_json event)
{
	printf("%.*s\n", (int)event.length, event.text);
	fflush(stdout);
}
static inline int control_main(int argc, char **argv)
{
	static char buffer[1 << 20];
	wfs_control c;
	wfs_watch w;
	wfs_answer answer;
	wfs_control_result r;
	size_t capacity = getenv("WFS_CAPACITY") != NULL ? (size_t)strtoul(getenv("WFS_CAPACITY"), NULL, 10) : sizeof buffer;
	if (argc < 3) {
		fprintf(stderr, "usage: tool control WORLD call NAME BODY | findings | watch FROM N | select ID... | selections N\n");
		return 10;
	}
	r = wfs_control_find(&c, argv[1]);
	if (r != WFS_CONTROL_OK) return (int)r;
	if (strcmp(argv[2], "findings") == 0) return print_findings(&c, buffer, capacity);
	if (strcmp(argv[2], "select") == 0) return select_entities(&c, argc - 3, argv + 3, buffer, capacity);
	if (strcmp(argv[2], "selections") == 0 && argc == 4) {
		r = wfs_selections_open(&w, &c, buffer, capacity);
		return print_stream(&w, r, atol(argv[3]), print_selection);
	}
	if (strcmp(argv[2], "watch") == 0 && argc == 5) {
		r = wfs_watch_open(&w, &c, strcmp(argv[3], "now") == 0 ? NULL : argv[3], buffer, capacity);
		return print_stream(&w, r, atol(argv[4]), print_event);
	}
	if (argc != 5) return 10;
	r = wfs_control_call(&c, argv[3], argv[4], buffer, capacity, &answer);
	printf("%d %.*s\n", answer.status, (int)answer.body.length, answer.body.bytes);
	return (int)r;
}

#endif
