package pullrecord_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/pullrecord"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	dir := worlddir.Known(t.TempDir(), entity.GUID{})
	require.NoError(t, dir.EnsureState())
	none, err := pullrecord.Read(dir)
	require.NoError(t, err)
	require.Nil(t, none)
	for _, r := range []*pullrecord.Record{
		{Ended: true},
		{Head: "a1", Tip: "b2", Bases: []string{"c3"}, Shared: "d4", Mine: "e5", Staged: []string{"world.toml"}},
		{Revision: "7", SVN: []byte("x")},
	} {
		require.NoError(t, r.Write(dir, (*worlddir.Dir).Keep))
		read, err := pullrecord.Read(dir)
		require.NoError(t, err)
		require.Equal(t, r, read)
	}
	op := (&pullrecord.Record{Bases: []string{"c3"}, Shared: "d4", Mine: "e5"}).Operation()
	require.Equal(t, &vcs.Operation{Kind: vcs.Pulling, Bases: []string{"c3"}, Ours: "d4", Theirs: "e5", Mine: true}, op)
}

// Version control is called with what a record says: one that no pull has written is refused.
func TestADamagedRecordIsRefused(t *testing.T) {
	dir := worlddir.Known(t.TempDir(), entity.GUID{})
	require.NoError(t, dir.EnsureState())
	for text, why := range map[string]string{
		"":              "is damaged",
		"{":             "is damaged",
		`{"version":1}`: "it does not say what was pulled",
		`{"version":1,"ended":true,"tip":"--upload-pack=x"}`: "no object of git's",
		`{"version":1,"ended":true,"bases":["HEAD"]}`:        "no object of git's",
		`{"version":1,"revision":"HEAD","svn":"eA=="}`:       "no revision of svn's",
		`{"version":1,"revision":"7"}`:                       "no revision of svn's",
		`{"version":2}`:                                      "use that build",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir.StatePath(), worlddir.PulledName), []byte(text), 0o600))
		_, err := pullrecord.Read(dir)
		require.ErrorContains(t, err, why, text)
	}
}

func TestIsBehind(t *testing.T) {
	require.True(t, (&pullrecord.Record{Revision: "7"}).IsBehind(8))
	require.False(t, (&pullrecord.Record{Revision: "7"}).IsBehind(7))
	require.False(t, (&pullrecord.Record{Revision: ""}).IsBehind(7))
}
