/* tool - what the tests of the headers run.
 *
 *     tool dump PACK       prints a pack with every value exact
 *     tool edit ...        changes a pack: see edit.h
 *     tool damage PACK     reads damaged copies: see damage.h
 *     tool unit OUT        tests that are written in C: see unit.h
 *     tool control ...     calls a daemon: see control.h
 */
#define _POSIX_C_SOURCE 200809L
#define WORLDFS_IMPLEMENTATION
#include "control.h"
#include "damage.h"
#include "dump.h"
#include "edit.h"
#include "unit.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} tools[] = {{"dump", dump_main}, {"edit", edit_main}, {"damage", damage_main}, {"unit", unit_main}, {"control", control_main}};
	size_t i;
	for (i = 0; argc > 1 && i < sizeof tools / sizeof *tools; i++) {
		if (strcmp(argv[1], tools[i].name) == 0) return tools[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "usage: tool dump|edit|damage|unit|control ...\n");
	return 2;
}
