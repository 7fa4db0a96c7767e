/* dump - prints a pack with every value exact.
 *
 *     dump PACK      exit status 1 if the pack is wrong
 */
#define WORLDFS_IMPLEMENTATION
#include "dump.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	wfs_file file;
	wfs_pack pack;
	wfs_problem problem;
	wfs_result r;
	void *memory;
	if (argc != 2) {
		fprintf(stderr, "usage: dump PACK\n");
		return 2;
	}
	r = wfs_map(&file, argv[1]);
	if (r != WFS_OK) {
		fprintf(stderr, "dump: %s: %s\n", argv[1], wfs_result_text(r));
		return 3;
	}
	r = wfs_check(&pack, file.data, file.size);
	problem = pack.problem;
	memory = r == WFS_OK ? malloc(pack.memory) : NULL;
	if (r == WFS_OK) {
		r = wfs_open(&pack, memory, pack.memory);
		problem = pack.problem;
	}
	if (r == WFS_OK) r = wfs_verify(&pack, &problem);
	if (r == WFS_OK) dump_pack(stdout, &pack);
	else fprintf(stderr, "dump: %s: %s: offset %lu: %s\n", argv[1], wfs_result_text(r), (unsigned long)problem.offset, problem.what);
	free(memory);
	wfs_unmap(&file);
	return r == WFS_OK ? 0 : 1;
}
