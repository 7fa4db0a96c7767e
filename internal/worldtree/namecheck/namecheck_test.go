package namecheck_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/namecheck"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func world(t *testing.T, settings string) *worlddir.Dir {
	dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir.ConfigPath(), []byte(settings), 0o644))
	return dir
}

func TestSettings(t *testing.T) {
	u8 := entity.Shape{Kind: entity.KindU8}
	types := entity.NewTypes(
		&entity.Type{Name: "Lamp", Revision: 2, Fields: []*entity.Field{{Name: "radius", Shape: u8}, {Name: "old", Shape: u8, Until: 2}}},
		entity.UnknownType("Foreign"),
	)
	for settings, want := range map[string]string{
		"id = 'x'\nplain = true\nKernel_Cache = true\n[vcs]\nauto = true\n[merge]\nbulk = 0.2\n": "[]",
		"# of another version\nrender_distance = 3\n[engine]\nauto = 1\nengine.auto = 2\n": "[2 there is no setting render_distance in this version of worldfs: it does nothing" +
			" 3 there is no setting engine in this version of worldfs: it does nothing]",
		"[merge]\nwho = 'me'\n":   "[2 there is no setting merge.who in this version of worldfs: it does nothing]",
		"\nkernel_cahce = true\n": "[2 there is no setting kernel_cahce; did you mean kernel_cache?]",
		"[vcs]\nautoo = true\n":   "[2 there is no setting vcs.autoo; did you mean vcs.auto?]",
		"vcs.aoto = true\n":       "[1 there is no setting vcs.aoto; did you mean vcs.auto?]",
		"[[merge.rules]]\ntype = 'Lamp'\nfield = 'old'\n[[merge.rules]]\nfield = 'radius'\n":   "[]",
		"[[merge.rules]]\ntype = 'Foreign'\nfield = 'anything'\n":                              "[]",
		"[[merge.rules]]\npolicy = 'mine'\n[[merge.rules]]\nfield = 'raduis'\ntype = 'Lamp'\n": "[4 a rule of merging is for a field that there is not: Lamp has no field raduis; did you mean radius?]",
		"[[merge.rules]]\ntype = 'Tree'\n":                                                     "[2 a rule of merging is for the type Tree, which there is not]",
		"plain = \n[[merge.rules]]\ntype = 'Tree'\n":                                           "[]",
	} {
		found, err := namecheck.Settings(world(t, settings), types)
		require.NoError(t, err)
		said := []string{}
		for _, f := range found {
			require.False(t, entity.Blocks(f.Code))
			require.Equal(t, "world.toml", f.File)
			said = append(said, fmt.Sprint(f.Line, " ", f.Message))
		}
		require.Equal(t, want, fmt.Sprint(said), settings)
	}
	found, err := namecheck.Settings(world(t, "[[merge.rules]]\ntype = 'Tree'\n"), &entity.Types{})
	require.NoError(t, err)
	require.Empty(t, found, "no type is declared, so none is misspelt")
	dir := world(t, "")
	require.NoError(t, os.Remove(dir.ConfigPath()))
	found, err = namecheck.Settings(dir, types)
	require.NoError(t, err)
	require.Empty(t, found)
}

// The guide's table of settings has none that is told as unknown.
func TestTheSettingsOfTheGuideAreKnown(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/running.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(guide), "| setting | values |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	settings := regexp.MustCompile("`([^`]+)`")
	n := 0
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 3 {
			continue
		}
		for _, name := range settings.FindAllStringSubmatch(cells[1], -1) {
			require.Contains(t, worlddir.SettingNames, name[1])
			n++
		}
	}
	require.Greater(t, n, 15)
}
