package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
)

// measureBulk times pack and unpack of everything, and says whether cores or
// the disk were the limit: how many cores they kept busy.
func (j *job) measureBulk(sizes []int) error {
	j.report.section("All of a world at once")
	r := &j.report.out
	fmt.Fprintln(r, "| entities | what | time | cores kept busy | of which in the kernel | the disk alone |")
	fmt.Fprintln(r, "|---|---|---|---|---|---|")
	for _, size := range sizes {
		if size > whole {
			continue // a directory of a million files measures the directory
		}
		if err := j.bulkOf(size); err != nil {
			return fmt.Errorf("%d entities: %w", size, err)
		}
	}
	fmt.Fprint(r, `
The disk alone: the same number of bytes in as many files written and synced,
for unpack; read, for pack; on one thread.
`)
	return nil
}

func (j *job) bulkOf(size int) error {
	root := filepath.Join(j.dir, fmt.Sprintf("bulk-%d", size))
	defer os.RemoveAll(root)
	if err := command(".", j.binary, "demo", "--entities", fmt.Sprint(size), root); err != nil {
		return err
	}
	unpack, err := usage(j.binary, "-C", root, "unpack")
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
	pack, err := usage(j.binary, "-C", root, "pack")
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
type used struct{ wall, user, system time.Duration }

func usage(name string, args ...string) (used, error) {
	cmd := exec.Command(name, args...)
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return used{}, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return used{time.Since(begin), cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()}, nil
}

func (u used) row(r *report, size int, what string, disk time.Duration) {
	busy := u.user + u.system
	fmt.Fprintf(&r.out, "| %s | %s | %s | %.2f | %.0f %% | %s |\n", humanize.Comma(int64(size)), what, duration(u.wall),
		busy.Seconds()/u.wall.Seconds(), 100*u.system.Seconds()/busy.Seconds(), duration(disk))
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
