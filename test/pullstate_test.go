package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What another has committed between the look and the pull refuses it, with nothing
// touched.
func TestPullOfWhatHasMovedOn(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	b := w.ann
	w.bob.set(6005, "position.x = 7")
	w.bob.write("later", "Bob's\n")
	w.publish()
	b.set(10000, "position.x = 1")
	b.run("git", "fetch", "-q")
	real := strings.TrimSpace(b.run("sh", "-c", "command -v git"))
	bin := filepath.Join(b.root, "bin")
	require.NoError(t, os.MkdirAll(bin, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), fmt.Appendf(nil, "#!/bin/sh\ncase \"$*\" in *\" status \"*) %[1]s \"$@\"; exec %[1]s commit -q --allow-empty -m meanwhile ;; esac\nexec %[1]s \"$@\"\n", real), 0o755))
	meanwhile := *b
	meanwhile.env = append(meanwhile.env, "PATH="+bin+":"+os.Getenv("PATH"))
	out, code := meanwhile.try("worldfs", "pull", "--offline")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "nothing was touched")
	require.Contains(t, out, "pull again")
	require.Equal(t, " M "+config.entityPath("10000")+"\n", b.dirty())
	require.Equal(t, "meanwhile\nall", strings.TrimSpace(b.run("git", "log", "--format=%s")))
	require.NoFileExists(t, b.path("later"))
	require.NotContains(t, b.run("worldfs", "status"), "interrupted")
	b.pull(0)
	b.holds(6005, "position.x == 7")
}

// Two pulls at once: one does it.
func TestTwoPullsAtOnce(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 300)
	b := w.ann
	w.bob.set(6005, "position.x = 7")
	w.bob.write("later", "Bob's\n")
	w.publish()
	b.set(6005, `entity_name = "Ann's"`)
	b.commit("Ann")
	b.set(10000, "position.x = 1")
	var both [2]*exec.Cmd
	for i := range both {
		both[i] = b.command(binary, "pull")
		require.NoError(t, both[i].Start())
	}
	done := 0
	for _, cmd := range both {
		if cmd.Wait() == nil {
			done++
		}
	}
	require.NotZero(t, done)
	require.Equal(t, " M "+config.entityPath("10000")+"\n", b.dirty())
	require.Equal(t, "Ann\nBob\nall", strings.TrimSpace(b.run("git", "log", "--format=%s")))
	b.holds(6005, `position.x == 7 && entity_name == "Ann's"`)
	b.holds(10000, "position.x == 1")
}

// A record of a pull that came with the repository is not believed.
func TestARecordOfAPullThatIsAnothers(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	b := w.ann
	victim := filepath.Join(b.root, "victim")
	head := b.head()
	b.run("worldfs", "status")
	b.write(".worldfs/pull.json", fmt.Sprintf(`{"version":1,"head":%q,"tip":%q,"shared":%q,"mine":%q,"bases":[%q],"from":"--output=%s","to":%q}`, head, head, head, head, head, victim, head))
	out, _ := b.try("worldfs", "status")
	require.NoFileExists(t, victim)
	require.Contains(t, out+b.run("sh", "-c", binary+" status 2>&1 >/dev/null; true"), "pull.json")
	b.run("git", "add", "-f", ".worldfs/pull.json")
	b.write(".worldfs/pull.json", fmt.Sprintf(`{"version":1,"head":%q,"tip":%q,"shared":%q,"mine":%q,"bases":[%q]}`, head, head, head, head, head))
	b.run("git", "add", "-f", ".worldfs/pull.json")
	said := b.run("sh", "-c", binary+" status 2>&1; true")
	require.NotContains(t, said, "finishing a pull")
	require.Contains(t, said, "version control has files in it")
}

// A record that something has damaged is named by each command, and keeps only a pull from
// being done.
func TestADamagedRecordOfAPull(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 60)
	b := w.ann
	w.bob.set(6005, "position.x = 7")
	w.publish()
	b.run("worldfs", "status")
	for _, text := range []string{"", "{", "3", "\x00", `{"version":1,"tip":"x`, `{"version":9}`, `{"version":1,"tip":"../../x","head":"HEAD"}`, `{"version":1,"svn":"eA==","revision":"--x"}`} {
		b.write(".worldfs/pull.json", text)
		said := b.run("sh", "-c", binary+" ls 2>&1 >/dev/null")
		require.Contains(t, said, ".worldfs/pull.json", "%q", text)
		out, code := b.try("worldfs", "pull")
		require.Equal(t, 3, code, "%q: %s", text, out)
		require.Contains(t, out, ".worldfs/pull.json", "%q", text)
		require.NotContains(t, out, "goroutine")
	}
	b.run("rm", ".worldfs/pull.json")
	b.pull(0)
	b.holds(6005, "position.x == 7")
}

// On a full disk nothing is taken in by half: what is there is what was, or the next command
// goes on once there is room.
func TestPullOnAFullDisk(t *testing.T) {
	t.Parallel()
	d := newSmallDisk(t, "tmpfs", false)
	w := newShared(t, "plain", 60)
	w.bob.run("worldfs", "set", "--where", "position.x == position.x", "position.x = position.x + 1")
	w.bob.write("later", "Bob's\n")
	w.publish()
	w.ann.set(6005, `entity_name = "Ann's"`)
	w.ann.run("git", "fetch", "-q")
	before := w.ann.dirty()
	d.run("cp", "-a", w.ann.dir, "disk/ann")
	b := d.cd("disk/ann")
	d.fill()
	out, code := b.try("worldfs", "pull", "--offline")
	require.Equal(t, 3, code, out)
	d.empty()
	said := b.run("sh", "-c", binary+" status 2>&1")
	if !strings.Contains(said, "finishing a pull") {
		require.Equal(t, before, b.dirty())
		b.pull(0)
	}
	require.Equal(t, w.bob.head(), b.head())
	require.Equal(t, " M "+config.entityPath("6005")+"\n", b.dirty())
	b.holds(6005, `entity_name == "Ann's"`)
}
