package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// readAll reads every file as a program does that goes through a directory.
func readAll(p *place) error {
	buf := make([]byte, 64<<10)
	return eachFile(p.entities(), func(path string, _ fs.DirEntry) error {
		_, err := readFile(path, buf)
		return err
	})
}

// readPaths reads files and returns how many bytes they have.
func readPaths(paths []string) (size uint64, err error) {
	buf := make([]byte, 64<<10)
	for _, path := range paths {
		n, err := readFile(path, buf)
		if err != nil {
			return 0, err
		}
		size += uint64(n)
	}
	return size, nil
}

// readFile reads a file to its end with the system calls that most programs make,
// which does not ask for its attributes. os.Open would make two more, by which it
// learns whether it can wait for the file: a file in FUSE says that it can be
// waited for, one of ext4 does not.
func readFile(path string, buf []byte) (size int, err error) {
	f, err := again(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return 0, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(f)
	for {
		n, err := again(func() (int, error) { return unix.Read(f, buf) })
		if err != nil {
			return size, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n == 0 {
			return size, nil
		}
		size += n
	}
}

// again makes a system call for as long as it is interrupted.
func again(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// statAll asks for every file's attributes.
func statAll(p *place) error {
	return eachFile(p.entities(), func(path string, _ fs.DirEntry) error {
		var st unix.Stat_t
		return unix.Lstat(path, &st)
	})
}

// statOnly is statAll for a plain directory without listing it first: the cost
// of the stat calls alone, of names that are known, on as many threads as
// there are.
func statOnly(paths []string, workers int) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			var st unix.Stat_t
			for i := next.Add(1) - 1; int(i) < len(paths); i = next.Add(1) - 1 {
				if errs[w] = unix.Lstat(paths[i], &st); errs[w] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// eachFile calls do for every file below dir.
func eachFile(dir string, do func(path string, d fs.DirEntry) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return do(path, d)
	})
}

// readingRows are the rows of the table that only read.
func readingRows(n int) []row {
	remount := func(p *place) error { return p.remount() }
	fresh := func(p *place) error {
		if err := p.remount(); err != nil {
			return err
		}
		return p.warmed()
	}
	in := func(name string, args ...string) func(*place) error {
		return func(p *place) error { return command(p.entities(), name, args...) }
	}
	return []row{
		{what: "read every file, again", goal: 1.3, files: n, do: readAll},
		{what: "read every file, warmed, first time", goal: 1.6, files: n, prepare: fresh, do: readAll},
		{what: "read every file, cold, mount included", goal: 4, files: n, prepare: unmounted, do: mountAndRead},
		{what: "readdir and lstat every file, again", goal: 1.2, files: n, prepare: statAll, do: statAll},
		{what: "readdir and lstat every file, first time", goal: 3.5, files: n, prepare: remount, do: statAll},
		{what: "find -newermt, again", goal: 1.3, files: n, do: in("find", ".", "-newermt", "2099-01-01")},
		{what: "grep -r, again", goal: 1.3, files: n, do: in("sh", "-c", "grep -r no-such-word . || [ $? = 1 ]")},
		{what: "rg, again", goal: 1.3, files: n, do: in("sh", "-c", "rg -uuu no-such-word . || [ $? = 1 ]")},
	}
}

func unmounted(p *place) error {
	if p.unmount == nil {
		return nil
	}
	return p.unmount()
}

func mountAndRead(p *place) error {
	if p.mount != nil {
		if err := p.mount(); err != nil {
			return err
		}
	}
	return readAll(p)
}
