/* control.h - calls the daemon of a mounted world.
 *
 *     tool control WORLD call NAME BODY     prints the status and the answer
 *     tool control WORLD findings           prints a line for each finding
 *     tool control WORLD watch FROM N       prints N events, waiting for each
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

static int print_events(const wfs_control *c, const char *from, long n, char *buffer, size_t capacity)
{
	wfs_watch w;
	wfs_json event;
	wfs_control_result r = wfs_watch_open(&w, c, strcmp(from, "now") == 0 ? NULL : from, buffer, capacity);
	while (r == WFS_CONTROL_OK && n > 0) {
		r = wfs_watch_next(&w, &event);
		if (r == WFS_CONTROL_WAIT && wfs__wait(w.fd, POLLIN, wfs__now() + 30000)) r = WFS_CONTROL_OK;
		else if (r == WFS_CONTROL_OK) {
			printf("%.*s\n", (int)event.length, event.text);
			fflush(stdout);
			n--;
		}
	}
	wfs_watch_close(&w);
	return n == 0 ? 0 : (int)r;
}

static inline int control_main(int argc, char **argv)
{
	static char buffer[1 << 20];
	wfs_control c;
	wfs_answer answer;
	wfs_control_result r;
	size_t capacity = getenv("WFS_CAPACITY") != NULL ? (size_t)strtoul(getenv("WFS_CAPACITY"), NULL, 10) : sizeof buffer;
	if (argc < 3) {
		fprintf(stderr, "usage: tool control WORLD call NAME BODY | findings | watch FROM N\n");
		return 10;
	}
	r = wfs_control_find(&c, argv[1]);
	if (r != WFS_CONTROL_OK) return (int)r;
	if (strcmp(argv[2], "findings") == 0) return print_findings(&c, buffer, capacity);
	if (strcmp(argv[2], "watch") == 0 && argc == 5) return print_events(&c, argv[3], atol(argv[4]), buffer, capacity);
	if (argc != 5) return 10;
	r = wfs_control_call(&c, argv[3], argv[4], buffer, capacity, &answer);
	printf("%d %.*s\n", answer.status, (int)answer.body.length, answer.body.bytes);
	return (int)r;
}

#endif
