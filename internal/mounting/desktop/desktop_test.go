package desktop_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/desktop"
	"github.com/worldfs/worldfs/internal/storage/history"
)

// desk is a desktop whose notify-send is a script.
type desk struct {
	*testing.T
	dir   string
	log   *history.Log
	ended chan struct{}
	over  chan struct{}
}

// newDesk runs the package with a notify-send that does what the script says, with the
// arguments in "$@".
func newDesk(t *testing.T, script string) *desk {
	d := &desk{T: t, dir: t.TempDir(), ended: make(chan struct{}), over: make(chan struct{})}
	t.Setenv("PATH", d.dir+":/usr/bin:/bin")
	if script != "" {
		text := "#!/bin/sh\ncd " + d.dir + "\n" + script
		require.NoError(t, os.WriteFile(filepath.Join(d.dir, "notify-send"), []byte(text), 0o755))
	}
	d.log = history.Open(filepath.Join(d.dir, "history"), history.Limits{Size: 1 << 20, Age: time.Hour})
	d.add(broken(1)...) // which is not told: it is from before
	last, err := d.log.Last()
	require.NoError(t, err)
	go func() {
		defer close(d.over)
		desktop.RunFrom(last, d.ended, d.log, slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() { require.NoError(t, d.log.Close()) })
	return d
}

func (d *desk) add(entries ...history.Entry) {
	d.Helper()
	_, err := d.log.Append(entries)
	require.NoError(d, err)
}

// broken is what the history has of texts that cannot be read.
func broken(ids ...entity.ID) (entries []history.Entry) {
	for _, id := range ids {
		entries = append(entries, history.Entry{ID: id, Kind: history.Broken, Time: time.Now(), By: "edit",
			Note: "line 12: <b>one</b> is no number", Is: []byte("Door\n72\n")})
	}
	return entries
}

// end ends it, as an unmount does.
func (d *desk) end() {
	d.Helper()
	close(d.ended)
	select {
	case <-d.over:
	case <-time.After(time.Minute):
		require.Fail(d, "it goes on")
	}
}

// shown waits until a notification has a text, and returns all that were shown.
func (d *desk) shown(text string) (all string) {
	d.Helper()
	require.Eventually(d, func() bool {
		shown, err := os.ReadFile(filepath.Join(d.dir, "shown"))
		all = string(shown)
		return err == nil && strings.Contains(all, text)
	}, time.Minute, 10*time.Millisecond, text)
	return all
}

const shows = `printf '%s|' "$@" >> shown; echo >> shown`

func TestATextThatBreaksIsTold(t *testing.T) {
	d := newDesk(t, shows)
	d.add(broken(6555)...)
	all := d.shown("takes the edit back|\n")
	require.Equal(t, "--app-name=worldfs|--|Door 6555 cannot be read|line 12: &lt;b&gt;one&lt;/b&gt; is no number\nworldfs undo 6555 takes the edit back|\n", all)

	more := broken(20, 9)
	more[1].Kind = history.Changed
	more = append(more, history.Entry{ID: 20, Kind: history.Mended, Time: time.Now()}) // by an editor that saves in two steps
	d.add(append(more, broken(10, 11, 12, 13, 14, 15, 16)...)...)
	all = d.shown("7 entities cannot be read")
	require.Contains(t, all, "Door 14: ")
	require.NotContains(t, all, "Door 15: ")
	require.Contains(t, all, "and 2 more: worldfs status|")
	require.NotContains(t, all, "Door 20")
	d.end()
}

// Whatever notify-send does, the history is written and the mount ends.
func TestAProgramThatHangsDelaysNothing(t *testing.T) {
	d := newDesk(t, "echo $$ > shown; (sleep 1000) & sleep 1000")
	for i := range 100 {
		d.add(broken(entity.ID(100 + i))...)
	}
	pid := strings.TrimSpace(d.shown("\n"))
	d.add(broken(7)...)
	d.end()
	require.Eventually(t, func() bool {
		_, err := os.Stat("/proc/" + pid)
		return err != nil
	}, time.Minute, 10*time.Millisecond, "the program that hangs is ended")
}

func TestAProgramThatFailsIsTriedAgain(t *testing.T) {
	for name, script := range map[string]string{"status 1": shows + "; exit 1", "killed": shows + "; kill -9 $$", "loud": shows + "; head -c 10000000 /dev/zero"} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, script)
			n := 0
			require.Eventually(t, func() bool {
				n++
				d.add(broken(entity.ID(n))...)
				shown, _ := os.ReadFile(filepath.Join(d.dir, "shown"))
				return strings.Count(string(shown), "cannot be read") >= 2
			}, time.Minute, 100*time.Millisecond)
			d.end()
		})
	}
}

func TestWithoutADesktopNothingHappens(t *testing.T) {
	d := newDesk(t, "")
	t.Setenv("PATH", d.dir)
	for i := range 10 {
		d.add(broken(entity.ID(i + 1))...)
	}
	d.end()
	_, err := os.Stat(filepath.Join(d.dir, "shown"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestItEndsWithTheHistory(t *testing.T) {
	d := newDesk(t, shows)
	require.NoError(t, d.log.Close())
	select {
	case <-d.over:
	case <-time.After(time.Minute):
		require.Fail(t, "it goes on after the history")
	}
}
