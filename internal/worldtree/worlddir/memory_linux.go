package worlddir

import "golang.org/x/sys/unix"

// totalMemory returns how many bytes of memory the machine has.
func totalMemory() (uint64, error) {
	var info unix.Sysinfo_t
	err := unix.Sysinfo(&info)
	return uint64(info.Totalram) * uint64(info.Unit), err
}
