package fileattr

import (
	"io/fs"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// coarseNow is the one clock: files are stamped by no coarser one here.
func coarseNow() time.Time { return time.Now() }

// Lstat returns what the system says of the file at a path; a symlink is not followed. The
// permissions are what package os makes of the attribute that a file is only read.
func Lstat(path string) (st Stat, err error) {
	file, err := openFile(path, windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return st, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	defer windows.CloseHandle(file)
	var by windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(file, &by); err != nil {
		return st, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	st.Ino = uint64(by.FileIndexHigh)<<32 | uint64(by.FileIndexLow)
	st.Size = int64(by.FileSizeHigh)<<32 | int64(by.FileSizeLow)
	st.Mtime, st.Atime = timespec(by.LastWriteTime.Nanoseconds()), timespec(by.LastAccessTime.Nanoseconds())
	st.Ctime = changeTime(file, st.Mtime)
	st.Perm = 0o666
	if by.FileAttributes&windows.FILE_ATTRIBUTE_READONLY != 0 {
		st.Perm = 0o444
	}
	const other = windows.FILE_ATTRIBUTE_DIRECTORY | windows.FILE_ATTRIBUTE_REPARSE_POINT | windows.FILE_ATTRIBUTE_DEVICE
	st.Plain = by.FileAttributes&other == 0
	return st, nil
}

// changeTime returns when anything of a file was changed last, which programs cannot set
// as they can the time of its bytes: that one's where the file system keeps no other.
func changeTime(file windows.Handle, mtime Timespec) Timespec {
	var basic struct {
		creation, access, write, change windows.Filetime
		attributes, _                   uint32
	}
	err := windows.GetFileInformationByHandleEx(file, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic)))
	if err != nil || basic.change == (windows.Filetime{}) {
		return mtime
	}
	return timespec(basic.change.Nanoseconds())
}

// SetMtime sets a file's mtime. A symlink is not followed.
func SetMtime(path string, t time.Time) error {
	file, err := openFile(path, windows.FILE_WRITE_ATTRIBUTES)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(file)
	mtime := windows.NsecToFiletime(t.UnixNano())
	return windows.SetFileTime(file, nil, nil, &mtime)
}

// openFile opens what is at a path, of any kind, beside whatever else has it open.
func openFile(path string, access uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return windows.InvalidHandle, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	return windows.CreateFile(name, access, share, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
}
