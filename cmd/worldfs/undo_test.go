package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
		got, err := parseTime(text, now)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), "%s: %s", text, got)
	}
	for _, text := range []string{"", "soon", "-10m", "99:99", "10", "d", "-1d"} {
		_, err := parseTime(text, now)
		require.ErrorContains(t, err, "is not a time", text)
	}
}
