package resolve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// What a command kept and something has damaged is told, with what to do, or makes do;
// nothing panics.
func TestDamagedRecords(t *testing.T) {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	op := &vcs.Operation{Kind: vcs.Merging, Ours: "a", Theirs: "b"}
	for _, name := range []string{worlddir.ResolvedName, worlddir.LostName} {
		for text, ok := range map[string]bool{
			"": false, "{": false, "{}": false, "\x00": false, "3": false, `[{"operation":3,"key":3}]`: false,
			"null": true, "[]": true, "[null]": true, "[{}]": true,
			`[{"operation":"merge a b","key":"x","wrote":null,"choices":[{}],"changes":"nonsense"}]`: true,
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir.StatePath(), name), []byte(text), 0o600))
			r := &Resolution{Operation: op, dir: dir, keepFile: (*worlddir.Dir).Keep}
			var lost []*Lost
			if name == worlddir.LostName {
				lost, _, err = FindLost(dir, (*worlddir.Dir).Keep, nil, 0)
				require.Empty(t, lost)
			} else if r.past, err = readRecord(dir, op); err == nil {
				r.past.Wrote["x"] = "y"
				require.NoError(t, r.keep())
			}
			if ok {
				require.NoError(t, err, "%s: %q", name, text)
			} else {
				require.ErrorContains(t, err, "remove it", "%s: %q", name, text)
			}
		}
	}
}

// A choice of a value is made of an entity that has such a field.
func TestAValueThatDoesNotFitIsNotTaken(t *testing.T) {
	typ := &entity.Type{Name: "T", Fields: []*entity.Field{{Name: "n", Shape: entity.Shape{Kind: entity.KindU8}}}}
	e := entity.New(1, typ.Layout(0))
	for value, fits := range map[string]bool{"7": true, "700": false, `"x"`: false, "": false, "{": false, "null": false} {
		c := Choice{ID: 1, Field: "n", Value: []byte(value)}
		require.Equal(t, fits, !c.withValue(e).Same(e), "%q", value)
	}
	other := Choice{ID: 1, Field: "m", Value: []byte("7")}
	require.Same(t, e, other.withValue(e))
	require.Nil(t, other.withValue(nil))
}
