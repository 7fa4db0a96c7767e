package vcssync

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func TestARecordIsChangedByUpdates(t *testing.T) {
	dir, err := worlddir.Init(t.TempDir()+"/w", worlddir.InitOptions{})
	require.NoError(t, err)
	// note gives an update the way that it takes to a daemon.
	note := func(u Update) Record {
		data, err := json.Marshal(u)
		require.NoError(t, err)
		var arrived Update
		require.NoError(t, json.Unmarshal(data, &arrived))
		r, err := Note(dir, arrived)
		require.NoError(t, err)
		stored, err := ReadRecord(dir)
		require.NoError(t, err)
		require.ElementsMatch(t, stored.Deleted, r.Deleted)
		return stored
	}
	require.Zero(t, note(Update{}))
	require.NoFileExists(t, recordPath(dir), "nothing is written that says nothing")

	then := time.Unix(1e9, 0).UTC()
	r := note(Update{Add: []Deletion{{Name: "a", Time: then}, {Name: "b", Time: then}}})
	require.Len(t, r.Deleted, 2)
	info, err := os.Stat(recordPath(dir))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	// svn has been asked, and the file came back meanwhile: that stands.
	note(Update{Drop: []string{"a"}})
	r = note(Update{Bases: map[string]string{"a": "1", "b": "2"}})
	require.Equal(t, []Deletion{{Name: "b", Time: then, Base: "2"}}, r.Deleted)

	r = note(Update{Returned: map[string][]byte{"c": []byte("text")}})
	require.Equal(t, []byte("text"), r.Returned["c"])
	require.Equal(t, r.Returned, note(Update{Drop: []string{"b"}}).Returned)
	require.Empty(t, note(Update{Returned: map[string][]byte{}}).Returned)

	why := "locked"
	r = note(Update{Failure: &why})
	require.Equal(t, why, r.Failure)
	require.NotZero(t, r.Since)
	require.Equal(t, r.Since, note(Update{Failure: &why}).Since, "since the first time")
	require.Zero(t, note(Update{Failure: new(string)}))
}
