package resolve_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// thingText is the text of a thing of types/Thing.toml.
func thingText(id int, name, size string) string {
	return fmt.Sprintf("Thing\n1\n%d\n; name\n    %q\n; size\n    %s\n", id, name, size)
}

func thingFile(id int) string { return fmt.Sprintf("entities/%d.entity_text", id) }

// killedAt is a working copy in an update that has every kind of conflict in it, beside
// edits that svn merged. What is left is settled for the shared side.
func killedAt(t *testing.T) copyOf {
	things := func(of ...string) map[string]string { // name, size, by ID from 1
		files := make(map[string]string)
		for i := 0; i < len(of); i += 2 {
			if id := i/2 + 1; of[i] == "gone" {
				files[thingFile(id)] = ""
			} else if of[i] != "" {
				files[thingFile(id)] = thingText(id, of[i], of[i+1])
			}
		}
		return files
	}
	base := things("a", "1", "b", "1", "c", "1", "d", "1", "e", "1")
	base["types/Thing.toml"] = "revision = 1\n\n[[fields]]\nname = \"name\"\nkind = \"string\"\n\n[[fields]]\nname = \"size\"\nkind = \"u32\"\n"
	ours := things("mine", "1", "mine", "1", "gone", "", "d", "5", "mine", "5", "made here", "1")
	theirs := things("shared", "1", "gone", "", "shared", "1", "", "", "e", "7", "made there", "2")
	return updated(t, base, ours, theirs)
}

// take settles what is left for the shared side. keep is called for the files of the local
// state.
func (c copyOf) take(keep resolve.Keep) error {
	r, err := resolve.Open(c.dir, resolve.Options{Keep: keep})
	if err != nil {
		return err
	}
	if len(r.Left) > 0 {
		choices, err := r.Choices(resolve.Shared, resolve.Selection{})
		require.NoError(c, err)
		if err := r.Choose(choices); err != nil {
			return err
		}
	}
	_, err = r.Apply()
	return err
}

// entities returns the texts of a world's entities, by their files.
func (c copyOf) entities() map[string]string {
	texts := make(map[string]string)
	files, err := os.ReadDir(filepath.Join(c.dir, "entities"))
	require.NoError(c, err)
	for _, f := range files {
		texts["entities/"+f.Name()] = c.read("entities/" + f.Name())
	}
	return texts
}

// again returns a copy of a working copy.
func (c copyOf) again(t *testing.T) copyOf {
	other := copyOf{t, filepath.Join(t.TempDir(), "w")}
	out, err := exec.Command("cp", "-a", c.dir, other.dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return other
}

// requireFinished has the next call finish what one has begun that was killed, and the one
// after that find nothing to do.
func (c copyOf) requireFinished(whole copyOf) {
	c.Helper()
	require.NoError(c, c.take(nil))
	require.Equal(c, whole.entities(), c.entities())
	require.Equal(c, whole.svn("status"), c.svn("status"))
	require.Empty(c, c.settled().Left)
	require.Equal(c, whole.entities(), c.entities())
	require.Equal(c, whole.svn("status"), c.svn("status"))
}

var errKilled = errors.New("killed")

// Killed before or after it keeps something, resolve is finished by the next call.
func TestSVNKilledWhenItKeepsSomething(t *testing.T) {
	begun := killedAt(t)
	whole := begun.again(t)
	require.NoError(t, whole.take(nil))
	for at := 1; ; at++ {
		calls := 0
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, after %t", at, after), func(t *testing.T) {
				cut := begun.again(t)
				calls = 0
				err := cut.take(func(dir *worlddir.Dir, name string, data []byte) error {
					if calls++; calls < at {
						return dir.Keep(name, data)
					}
					if calls == at && after {
						require.NoError(t, dir.Keep(name, data))
					}
					return errKilled
				})
				if calls >= at {
					require.ErrorIs(t, err, errKilled)
				}
				cut.requireFinished(whole)
			})
		}
		if calls < at {
			require.Greater(t, at, 4)
			return
		}
	}
}

// Killed before or after each command of svn that changes something.
func TestSVNKilledWhenItRunsSVN(t *testing.T) {
	begun := killedAt(t)
	whole := begun.again(t)
	require.NoError(t, whole.take(nil))
	real, err := exec.LookPath("svn")
	require.NoError(t, err)
	path := os.Getenv("PATH")
	for at := 1; ; at++ {
		calls := 0
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, after %t", at, after), func(t *testing.T) {
				cut := begun.again(t)
				bin := filepath.Dir(cut.dir)
				script := `#!/bin/sh
case $1 in info|status|cat|export) exec SVN "$@" ;; esac
echo $1 >>BIN/calls
n=$(wc -l <BIN/calls)
[ $n -lt AT ] && exec SVN "$@"
[ $n = AT ] && [ AFTER = true ] && SVN "$@"
exit 1
`
				script = strings.NewReplacer("SVN", real, "BIN", bin, "AFTER", fmt.Sprint(after), "AT", fmt.Sprint(at)).Replace(script)
				require.NoError(t, os.WriteFile(filepath.Join(bin, "svn"), []byte(script), 0o755))
				t.Setenv("PATH", bin+":"+path)
				err := cut.take(nil)
				t.Setenv("PATH", path)
				data, readErr := os.ReadFile(filepath.Join(bin, "calls"))
				require.NoError(t, readErr)
				if calls = strings.Count(string(data), "\n"); calls >= at {
					require.Error(t, err)
				}
				cut.requireFinished(whole)
			})
		}
		if calls < at {
			require.Greater(t, at, 3)
			return
		}
	}
}

// Killed when some of the files are written, and nothing is noted of it.
func TestSVNKilledAmongFiles(t *testing.T) {
	begun := killedAt(t)
	whole := begun.again(t)
	require.NoError(t, whole.take(nil))
	was, is := begun.entities(), whole.entities()
	changed := make(map[int]string)
	for id := range 10 {
		if name := thingFile(id); was[name] != is[name] {
			changed[id] = name
		}
	}
	for name := range is { // with a new ID
		if id, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(name), ".entity_text")); err == nil && was[name] == "" {
			changed[id] = name
		}
	}
	var ids []int
	for id := range changed {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	require.Len(t, ids, 6)
	for n := range len(ids) + 1 {
		for _, known := range []bool{false, true} { // an earlier call has told what is left
			t.Run(fmt.Sprintf("%d, known %t", n, known), func(t *testing.T) {
				t.Parallel()
				cut := begun.again(t)
				if known {
					r, err := resolve.Open(cut.dir, resolve.Options{})
					require.NoError(t, err)
					_, err = r.Apply()
					require.NoError(t, err)
				} else {
					_, err := resolve.Open(cut.dir, resolve.Options{})
					require.NoError(t, err)
				}
				for _, id := range ids[:n] {
					if text, ok := is[changed[id]]; ok {
						require.NoError(t, os.WriteFile(filepath.Join(cut.dir, changed[id]), []byte(text), 0o644))
					} else {
						require.NoError(t, os.Remove(filepath.Join(cut.dir, changed[id])))
					}
				}
				cut.requireFinished(whole)
			})
		}
	}
}
