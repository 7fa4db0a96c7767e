/* The implementation of worldfs.h, in a file of its own as in an engine. */
#define _POSIX_C_SOURCE 200809L
#define WORLDFS_IMPLEMENTATION
#include "worldfs.h"
