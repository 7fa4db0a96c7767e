package worlddir

import "golang.org/x/sys/unix"

// totalMemory returns how many bytes of memory the machine has.
func totalMemory() (uint64, error) { return unix.SysctlUint64("hw.memsize") }
