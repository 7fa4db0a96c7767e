package mount

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Under the name mount.worldfs this program is what mount(8) runs for
//
//	mount -t worldfs /srv/island /srv/island/entities -o allow_other
//
// and for a line in /etc/fstab. It is called
//
//	mount.worldfs WORLD MOUNTPOINT [-sfnv] [-N NAMESPACE] [-t TYPE] [-o OPTIONS]
//
// The mountpoint says the shape: the world's entities/, or a directory that the
// world lies in and that is to be covered.

// The exit statuses of mount(8).
const (
	mountExitUsage  = 1
	mountExitFailed = 32
)

// IsHelper reports whether the program was called as mount(8) does.
func IsHelper(name string) bool {
	base := filepath.Base(name)
	return base == "mount.worldfs" || base == "mount.fuse.worldfs"
}

// mountCall is what mount(8) asks for.
type mountCall struct {
	world, at string
	options   []string
	sloppy    bool // unknown options do no harm
	fake      bool // everything but the mounting
}

// helperPath is where the helper and the daemon that it starts find programs:
// fusermount3, git, svn, getent and id. mount(8) runs the helper without a PATH.
const helperPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// ensurePath sets a PATH where there is none.
func ensurePath() error {
	if os.Getenv("PATH") != "" {
		return nil
	}
	return os.Setenv("PATH", helperPath)
}

// RunHelper mounts as mount(8) asks, with the program's command, and returns the exit
// status.
func RunHelper(root *cobra.Command, args []string) int {
	if err := ensurePath(); err != nil {
		fmt.Fprintf(os.Stderr, "mount.worldfs: %v\n", err)
		return mountExitFailed
	}
	call, err := parseMountCall(args)
	var command []string
	if err == nil {
		command, err = call.command()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "mount.worldfs: %v\n", err)
		return mountExitUsage
	}
	if call.fake {
		return daemon.ExitDone
	}
	if err := call.becomeUser(); err != nil {
		fmt.Fprintf(os.Stderr, "mount.worldfs: %v\n", err)
		return mountExitFailed
	}
	root.SetArgs(command)
	root.SetOut(os.Stderr) // mount(8) says nothing when it has worked
	if _, err := root.ExecuteC(); err != nil {
		fmt.Fprintf(os.Stderr, "mount.worldfs: %v\n", err)
		return mountExitFailed
	}
	return daemon.ExitDone
}

func parseMountCall(args []string) (mountCall, error) {
	var c mountCall
	var paths []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			paths = append(paths, arg)
			continue
		}
		for i := 1; i < len(arg); i++ {
			switch letter := arg[i]; letter {
			case 's':
				c.sloppy = true
			case 'f':
				c.fake = true
			case 'n', 'v', 'r', 'w':
				if letter == 'r' {
					c.options = append(c.options, "ro")
				}
			case 'o', 'N', 't':
				value := arg[i+1:]
				if value == "" {
					if len(args) == 0 {
						return c, fmt.Errorf("-%c needs a value", letter)
					}
					value, args = args[0], args[1:]
				}
				if letter == 'o' {
					c.options = append(c.options, strings.Split(value, ",")...)
				}
				i = len(arg)
			default:
				return c, fmt.Errorf("-%c is not an option of mount.worldfs", letter)
			}
		}
	}
	if len(paths) != 2 {
		return c, fmt.Errorf("it is called: mount.worldfs WORLD MOUNTPOINT [-o OPTIONS]")
	}
	c.world, c.at = paths[0], paths[1]
	return c, nil
}

// meaningless are the options that are for mount(8), for others that read
// /etc/fstab, or the same for every mount.
var meaningless = map[string]bool{
	"": true, "defaults": true, "rw": true, "auto": true, "noauto": true, "nofail": true, "_netdev": true,
	"user": true, "nouser": true, "users": true, "owner": true, "group": true,
	"dev": true, "nodev": true, "suid": true, "nosuid": true, "exec": true, "async": true,
	"atime": true, "noatime": true, "relatime": true, "norelatime": true, "strictatime": true, "lazytime": true,
	"diratime": true, "nodiratime": true, "default_permissions": true, "loud": true, "silent": true,
}

// command returns the call of worldfs mount that does what is asked for.
func (c mountCall) command() ([]string, error) {
	args := []string{"-q", "-C", c.world, "mount"}
	cover := ""
	for _, option := range c.options {
		key, value, _ := strings.Cut(option, "=")
		switch {
		case key == "allow_other":
			args = append(args, "--allow-other")
		case key == "cover":
			cover = value
		case key == "log_level":
			args = append(args, "--log-level", value)
		case key == "setuid":
		case key == "ro":
			return nil, fmt.Errorf("a world cannot be mounted read-only: its files are edited there; leave ro out")
		case key == "remount" || key == "bind" || key == "move":
			return nil, fmt.Errorf("%s is not possible: unmount the world and mount it again", key)
		case meaningless[key] || strings.HasPrefix(key, "x-") || key == "comment" || c.sloppy:
		default:
			return nil, fmt.Errorf("there is no option %s: there are allow_other, cover=DIR, log_level=LEVEL and setuid=USER", option)
		}
	}
	shape, err := c.shape(cover)
	return append(args, shape...), err
}

// shape returns the flags that say where to mount.
func (c mountCall) shape(cover string) ([]string, error) {
	dir, err := worlddir.Open(c.world)
	if err != nil {
		return nil, err
	}
	at, err := filepath.Abs(c.at)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	if cover != "" && filepath.Clean(cover) != at && filepath.Clean(cover) != filepath.Clean(c.at) {
		return nil, fmt.Errorf("cover=%s and the mountpoint %s are not the same directory", cover, c.at)
	}
	switch {
	case at == dir.EntitiesPath() && cover == "":
		return []string{"--shape", worlddir.ShapeEntities}, nil
	case at == dir.Root || strings.HasPrefix(dir.Root, strings.TrimSuffix(at, "/")+"/"):
		return []string{"--cover", at}, nil
	}
	return nil, fmt.Errorf("the world in %s is mounted at %s, or covers a directory that it lies in; %s is neither",
		dir.Root, dir.EntitiesPath(), c.at)
}
