/* damage.h - reads damaged copies of a pack, and says of each what became of it.
 *
 *     tool damage PACK < CASES
 *
 * A line of CASES is what is done to one copy: "cut N", "xor OFFSET BYTE", and
 * "seal", which makes the checksums right again. For each it prints "refused", or
 * "read" and the hash of all that it has. */
#ifndef WFS_DAMAGE_H
#define WFS_DAMAGE_H

#include <stdio.h>
#include <stdlib.h>

#include "dump.h"
#include "../worldfs_write.h"

/* seal makes the checksums of what still looks like a pack right. */
static void seal(unsigned char *data, size_t size)
{
	wfs__crc crc;
	size_t sections, i;
	if (size < WFS__HEADER) return;
	sections = wfs_load32(data + 12);
	if (sections > 64 || size < WFS__HEADER + 24 * sections) return;
	wfs__crc_begin(&crc);
	for (i = 0; i < sections; i++) {
		unsigned char *entry = data + WFS__HEADER + 24 * i;
		uint64_t offset = wfs_load64(entry + 8), length = wfs_load64(entry + 16);
		if (offset > size || length > size - offset) continue;
		wfs__store32(entry + 4, wfs__crc_add(&crc, 0xFFFFFFFFu, data + offset, (size_t)length) ^ 0xFFFFFFFFu);
	}
	wfs__store32(data + 76, 0);
	wfs__store32(data + 76, wfs__crc_add(&crc, 0xFFFFFFFFu, data, WFS__HEADER + 24 * sections) ^ 0xFFFFFFFFu);
}

/* use reads all of a pack, verified or not, as far as that goes. */
static wfs_result use(const unsigned char *data, size_t size, FILE *out)
{
	wfs_pack pack;
	wfs_problem problem;
	void *memory;
	wfs_result r = wfs_check(&pack, data, size);
	if (r != WFS_OK) return r;
	memory = malloc(pack.memory);
	r = memory == NULL ? WFS_MEMORY : wfs_open(&pack, memory, pack.memory);
	if (r == WFS_OK) {
		r = wfs_verify(&pack, &problem);
		/* What is not good is read as well, but where lists are shared: that may be without bounds. */
		if (r == WFS_OK || strstr(problem.what, "share") == NULL) dump_pack(out, &pack);
	}
	free(memory);
	return r;
}

static void damage_one(const wfs_file *file, char *line)
{
	size_t size = file->size, n, shown = 0;
	unsigned char *copy = (unsigned char *)malloc(size + 1), *exact, hash[32];
	char *word, *text = NULL;
	wfs_result r;
	FILE *out;
	if (copy == NULL) abort();
	memcpy(copy, file->data, size);
	for (word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n")) {
		if (strcmp(word, "seal") == 0) {
			seal(copy, size);
			continue;
		}
		n = (size_t)strtoull(strtok(NULL, " \n"), NULL, 10);
		if (strcmp(word, "cut") == 0) size = n;
		else copy[n] = (unsigned char)(copy[n] ^ strtoul(strtok(NULL, " \n"), NULL, 10));
	}
	exact = (unsigned char *)malloc(size == 0 ? 1 : size); /* a read beyond it is seen */
	out = open_memstream(&text, &shown);
	if (exact == NULL || out == NULL) abort();
	memcpy(exact, copy, size);
	r = use(exact, size, out);
	fclose(out);
	if (r == WFS_OK) {
		wfs__sha sha;
		wfs__sha_begin(&sha);
		wfs__sha_add(&sha, (const unsigned char *)text, shown);
		wfs__sha_end(&sha, hash);
		printf("read ");
		for (n = 0; n < 32; n++) printf("%02x", hash[n]);
		putchar('\n');
	} else {
		printf("refused %s\n", wfs_result_text(r));
	}
	free(text);
	free(exact);
	free(copy);
}

static inline int damage_main(int argc, char **argv)
{
	char line[4096];
	wfs_file file;
	if (argc != 2 || wfs_map(&file, argv[1]) != WFS_OK) {
		fprintf(stderr, "usage: tool damage PACK < CASES\n");
		return 2;
	}
	while (fgets(line, sizeof line, stdin) != NULL) damage_one(&file, line);
	wfs_unmap(&file);
	return 0;
}

#endif
