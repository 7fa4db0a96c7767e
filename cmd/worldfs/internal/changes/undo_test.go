package changes

import (
	"bytes"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/merge"
)

func TestTimesArePeoplesTimes(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 3, 4, 15, 30, 10, 0, zone)
	for text, want := range map[string]time.Time{
		"10m":                       now.Add(-10 * time.Minute),
		"10m ago":                   now.Add(-10 * time.Minute),
		"1h30m":                     now.Add(-90 * time.Minute),
		"2d":                        now.Add(-48 * time.Hour),
		"14:30":                     time.Date(2026, 3, 4, 14, 30, 0, 0, zone),
		"14:30:05":                  time.Date(2026, 3, 4, 14, 30, 5, 0, zone),
		"16:00":                     time.Date(2026, 3, 3, 16, 0, 0, 0, zone),
		"2026-03-01":                time.Date(2026, 3, 1, 0, 0, 0, 0, zone),
		"2026-03-01 09:15":          time.Date(2026, 3, 1, 9, 15, 0, 0, zone),
		"2026-03-01 09:15:16":       time.Date(2026, 3, 1, 9, 15, 16, 0, zone),
		"2026-03-01T09:15:16Z":      time.Date(2026, 3, 1, 9, 15, 16, 0, time.UTC),
		"2026-03-01T09:15:16.5Z":    time.Date(2026, 3, 1, 9, 15, 16, 5e8, time.UTC),
		"2026-03-01T09:15:16+02:00": time.Date(2026, 3, 1, 9, 15, 16, 0, zone),
	} {
		got, err := parseTime("--at", text, now)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), "%s: %s", text, got)
	}
	for _, text := range []string{"", "soon", "-10m", "99:99", "10", "d", "-1d"} {
		_, err := parseTime("--at", text, now)
		require.ErrorContains(t, err, "is not a time", text)
	}
}

func TestUndoSaysWhatIsKept(t *testing.T) {
	var out, errs bytes.Buffer
	cmd := new(cobra.Command)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	var u events.Undone
	require.NoError(t, new(undoOptions).printUndone(cmd, u))
	require.Contains(t, out.String(), "undone already")

	out.Reset()
	u.Report.Conflicts = []cache.Conflict{{ID: 6555, Field: "radius", Words: "Lamp 6555, field radius: differs"}}
	err := new(undoOptions).printUndone(cmd, u)
	require.Equal(t, daemon.ExitProblems, daemon.Exit(err))
	require.ErrorContains(t, err, "undo the later change first")
	require.Equal(t, "nothing was undone: what was changed since is kept\n", out.String())
	require.Contains(t, errs.String(), "field radius")
}

// A value that two entities would have is settled by neither side: to resolve is no help.
func TestUndoSaysWhatStandsAndWhy(t *testing.T) {
	for want, c := range map[string]cache.Conflict{
		"undo the later change first":                   {Kind: merge.PropertyChanged},
		"undo the later change first, or worldfs undo ": {Kind: merge.NotUnique},
		"worldfs resolve -i":                            {Kind: merge.PropertyChanged, Left: true},
		"give one of them another with worldfs set":     {Kind: merge.NotUnique, Left: true},
	} {
		var errs bytes.Buffer
		cmd := new(cobra.Command)
		cmd.SetErr(&errs)
		c.Words = "Lamp 6555, field radius: differs"
		err := stands(cmd, cache.Report{Conflicts: []cache.Conflict{c}}, 0)
		require.Equal(t, daemon.ExitProblems, daemon.Exit(err))
		require.ErrorContains(t, err, want)
		require.Contains(t, errs.String(), c.Words)
		require.ErrorContains(t, err, "1 property ")
		require.ErrorContains(t, err, ", and stands")
		require.Regexp(t, `^2 properties .*, and stand\b`, stands(cmd, cache.Report{Conflicts: []cache.Conflict{c, c}}, 0).Error())
	}
}
