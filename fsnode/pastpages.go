package fsnode

import (
	"fmt"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// pastPages is how a new file is opened for who only writes to it: what is written
// goes past the pages that the kernel remembers.
//
// That spares one question in each new file. Before the kernel writes to a page it
// asks whether the file has capabilities, which it would have to lose; of what goes
// past the pages it tells us instead (FUSE_WRITE_KILL_SUIDGID). Whoever reads the
// file then asks as often as he would anyway, since of a page that was not written
// in full the kernel does not know the rest.
//
// Whoever reads or maps what he writes goes through pages, and finds there what he
// has written.
func pastPages() uint32 {
	var u unix.Utsname
	if unix.Uname(&u) != nil || !forgetsAfterWriting(unix.ByteSliceToString(u.Release[:])) {
		return 0
	}
	return fuse.FOPEN_DIRECT_IO
}

// forgetsAfterWriting tells whether a kernel forgets, after such a write, the pages
// that somebody has read meanwhile. Before Linux 6.18.3 it kept them as they were.
func forgetsAfterWriting(release string) bool {
	var major, minor, patch int
	_, _ = fmt.Sscanf(release, "%d.%d.%d", &major, &minor, &patch) // what is not there is 0
	switch {
	case major != 6:
		return major > 6
	case minor != 18:
		return minor > 18
	}
	return patch >= 3
}
