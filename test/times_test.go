package test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// svnUnlike prints the files whose time or size are not what svn noted of them, so that
// svn status would read them. svn counts microseconds.
const svnUnlike = `
import os, sqlite3
rows = sqlite3.connect('file:.svn/wc.db?mode=ro', uri=True).execute(
    "select local_relpath, last_mod_time, translated_size from nodes where op_depth = 0 and kind = 'file'").fetchall()
assert len(rows) > 40, rows
for path, mtime, size in rows:
    st = os.stat(path)
    if (st.st_mtime_ns // 1000, st.st_size) != (mtime, size):
        print(path, st.st_mtime_ns, mtime, st.st_size, size)
`

// TestSvnReadsNothingAgain asks after each step what svn would have to read again.
func TestSvnReadsNothingAgain(t *testing.T) {
	s := newSide(t, true, "svn", "svnadmin", "python3")
	s.requireStep(`rm -rf .git .gitignore .gitattributes && cd .. && svnadmin create repo && svn import -q --no-ignore -m world w file://$PWD/repo && rm -rf w && svn checkout -q file://$PWD/repo w`)
	w := s.cd("w")
	nothingToRead := func(when string, but ...string) {
		t.Helper()
		unlike := w.run("python3", "-c", svnUnlike)
		for _, path := range but {
			require.Contains(t, unlike, path, when)
		}
		require.Len(t, strings.Split(strings.TrimSpace(unlike), "\n"), max(1, len(but)), "%s:\n%s", when, unlike)
		require.Equal(t, len(but) == 0, unlike == "", "%s:\n%s", when, unlike)
		out, _ := s.step("svn diff")
		require.Empty(t, strings.TrimSpace(out), when)
	}
	w.mount()
	nothingToRead("mounted")
	s.requireStep(`svn update -q && sed -i 's/door/gate/' @6555 && svn commit -qm gate`)
	nothingToRead("committed")
	s.requireStep("worldfs unmount")
	if config["plain"] == "false" {
		s.requireStep("worldfs mount")
	}
	nothingToRead("unmounted")
	if config["plain"] == "false" {
		return
	}
	s.requireStep("worldfs mount")
	nothingToRead("mounted again")

	door := config.entityPath("6555")
	at := time.Unix(1600000000, 0)
	s.requireStep("worldfs unmount")
	require.NoError(t, os.Chtimes(w.path(door), at, at))
	s.requireStep("worldfs mount")
	nothingToRead("touched while unmounted", door)
	s.requireStep("svn cleanup")
	nothingToRead("cleaned up")
	s.requireStep("touch -d 2017-07-14T02:40:00Z @6555 && svn cleanup && worldfs unmount")
	nothingToRead("touched while mounted")
	info, err := os.Stat(w.path(door))
	require.NoError(t, err)
	require.Equal(t, int64(1500000000), info.ModTime().Unix())

	s.requireStep("svn propset -q svn:needs-lock yes @6555 && svn commit -qm lock && test ! -w @6555 -o $(id -u) = 0 && worldfs mount")
	nothingToRead("with a lock to take")
	s.requireStep("test $(stat -c %a @6555) = 444 && svn lock -q @6555 && test $(stat -c %a @6555) = 644 && worldfs unmount")
	nothingToRead("with a lock taken")
	s.requireStep("test $(stat -c %a @6555) = 644 && svn unlock -q @6555 && worldfs mount && test $(stat -c %a @6555) = 444")
	nothingToRead("with the lock given back")
}

// TestGitReadsNothingAgain is the same of git, which lists as changed what it has not
// read again unless it is told to.
func TestGitReadsNothingAgain(t *testing.T) {
	s := newSide(t, true, "git")
	nothingToRead := func(when string) {
		t.Helper()
		out, code := s.step("git diff-files --name-only")
		require.Zero(t, code)
		require.Empty(t, out, when)
	}
	s.requireStep("git config core.trustctime false && git config core.checkStat minimal && git update-index -q --refresh")
	s.cd("w").mount()
	nothingToRead("mounted")
	s.requireStep(`sed -i 's/door/gate/' @6555 && touch -d 2017-07-14T02:40:00Z @10000 && git add -A && git commit -qm gate`)
	for _, step := range []string{"worldfs unmount", "worldfs mount"} {
		if s.requireStep(step); config["plain"] != "false" || step == "worldfs mount" {
			nothingToRead(step)
		}
	}
}
