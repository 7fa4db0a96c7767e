package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// loopbackModule is go-fuse's own example of a filesystem: an ordinary
// directory shown again through FUSE, with its defaults.
const loopbackModule = "github.com/hanwen/go-fuse/v2/example/loopback"

// buildLoopback builds go-fuse's loopback, as go.mod has it.
func buildLoopback(dir string) (string, error) {
	binary := filepath.Join(dir, "loopback")
	return binary, command(".", "go", "build", "-o", binary, loopbackModule)
}

// loopbackPlace shows what lies in back at shown, below root.
func loopbackPlace(binary, root, shown, back string) *place {
	return mountedPlace("loopback", root, shown, func() *exec.Cmd { return exec.Command(binary, "-q", shown, back) })
}

// mountedPlace is a place whose filesystem is a program that stays in the
// foreground while it serves target.
func mountedPlace(name, root, target string, serve func() *exec.Cmd) *place {
	var running *exec.Cmd
	var ended chan struct{}
	return &place{
		peer: true,
		name: name, root: root,
		mount: func() error {
			cmd, done := serve(), make(chan struct{})
			if err := cmd.Start(); err != nil {
				return err
			}
			running, ended = cmd, done
			go func() { _ = cmd.Wait(); close(done) }() // whether it can be unmounted says more
			err := await(fmt.Sprintf("%s on %s", name, target), func() bool { return isMounted(target) || isClosed(done) })
			if err == nil && !isMounted(target) {
				err = fmt.Errorf("%s on %s has ended: %s", name, target, cmd.ProcessState)
			}
			return err
		},
		unmount: func() error {
			err := await("unmounting "+target, func() bool { return !isMounted(target) || command(".", "fusermount3", "-u", target) == nil })
			<-ended
			return err
		},
		kill: func() {
			endMounts(target)          // it may wait for itself
			_ = running.Process.Kill() // it may just have ended
			<-ended
		},
	}
}

func isClosed(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// archivePlaces are the packs' nearest kin: an archive that is mounted.
func archivePlaces(dir string, s *subject) ([]*place, error) {
	var places []*place
	for _, a := range []struct {
		tool, file string
		pack       []string
		serve      func(archive, target string) *exec.Cmd
	}{
		{"fuse-zip", "world.zip", []string{"zip", "-q", "-r", "-0"}, func(archive, target string) *exec.Cmd {
			return exec.Command("fuse-zip", "-f", archive, target)
		}},
		{"archivemount", "world.tar", []string{"tar", "-cf"}, func(archive, target string) *exec.Cmd {
			return exec.Command("archivemount", "-f", "-o", "nobackup", archive, target)
		}},
	} {
		if _, err := exec.LookPath(a.tool); err != nil {
			continue
		}
		p, err := archivePlace(filepath.Join(dir, a.tool), a.tool, a.file, a.pack, a.serve, s)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}

func archivePlace(root, tool, file string, pack []string, serve func(archive, target string) *exec.Cmd, s *subject) (*place, error) {
	target, source := filepath.Join(root, "entities"), filepath.Join(root, "source")
	for _, d := range []string{target, source} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := s.writeTexts(source); err != nil {
		return nil, err
	}
	archive := filepath.Join(root, file)
	args := slices.Concat(pack[1:], []string{archive, "."})
	if err := command(source, pack[0], args...); err != nil {
		return nil, err
	}
	whole := archive + ".whole"
	if err := command(".", "cp", archive, whole); err != nil {
		return nil, err
	}
	p := mountedPlace(tool, root, target, func() *exec.Cmd { return serve(archive, target) })
	p.archive = archive
	end := p.kill
	p.kill = func() { // it may have been writing its archive anew
		end()
		removeTorn(tool)
		_ = command(".", "cp", whole, archive) // the next mount says if it is not there
	}
	return p, nil
}

// removeTorn removes the files that a tool keeps beside its archive, in a place of
// its own choice, and leaves there when it is killed.
func removeTorn(tool string) {
	left, _ := filepath.Glob("/tmp/" + tool + "_*.entity_text*_??????") // the pattern is a good one
	for _, path := range left {
		_ = os.Remove(path) // what stays is harmless
	}
}

// await waits for something that happens soon or never.
func await(what string, happened func() bool) error {
	for range 12000 {
		if happened() {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("%s: nothing after a minute", what)
}

func isMounted(path string) bool {
	mounts, err := os.ReadFile("/proc/self/mounts")
	return err == nil && strings.Contains(string(mounts), " "+path+" ")
}

// endMounts ends every mount at path or below from outside, whether it answers or
// not: a process that waits there gets an error.
func endMounts(path string) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(mounts)) {
		// 36 35 98:0 /root /mount/point opts shared:1 - type source opts
		fields := strings.Fields(line)
		if len(fields) < 5 || !strings.HasPrefix(fields[4]+"/", path+"/") {
			continue
		}
		// Whichever of the two may be done; the last one is for a mount in use.
		_, minor, _ := strings.Cut(fields[2], ":")
		_ = os.WriteFile("/sys/fs/fuse/connections/"+minor+"/abort", []byte("1"), 0)
		_ = unix.Unmount(fields[4], unix.MNT_FORCE|unix.UMOUNT_NOFOLLOW)
		_ = command("/", "fusermount3", "-u", "-z", fields[4])
	}
}
