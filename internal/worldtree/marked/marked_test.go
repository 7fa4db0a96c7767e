package marked_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/worldtree/marked"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

// marks is a world directory with one entity of a type, in whose text both sides' values
// are marked, and the finding about it.
func marks(t require.TestingT, root string, typ *entity.Type, text []byte) (*worlddir.Dir, []entity.Finding) {
	dir, err := worlddir.Init(root, worlddir.InitOptions{Note: func(string) {}})
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "entities"), 0o777))
	_, err = typefile.WriteDir(dir.TypesPath(), []*entity.Type{typ})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, dir.Settings.Shard.Name(7)), text, 0o666))
	return dir, []entity.Finding{{Code: entity.CodeConflict, ID: 7}}
}

// Whatever is marked: taken field by field, each has the value of the side that was taken,
// no marker is left, and a text of one side alone is that side's.
func TestTakenFieldByField(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		ours := entitytest.Entity(7, typ).Draw(t, "ours")
		theirs := ours.Clone()
		want := ours.Clone()
		m := textcodec.Marks{Ours: "yours", Theirs: "shared", Other: theirs}
		take := make(map[string]resolve.Side)
		for i, f := range ours.Layout.Fields {
			if v := entitytest.Value(&f.Shape).Draw(t, "theirs"); !v.Equal(ours.Values[i]) {
				theirs.Values[i] = v
				m.Fields = append(m.Fields, f.Name)
				take[f.Name] = rapid.SampledFrom([]resolve.Side{resolve.Mine, resolve.Shared}).Draw(t, "take")
				if take[f.Name] == resolve.Shared {
					want.Values[i] = v
				}
			}
		}
		if rapid.Bool().Draw(t, "the second side is the person's") {
			m.Ours, m.Theirs = "shared", "yours"
			for field, side := range take {
				take[field] = map[resolve.Side]resolve.Side{resolve.Mine: resolve.Shared, resolve.Shared: resolve.Mine}[side]
			}
		}
		n++
		dir, findings := marks(t, filepath.Join(root, string(rune('a'+n%26)), rapid.StringMatching("[a-z]{12}").Draw(t, "dir")), typ, textcodec.AppendMarked(nil, ours, m))
		types, _, err := typefile.ReadDir(dir.TypesPath())
		require.NoError(t, err)
		for i, field := range m.Fields {
			files, err := marked.Open(dir, findings, nil)
			require.NoError(t, err)
			require.Len(t, files.Left(), len(m.Fields)-i)
			n, err := files.Take(take[field], resolve.Selection{Fields: []string{field}})
			require.NoError(t, err)
			require.Equal(t, 1, n)
			written, _, err := files.Apply()
			require.NoError(t, err)
			require.Equal(t, 1, written)
		}
		text, err := os.ReadFile(filepath.Join(dir.Root, dir.Settings.Shard.Name(7)))
		require.NoError(t, err)
		require.False(t, textcodec.HasMarkers(text) && len(m.Fields) > 0, "%s", text)
		read, err := textcodec.Decode(text, 7, types)
		require.NoError(t, err)
		require.True(t, read.Entity.Same(want), "%s", text)
	})
}

func TestALineOfOneSideStaysAsItWasWritten(t *testing.T) {
	typ := &entity.Type{Name: "Lamp", Fields: []*entity.Field{
		{Name: "at", Shape: entity.Shape{Kind: entity.KindVec2}}, {Name: "on", Shape: entity.Shape{Kind: entity.KindBool}},
	}}
	text := "Lamp\n0\n7\n; at\n    1\n<<<<<<< Updated upstream\n    2\n||||||| base\n    9\n=======\n    3.0\n>>>>>>> Stashed changes\n; on\n    false\n"
	for side, want := range map[resolve.Side]string{
		resolve.Mine:   "Lamp\n0\n7\n; at\n    1\n    3.0\n; on\n    false\n",
		resolve.Shared: "Lamp\n0\n7\n; at\n    1\n    2\n; on\n    false\n",
	} {
		dir, findings := marks(t, t.TempDir(), typ, []byte(text))
		files, err := marked.Open(dir, findings, nil)
		require.NoError(t, err)
		_, err = files.Take(side, resolve.Selection{Names: []string{"Lamp"}})
		require.NoError(t, err)
		_, _, err = files.Apply()
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir.Root, dir.Settings.Shard.Name(7)))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

// Whichever side deleted an entity, the file goes where that side is taken, and stays
// without its markers where the other is; what is in conflict besides is settled with it, or
// stays marked.
func TestADeletionIsTakenOrNot(t *testing.T) {
	typ := &entity.Type{Name: "Lamp", Fields: []*entity.Field{{Name: "on", Shape: entity.Shape{Kind: entity.KindBool}}}}
	const bare, on = "Lamp\n0\n7\n; on\n    false\n", "Lamp\n0\n7\n<<<<<<< shared\n; on\n    false\n=======\n; on\n    true\n>>>>>>> yours\n"
	const byUs, byThem = "<<<<<<< shared: yours deleted it\n=======\n>>>>>>> yours\n", "<<<<<<< yours: shared deleted it\n=======\n>>>>>>> shared\n"
	const byNone = "<<<<<<< shared: deleted\n=======\n>>>>>>> yours\n"
	for _, c := range []struct {
		text   string
		side   resolve.Side
		fields []string
		want   string // "": the file is gone
		left   int    // conflicts and files
	}{
		{bare + byUs, resolve.Mine, nil, "", 0},
		{bare + byUs, resolve.Shared, nil, bare, 0},
		{bare + byThem, resolve.Mine, nil, bare, 0},
		{bare + byThem, resolve.Shared, nil, "", 0},
		{on + byUs, resolve.Mine, nil, "", 0},
		{on + byUs, resolve.Shared, nil, bare, 0},
		{on + byUs, resolve.Shared, []string{"on"}, bare + byUs, 1},
		{on + byUs, resolve.Mine, []string{"on"}, "Lamp\n0\n7\n; on\n    true\n" + byUs, 1},
		{on + byNone, resolve.Mine, nil, "Lamp\n0\n7\n; on\n    true\n" + byNone, 1},
		{bare + byNone, resolve.Mine, nil, bare + byNone, 1},
		{bare + "<<<<<<< yours: ann deleted it\n=======\n>>>>>>> shared\n", resolve.Mine, nil, bare + "<<<<<<< yours: ann deleted it\n=======\n>>>>>>> shared\n", 1},
	} {
		dir, findings := marks(t, t.TempDir(), typ, []byte(c.text))
		files, err := marked.Open(dir, findings, nil)
		require.NoError(t, err)
		_, err = files.Take(c.side, resolve.Selection{Fields: c.fields})
		require.NoError(t, err)
		require.Equal(t, c.left, len(files.Left())+len(files.Unread), c.text)
		_, removed, err := files.Apply()
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir.Root, dir.Settings.Shard.Name(7)))
		require.Equal(t, c.want == "", os.IsNotExist(err))
		require.Equal(t, c.want == "", removed == 1)
		require.Equal(t, c.want, string(got))
	}
}

// Where the sides are of two types or revisions, the file becomes that of the side that is taken, be
// it that the markers also say something that names no side.
func TestASideOfAnotherTypeIsTaken(t *testing.T) {
	typ := &entity.Type{Name: "Lamp", Fields: []*entity.Field{{Name: "on", Shape: entity.Shape{Kind: entity.KindBool}}}}
	const lamp, torch = "Lamp\n0\n7\n; on\n    false\n", "Torch\n0\n7\n; lit\n    1\n"
	const both = "<<<<<<< yours\n" + lamp + "=======\n" + torch + ">>>>>>> shared\n"
	const unsaid = "<<<<<<< yours: deleted\n=======\n>>>>>>> shared\n"
	for _, c := range []struct {
		text string
		side resolve.Side
		want string
	}{
		{both, resolve.Mine, lamp},
		{both, resolve.Shared, torch},
		{both + unsaid, resolve.Mine, lamp + unsaid},
		{both + unsaid, resolve.Shared, torch + unsaid},
	} {
		dir, findings := marks(t, t.TempDir(), typ, []byte(c.text))
		files, err := marked.Open(dir, findings, nil)
		require.NoError(t, err)
		n, err := files.Take(c.side, resolve.Selection{})
		require.NoError(t, err)
		require.Equal(t, 1, n)
		_, _, err = files.Apply()
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir.Root, dir.Settings.Shard.Name(7)))
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
	}
}

// Where the pack alone has entities, the deletion is a Replacement without a text.
func TestADeletionIsTakenInThePack(t *testing.T) {
	typ := &entity.Type{Name: "Lamp", Fields: []*entity.Field{{Name: "on", Shape: entity.Shape{Kind: entity.KindBool}}}}
	text := []byte("Lamp\n0\n7\n; on\n    false\n<<<<<<< yours: shared deleted it\n=======\n>>>>>>> shared\n")
	dir, findings := marks(t, t.TempDir(), typ, nil)
	files, err := marked.Open(dir, findings, func(entity.ID) ([]byte, error) { return text, nil })
	require.NoError(t, err)
	_, err = files.Take(resolve.Shared, resolve.Selection{})
	require.NoError(t, err)
	require.Equal(t, []cache.Replacement{{ID: 7, Was: text}}, files.Replacements())
}
