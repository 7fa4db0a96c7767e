package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// measureBulk times pack and unpack of everything, and says whether cores or
// the disk were the limit: how many cores they kept busy, and how long the disk
// had something to do.
func (j *job) measureBulk(sizes []int) error {
	j.report.section("All of a world at once")
	r := &j.report.out
	fmt.Fprintln(r, "| entities | what | time | cores kept busy | of which in the kernel | the disk busy | the disk alone |")
	fmt.Fprintln(r, "|---|---|---|---|---|---|---|")
	for _, size := range sizes {
		if size > whole {
			continue // a directory of a million files measures the directory
		}
		if err := j.bulkOf(size); err != nil {
			return fmt.Errorf("%d entities: %w", size, err)
		}
	}
	fmt.Fprint(r, `
- The disk alone: the same number of bytes in as many files, on one thread: written and
  synced for unpack, read for pack.
- The disk busy: the part of the time in which it had a request of any process.
`)
	return nil
}

func (j *job) bulkOf(size int) error {
	root := filepath.Join(j.dir, fmt.Sprintf("bulk-%d", size))
	defer os.RemoveAll(root)
	if err := command(".", j.binary, "demo", "--entities", fmt.Sprint(size), root); err != nil {
		return err
	}
	unpack, err := usage(root, j.binary, "-C", root, "unpack")
	if err != nil {
		return err
	}
	entities := filepath.Join(root, "entities")
	written, err := copyFiles(entities, filepath.Join(root, "copy"))
	if err != nil {
		return err
	}
	if err := forgetPack(root); err != nil {
		return err
	}
	pack, err := usage(root, j.binary, "-C", root, "pack")
	if err != nil {
		return err
	}
	begin := time.Now()
	paths, err := listFiles(entities)
	if err != nil {
		return err
	}
	if _, err := readPaths(paths); err != nil {
		return err
	}
	unpack.row(&j.report, size, "unpack", written)
	pack.row(&j.report, size, "pack, all new", time.Since(begin))
	return nil
}

// used is what a command took.
type used struct {
	wall, user, system time.Duration
	disk               time.Duration // how long the disk was busy; negative where that is not known
}

// usage runs a command that works on files in dir.
func usage(dir, name string, args ...string) (used, error) {
	cmd := exec.Command(name, args...)
	busy, err := diskBusy(dir)
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return used{}, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	u := used{time.Since(begin), cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime(), -1}
	if after, errAfter := diskBusy(dir); err == nil && errAfter == nil {
		u.disk = after - busy
	}
	return u, nil
}

// diskBusy returns how long the disk that dir lies on has had a request since the
// machine was started.
func diskBusy(dir string) (time.Duration, error) {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return 0, err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat))
	if len(fields) < 10 {
		return 0, fmt.Errorf("%s: %d fields", dir, len(fields))
	}
	ms, err := strconv.Atoi(fields[9])
	return time.Duration(ms) * time.Millisecond, err
}

func (u used) row(r *report, size int, what string, disk time.Duration) {
	busy := u.user + u.system
	diskPart := "not known"
	if u.disk >= 0 {
		diskPart = fmt.Sprintf("%.0f %%", 100*u.disk.Seconds()/u.wall.Seconds())
	}
	fmt.Fprintf(&r.out, "| %s | %s | %s | %.2f | %.0f %% | %s | %s |\n", humanize.Comma(int64(size)), what, duration(u.wall),
		busy.Seconds()/u.wall.Seconds(), 100*u.system.Seconds()/busy.Seconds(), diskPart, duration(disk))
}

// copyFiles writes every file of one directory into another and waits until all
// of it is on the disk.
func copyFiles(from, to string) (time.Duration, error) {
	paths, err := listFiles(from)
	if err != nil {
		return 0, err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return 0, err
	}
	var took time.Duration
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), text, 0o644); err != nil {
			return 0, err
		}
		took += time.Since(begin)
	}
	begin := time.Now()
	err = command(to, "sync", "-f", ".")
	return took + time.Since(begin), err
}
