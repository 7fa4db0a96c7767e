/* Fuzzes the reader: the bytes as they are, and with checksums that hold. */
#define _POSIX_C_SOURCE 200809L
#define WORLDFS_IMPLEMENTATION
#include "../tools/damage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const unsigned char *data, size_t size, FILE *sink)
{
	wfs_pack pack;
	if (wfs_check(&pack, data, size) == WFS_OK && pack.memory < (size_t)64 << 20) use(data, size, sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *sink = fopen("/dev/null", "w");
	unsigned char *copy = (unsigned char *)malloc(size == 0 ? 1 : size);
	if (sink == NULL || copy == NULL) abort();
	if (size > 0) memcpy(copy, data, size);
	read_all(copy, size, sink);
	seal(copy, size);
	read_all(copy, size, sink);
	free(copy);
	fclose(sink);
	return 0;
}
