package fuseconn

import (
	"encoding/binary"
	"sync/atomic"
)

// What the kernel asks for (linux/fuse.h: fuse_opcode), as far as it matters here.
const (
	opFsync       = 20
	opFsyncDir    = 30
	opBatchForget = 42
)

// kinds has the names under which requests are counted, by opcode. Those without one
// are not counted.
var kinds = [...]string{
	1:             "lookup",
	2:             "forget",
	3:             "getattr",
	4:             "setattr",
	5:             "readlink",
	6:             "symlink",
	8:             "mknod",
	9:             "mkdir",
	10:            "unlink",
	11:            "rmdir",
	12:            "rename",
	13:            "link",
	14:            "open",
	15:            "read",
	16:            "write",
	17:            "statfs",
	18:            "release",
	opFsync:       "fsync",
	21:            "setxattr",
	22:            "getxattr",
	23:            "listxattr",
	24:            "removexattr",
	25:            "flush",
	27:            "opendir",
	28:            "readdir",
	29:            "releasedir",
	opFsyncDir:    "fsyncdir",
	35:            "create",
	opBatchForget: "forget", // several in one request
	43:            "fallocate",
	44:            "readdirplus",
	45:            "rename",
	46:            "lseek",
}

// counts is how many requests there were, by opcode. Each is a round trip between two
// processes: their number says more about speed than a clock does.
type counts [len(kinds)]atomic.Uint64

// add counts a request.
func (c *counts) add(in []byte) {
	op := Opcode(in)
	if op >= uint32(len(c)) {
		return
	}
	n := uint64(1)
	if op == opBatchForget && len(in) >= inHeaderSize+4 {
		n = uint64(binary.NativeEndian.Uint32(in[inHeaderSize:])) // fuse_batch_forget_in
	}
	c[op].Add(n)
}

// Counts returns how often the kernel has asked for what: "lookup", "read" and so on.
// Kinds that it never asked for are left out.
func (s *Server) Counts() map[string]uint64 {
	out := make(map[string]uint64)
	for op := range s.counts {
		if n := s.counts[op].Load(); n > 0 && kinds[op] != "" {
			out[kinds[op]] += n
		}
	}
	return out
}

// ResetCounts begins to count anew.
func (s *Server) ResetCounts() {
	for op := range s.counts {
		s.counts[op].Store(0)
	}
}
