package mounts

import "golang.org/x/sys/windows"

// Lives reports whether a process runs.
func Lives(pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return err == windows.ERROR_ACCESS_DENIED // it is another user's
	}
	defer windows.CloseHandle(process)
	var code uint32
	const stillActive = 259
	return windows.GetExitCodeProcess(process, &code) == nil && code == stillActive
}
