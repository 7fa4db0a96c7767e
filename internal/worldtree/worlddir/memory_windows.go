package worlddir

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// totalMemory returns how many bytes of memory the machine has.
func totalMemory() (uint64, error) {
	var status struct { // MEMORYSTATUSEX of <sysinfoapi.h>
		length, load uint32
		total        uint64
		_            [6]uint64
	}
	status.length = uint32(unsafe.Sizeof(status))
	if ok, _, err := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0, err
	}
	return status.total, nil
}
