package mount

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

func TestAScreenfulIsCutWithWords(t *testing.T) {
	const text = "1\n2\n3\n4\n5\n"
	require.Equal(t, text, cutToScreen(text, 0), "any number of lines")
	require.Equal(t, text, cutToScreen(text, 6))
	require.Equal(t, "1\n2\n3\n… and 2 lines more (worldfs status has them)\n", cutToScreen(text, 5))
	require.Equal(t, "1\n… and 4 lines more (worldfs status has them)\n", cutToScreen(text, 3))
	require.Equal(t, text, cutToScreen(text, 1), "there is no room for words")
}

// Only what has changed is shown again.
func TestAStatusIsShownOnce(t *testing.T) {
	var out strings.Builder
	s := statusScreen{out: &out, json: true}
	st := shownStatus{}
	require.NoError(t, s.show(st, nil))
	st.Counters = &daemon.Counters{}
	require.NoError(t, s.show(st, nil))
	require.Equal(t, 1, strings.Count(out.String(), "\n"), "counters grow by being asked")
	st.Findings = []entity.Finding{{Code: entity.CodeBroken, ID: 7}}
	require.NoError(t, s.show(st, nil))
	require.NoError(t, s.show(st, errors.New("world.toml is gone")))
	require.NoError(t, s.show(st, errors.New("world.toml is gone")))
	require.NoError(t, s.show(st, nil))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, `{"error":"world.toml is gone","exit":3}`, lines[2])

	out.Reset()
	s = statusScreen{out: &out}
	require.NoError(t, s.show(st, nil))
	require.NoError(t, s.show(st, errors.New("world.toml is gone")))
	require.Contains(t, out.String(), "findings  1, 0 would stop a ship build")
	require.Contains(t, out.String(), "cannot be read: world.toml is gone")
	require.NotContains(t, out.String(), "\x1b")
}
