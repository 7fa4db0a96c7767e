package gitsetup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/ownpart"
)

// hookNames are the hooks that are set up: before a commit, after a merge, after a rebase.
// git runs none after a cherry-pick, a revert or a stash.
var hookNames = []string{"pre-commit", "post-merge", "post-rewrite"}

// beforeSuffix ends the name of a hook that was there before.
const beforeSuffix = ".before-worldfs"

const hookMark = "# Made by worldfs vcs install; worldfs vcs uninstall takes it away."

// hook is a hook. Only an exit status of 1 is a refusal: a program that is gone, or does
// not know what it is asked, stops no commit.
const hook = `#!/bin/sh
` + hookMark + `
# The hook that was here before, if there was one, is NAME` + beforeSuffix + ` and runs first.
[ ! -x "$0` + beforeSuffix + `" ] || "$0` + beforeSuffix + `" "$@" || REFUSED
w=PROGRAM
if [ ! -x "$w" ]; then
	if ! command -v worldfs >/dev/null; then
		echo "worldfs: $0 does nothing, since the program that it runs is gone: $w" >&2
		echo "worldfs: install worldfs and run worldfs vcs install in the world, or remove this hook" >&2
		exit 0
	fi
	w=worldfs
fi
"$w" vcs hook NAME "$@"
[ $? -ne 1 ] || exit 1
exit 0
`

// hookText returns a hook that runs a program.
func hookText(name, program string) []byte {
	refused := "exit" // with its status
	if name != "pre-commit" {
		refused = ":"
	}
	return []byte(strings.NewReplacer("PROGRAM", ownpart.Quoted(program), "NAME", name, "REFUSED", refused).Replace(hook))
}

func (s *Setup) hookPath(name string) string { return filepath.Join(s.places.Hooks, name) }

// ownsHooks reports whether the directory from which git runs hooks is the repository's own.
func (s *Setup) ownsHooks() bool { return s.owns(s.places.Hooks) }

// owns reports whether a directory of hooks is the repository's own: not one in the tree,
// which others share, nor one of several repositories.
func (s *Setup) owns(dir string) bool {
	common, err := filepath.EvalSymlinks(s.places.Common)
	if err != nil {
		return false
	}
	hooks, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		hooks, err = filepath.Clean(dir), nil
	}
	below, relErr := filepath.Rel(common, hooks)
	return err == nil && relErr == nil && below != ".." && !strings.HasPrefix(below, "../")
}

// isOurs reports whether a file is a hook that was made here.
func isOurs(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(path)
	return bytes.Contains(text, []byte("\n"+hookMark+"\n")), err
}

// isExecutable reports whether git would run a hook.
func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// callsHook reports whether a file, if it is there, calls the program for a hook.
func callsHook(path, name string) bool {
	text, err := os.ReadFile(path)
	return err == nil && bytes.Contains(text, []byte(" vcs hook "+name))
}

// hasHook reports whether a hook is set up, by Install or by hand. Some programs have
// git look for hooks in a directory of their own, and keep the person's one above it.
func (s *Setup) hasHook(name string) (bool, error) {
	if s.ownsHooks() {
		ours, err := isOurs(s.hookPath(name))
		return ours && isExecutable(s.hookPath(name)), err
	}
	return callsHook(s.hookPath(name), name) || callsHook(filepath.Join(s.places.Hooks, "..", name), name), nil
}

func (s *Setup) installHooks(c *Changes, program string) error {
	if !s.ownsHooks() {
		return s.askForHooks(c)
	}
	if err := os.MkdirAll(s.places.Hooks, 0o777); err != nil {
		return fmt.Errorf("install hooks: %w", err)
	}
	var made []string
	for _, name := range hookNames {
		changed, err := s.installHook(name, program)
		if err != nil {
			return fmt.Errorf("install the hook %s: %w", name, err)
		}
		if changed {
			made = append(made, name)
		}
	}
	if len(made) > 0 {
		c.Did("the hooks %s, in %s", strings.Join(made, ", "), s.places.Hooks)
	}
	return nil
}

// askForHooks says what to add by hand to hooks that are not the repository's own.
func (s *Setup) askForHooks(c *Changes) error {
	var lines strings.Builder
	for _, name := range hookNames {
		if has, err := s.hasHook(name); err != nil {
			return err
		} else if !has {
			fmt.Fprintf(&lines, "\n    %s: if command -v worldfs >/dev/null; then worldfs vcs hook %s \"$@\" || exit; fi", name, name)
		}
	}
	if lines.Len() > 0 {
		c.ByHand = append(c.ByHand, fmt.Sprintf("git runs hooks from %s, which is not this repository's alone, so nothing is written there. "+
			"Where that suits the others who share it, add a line to each of these hooks:%s", s.places.Hooks, lines.String()))
	}
	return nil
}

// installHook puts a hook in its place. One that is there is kept beside it.
func (s *Setup) installHook(name, program string) (changed bool, err error) {
	path, before := s.hookPath(name), s.hookPath(name)+beforeSuffix
	text := hookText(name, program)
	ours, err := isOurs(path)
	if err != nil {
		return false, err
	}
	if now, err := os.ReadFile(path); ours && err == nil && bytes.Equal(now, text) && isExecutable(path) {
		return false, nil
	}
	if _, err := os.Lstat(path); err == nil && !ours {
		if _, err := os.Lstat(before); err == nil {
			return false, fmt.Errorf("%s is there and not worldfs's, and so is %s: another program has put its hook over worldfs's; "+
				"make one of the two, remove the other, and run worldfs vcs install again", path, before)
		}
		if err := os.Rename(path, before); err != nil {
			return false, err
		}
	}
	return true, (&disk.Disk{}).WriteAtomic("hook", path, text, 0o777)
}

// uninstallHooks takes away the hooks that git runs and those that it ran until it was told to
// look elsewhere for them (core.hooksPath).
func (s *Setup) uninstallHooks(c *Changes) error {
	if !s.ownsHooks() {
		for _, name := range hookNames {
			if has, err := s.hasHook(name); err == nil && has {
				c.ByHand = append(c.ByHand, fmt.Sprintf("the hook %s in %s calls worldfs: take that line out by hand", name, s.places.Hooks))
			}
		}
	}
	for _, dir := range slices.Compact([]string{filepath.Join(s.places.Common, "hooks"), filepath.Clean(s.places.Hooks)}) {
		if !s.owns(dir) {
			continue
		}
		if err := uninstallHooksIn(dir, c); err != nil {
			return err
		}
	}
	return nil
}

func uninstallHooksIn(dir string, c *Changes) error {
	var gone []string
	for _, name := range hookNames {
		path := filepath.Join(dir, name)
		before := path + beforeSuffix
		_, err := os.Lstat(before)
		kept := err == nil
		ours, err := isOurs(path)
		switch {
		case err != nil:
			return err
		case !ours && kept:
			c.ByHand = append(c.ByHand, fmt.Sprintf("%s is not worldfs's any more; the hook that was there before worldfs's is %s", path, before))
			continue
		case !ours:
			continue
		case kept:
			err = os.Rename(before, path)
		default:
			err = os.Remove(path)
		}
		if err != nil {
			return fmt.Errorf("take the hook %s away: %w", name, err)
		}
		gone = append(gone, name)
	}
	if len(gone) > 0 {
		c.Did("the hooks %s, out of %s", strings.Join(gone, ", "), dir)
	}
	_ = os.Remove(dir) // only if there is nothing in it
	return nil
}
