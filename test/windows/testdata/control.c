/* Asks of the world in the directory that it is called with, as a game does: how many
 * entities it has, what is selected after it has selected one, and what happens next. */
#define WORLDFS_IMPLEMENTATION
#include "worldfs_control.h"

static char buffer[1 << 20];

int main(int argc, char **argv)
{
	static const uint32_t lamp = 6005;
	wfs_control c;
	wfs_answer a;
	wfs_watch watch;
	wfs_json event, v;
	wfs_control_result r;
	uint64_t entities, id;
	bool said = false;
	if (argc != 2 || wfs_control_find(&c, argv[1]) != WFS_CONTROL_OK) return 10;
	if (wfs_control_call(&c, "status", "{}", buffer, sizeof buffer, &a) != WFS_CONTROL_OK) return 11;
	if (!wfs_json_get(a.json, "entities", &v) || !wfs_json_u64(v, &entities)) return 12;
	printf("entities %u\n", (unsigned)entities);
	if (wfs_control_select(&c, &lamp, 1, buffer, sizeof buffer, &a) != WFS_CONTROL_OK) return 13;
	printf("selected %.*s\n", (int)a.body.length, a.body.bytes);
	if (wfs_watch_open(&watch, &c, NULL, buffer, sizeof buffer) != WFS_CONTROL_OK) return 14;
	while ((r = wfs_watch_next(&watch, &event)) == WFS_CONTROL_WAIT) {
		if (watch.head && !said) {
			said = true;
			printf("watching\n");
			fflush(stdout);
		}
		wfs__wait(watch.fd, POLLIN, wfs__now() + 1000);
	}
	if (r != WFS_CONTROL_OK || !wfs_json_get(event, "id", &v) || !wfs_json_u64(v, &id)) return 15;
	printf("event of %u\n", (unsigned)id);
	wfs_watch_close(&watch);
	c.token[0] = c.token[0] == 'X' ? 'Y' : 'X';
	if (wfs_control_call(&c, "status", "{}", buffer, sizeof buffer, &a) != WFS_CONTROL_REFUSED || a.status != 401) return 16;
	return 0;
}
