package mergerules_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

func TestRulesAndRangesComeFromTheWorldsDirectory(t *testing.T) {
	dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir.RangesPath(), []byte("100 200 Baker\n200 300 Others\n300 400 Clusters disposable\n"), 0o644))
	config, err := os.ReadFile(dir.ConfigPath())
	require.NoError(t, err)
	config = append(config, "\n[merge]\npolicy = \"mine\"\n[[merge.rules]]\ntype = \"Terrain\"\nfield = \"heights\"\npolicy = \"shared\"\n"...)
	require.NoError(t, os.WriteFile(dir.ConfigPath(), config, 0o644))
	t.Setenv("WORLDFS_ROLE", "Baker")
	dir, err = worlddir.Open(dir.Root)
	require.NoError(t, err)

	o, err := mergerules.Read(dir)
	require.NoError(t, err)
	require.Equal(t, merge.Mine, o.Policy)
	p, ok := o.Rules("Terrain", "heights")
	require.True(t, ok)
	require.Equal(t, merge.Shared, p)
	_, ok = o.Rules("Terrain", "name")
	require.False(t, ok)
	require.Equal(t, []merge.Range{
		{From: 100, To: 200, Owners: []string{"Baker"}},
		{From: 200, To: 300, Owners: []string{"Others"}},
		{From: 300, To: 400, Owners: []string{"Clusters"}, Disposable: true},
	}, o.Ranges.List)
	require.Contains(t, o.Ranges.Keys, "Baker")
	require.Equal(t, merge.Ours, o.Ranges.Party)

	require.Equal(t, merge.Neither, o.Program)
	require.Zero(t, o.Bulk)
	dir.Settings.Role = "Clusters"
	o, err = mergerules.Read(dir)
	require.NoError(t, err)
	require.Equal(t, merge.Ours, o.Program, "what has a disposable range is a program")
	dir.Settings.Role, dir.Settings.Merge.Programs, dir.Settings.Merge.Bulk = "Terrain", []string{"Terrain"}, 0.5
	o, err = mergerules.Read(dir)
	require.NoError(t, err)
	require.Equal(t, merge.Ours, o.Program)
	require.InDelta(t, 0.5, o.Bulk, 0)

	require.NoError(t, os.WriteFile(dir.RangesPath(), []byte("<<<<<<< ours\n"), 0o644))
	before := o.Ranges.List
	o, err = mergerules.Read(dir)
	require.NoError(t, err)
	require.Equal(t, before, o.Ranges.List, "the last ones that could be read stay in force")
	require.NoError(t, dir.Keep(worlddir.KeptRangesName, nil))
	o, err = mergerules.Read(dir)
	require.ErrorContains(t, err, "id_ranges:1:")
	require.Empty(t, o.Ranges.List)

	require.NoError(t, os.WriteFile(dir.RangesPath(), []byte("100 200 Baker\n150 300 Others\n"), 0o644))
	o, err = mergerules.Read(dir)
	require.NoError(t, err)
	require.Equal(t, []merge.Range{
		{From: 100, To: 150, Owners: []string{"Baker"}}, {From: 200, To: 300, Owners: []string{"Others"}},
	}, o.Ranges.List, "what is in an overlap is nobody's")
}
