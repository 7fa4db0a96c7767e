package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/dev/realworld"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"worldfs": main})
}

// TestScripts runs testdata/script/*.txtar, each in a directory of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               setup,
		Condition:           condition,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "flip": flip, "cut": cut, "grow": grow, "inode": inode, "until": until,
		},
	})
}

// TestRealWorlds takes every real world through the commands.
func TestRealWorlds(t *testing.T) {
	for _, world := range realworld.Worlds(t) {
		t.Run(filepath.Base(world), func(t *testing.T) {
			if testing.Short() {
				t.Skip("some seconds a world")
			}
			world, err := filepath.Abs(world)
			require.NoError(t, err)
			testscript.Run(t, testscript.Params{
				Dir: "testdata/real", Condition: condition, RequireExplicitExec: true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("WORLD", world)
					return setup(env)
				},
			})
		})
	}
}

// setup makes a home of its own for a script, and takes away at its end what
// it left mounted.
func setup(env *testscript.Env) error {
	runtime := filepath.Join(env.WorkDir, ".run")
	if err := os.Mkdir(runtime, 0o700); err != nil {
		return err
	}
	env.Setenv("XDG_RUNTIME_DIR", runtime)
	env.Setenv("HOME", env.WorkDir)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+who+"_NAME", "Tester")
		env.Setenv("GIT_"+who+"_EMAIL", "tester@example.org")
	}
	env.Defer(func() { unmountAll(env.WorkDir) })
	return nil
}

// unmountAll takes away every mount below dir. Its daemon ends by itself then.
func unmountAll(dir string) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 5 || !strings.HasPrefix(fields[4], dir+"/") {
			continue
		}
		if err := unix.Unmount(fields[4], unix.MNT_DETACH); errors.Is(err, unix.EPERM) {
			_ = exec.Command("fusermount3", "-uz", fields[4]).Run() // nothing left to try
		}
	}
}

// condition knows [have:PROGRAM] and [fuse]. In CI nothing is skipped.
func condition(cond string) (bool, error) {
	var have bool
	if program, ok := strings.CutPrefix(cond, "have:"); ok {
		_, err := exec.LookPath(program)
		have = err == nil
	} else if cond == "fuse" {
		f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
		have = err == nil
		if have {
			f.Close()
		}
	} else if cond == "root" {
		return os.Geteuid() == 0, nil
	} else {
		return false, errors.New("unknown condition")
	}
	if !have && os.Getenv("CI") != "" {
		return false, errors.New("missing, and in CI nothing is skipped")
	}
	return have, nil
}

// exits STATUS PROGRAM ARG...: the program must exit with that status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, not %d", got, want)
	}
}

// flip FILE OFFSET BIT: damages a file.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	offset, err := strconv.Atoi(args[1])
	ts.Check(err)
	bit, err := strconv.Atoi(args[2])
	ts.Check(err)
	data[offset] ^= 1 << bit
	ts.Check(os.WriteFile(path, data, 0o644))
}

// cut FILE N: takes the last N bytes away.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), info.Size()-n))
}

// grow FILE SIZE: makes a file of that size without filling the disk.
func grow(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	defer f.Close()
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(f.Truncate(n))
}

// inode FILE NAME: puts a file's inode number into the environment.
func inode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Lstat(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Setenv(args[1], strconv.FormatUint(info.Sys().(*syscall.Stat_t).Ino, 10))
}

// until PROGRAM ARG...: waits until the program succeeds; with ! until it
// fails.
func until(ts *testscript.TestScript, neg bool, args []string) {
	for range 1200 {
		if err := ts.Exec(args[0], args[1:]...); (err == nil) != neg {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("waited in vain")
}

// TestHelpIsComplete holds every command to the house's rules.
func TestHelpIsComplete(t *testing.T) {
	root, _ := newRoot()
	for _, cmd := range commands(root) {
		t.Run(cmd.Name(), func(t *testing.T) {
			require.NotEmpty(t, cmd.Short)
			topic := !cmd.Runnable() && !cmd.HasSubCommands() // a page of help
			if !topic {
				require.Contains(t, cmd.Long, "EXIT STATUS\n  0  done\n")
			}
			for line := range strings.Lines(cmd.Long) {
				require.LessOrEqual(t, len(line), 81, line)
			}
			if !cmd.Hidden && !topic {
				require.NotEmpty(t, cmd.Example)
			}
		})
	}
}

func commands(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, cmd := range root.Commands() {
		all = append(all, commands(cmd)...)
	}
	return all
}
