package conflicts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/conflictfile"
	"github.com/worldfs/worldfs/internal/mounting/conflicts"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

func lampType(revision uint32) *entity.Type {
	typ := &entity.Type{Name: "Lamp", Revision: revision, Fields: []*entity.Field{
		{Name: "radius", Shape: entity.Shape{Kind: entity.KindU32}}, {Name: "watts", Shape: entity.Shape{Kind: entity.KindU32, Optional: true}},
	}}
	if revision > 1 {
		typ.Fields = append(typ.Fields, &entity.Field{Name: "more", Shape: entity.Shape{Kind: entity.KindU32, Optional: true}})
	}
	return typ
}

// lamp is a lamp of a radius and as many watts.
func lamp(id entity.ID, typ *entity.Type, n uint64) *entity.Entity {
	e := entity.New(id, typ.Current())
	e.Values[0], e.Values[1] = entity.NewUint(entity.KindU32, n), entity.NewUint(entity.KindU32, n)
	return e
}

func withLines(e *entity.Entity, lines string) *entity.Entity {
	e.Unknown = []entity.Raw{{Name: "odd", Lines: "    " + lines}}
	return e
}

// world is a live world, and the types file and the entities' texts that people see.
type world struct {
	*testing.T
	*cache.World
	dir *worlddir.Dir
}

func open(t *testing.T, entities ...*entity.Entity) world {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	w, err := cache.Open(dir, cache.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	_, err = w.Import(cache.Intake{Types: []*entity.Type{lampType(1)}, Entities: entities})
	require.NoError(t, err)
	return world{t, w, dir}
}

func (w world) get(id entity.ID) *entity.Entity {
	view, err := w.View()
	require.NoError(w, err)
	e, _ := view.Get(id)
	return e
}

func (w world) text(id entity.ID) string {
	file, err := w.Lookup(id)
	if err != nil {
		return ""
	}
	text, err := file.Text()
	require.NoError(w, err)
	return string(text)
}

func (w world) types() string {
	data, err := os.ReadFile(filepath.Join(w.dir.TypesPath(), "Lamp.toml"))
	require.NoError(w, err)
	return string(data)
}

func written(t *testing.T, d *conflictfile.Document) string {
	var out bytes.Buffer
	require.NoError(t, conflictfile.Write(&out, d))
	return out.String()
}

func (w world) take(file string, o merge.Options) (report cache.Report) {
	w.Helper()
	report, err := conflicts.Take(w.World, w.dir, strings.NewReader(file), "a.conflicts", o)
	require.NoError(w, err)
	return report
}

func about(stands conflictfile.Side, fields ...string) (all []conflictfile.Conflict) {
	for _, field := range fields {
		all = append(all, conflictfile.Conflict{Kind: "property", Field: field, Path: field, Stands: stands, Why: "both changed it"})
	}
	return all
}

func TestWhatBecomesOfAConflict(t *testing.T) {
	typ := lampType(1)
	base, ours, theirs := lamp(7, typ, 1), lamp(7, typ, 2), lamp(7, typ, 3)
	mixed := lamp(7, typ, 2)
	mixed.Values[0] = theirs.Values[0]
	further := lamp(7, lampType(2), 3)
	further.Values[2] = entity.NewUint(entity.KindU32, 9)
	rule := merge.Options{Policy: merge.Mine, Rules: func(typ, field string) (merge.Policy, bool) {
		return merge.Shared, typ == "Lamp" && field == "radius"
	}}
	for what, x := range map[string]struct {
		now     *entity.Entity
		d       conflictfile.Entity
		options merge.Options
		want    *entity.Entity
		left    string
		marked  string // in its text
	}{
		"a field, left":         {ours, conflictfile.Entity{Base: base, Ours: ours, Theirs: theirs, Conflicts: about("ours", "radius")}, merge.Options{}, ours, "both are marked in its text", "<<<<<<< yours\n; radius\n    2\n=======\n; radius\n    3\n>>>>>>> shared\n"},
		"fields, shared":        {ours, conflictfile.Entity{Base: base, Ours: ours, Theirs: theirs, Conflicts: about("ours", "radius", "watts")}, merge.Options{Policy: merge.Shared}, theirs, "", ""},
		"a field, shared":       {ours, conflictfile.Entity{Base: base, Ours: ours, Theirs: theirs, Conflicts: about("ours", "radius")}, merge.Options{Policy: merge.Shared}, mixed, "", ""},
		"fields, mine":          {ours, conflictfile.Entity{Base: base, Ours: ours, Theirs: theirs, Conflicts: about("ours", "radius", "watts")}, merge.Options{Policy: merge.Mine}, ours, "", ""},
		"theirs stands, mine":   {theirs, conflictfile.Entity{Base: base, Ours: ours, Theirs: theirs, Conflicts: about("theirs", "radius", "watts")}, merge.Options{Policy: merge.Mine}, ours, "", ""},
		"by a rule":             {ours, conflictfile.Entity{Base: base, Ours: ours, Theirs: theirs, Conflicts: about("ours", "radius", "watts")}, rule, mixed, "", ""},
		"decided since":         {theirs, conflictfile.Entity{Base: base, Ours: ours, Theirs: theirs, Conflicts: about("ours", "radius")}, merge.Options{}, theirs, "", ""},
		"deleted since":         {nil, conflictfile.Entity{Base: base, Ours: ours, Theirs: theirs, Conflicts: about("ours", "radius")}, merge.Options{}, nil, "", ""},
		"lines of an old field": {withLines(lamp(7, typ, 2), "1"), conflictfile.Entity{Ours: withLines(lamp(7, typ, 2), "1"), Theirs: withLines(lamp(7, typ, 3), "2"), Conflicts: about("ours", "odd")}, merge.Options{Policy: merge.Shared}, withLines(lamp(7, typ, 2), "2"), "", ""},
		"lines, decided since":  {withLines(lamp(7, typ, 2), "2"), conflictfile.Entity{Ours: withLines(lamp(7, typ, 2), "1"), Theirs: withLines(lamp(7, typ, 3), "2"), Conflicts: about("ours", "odd")}, merge.Options{}, withLines(lamp(7, typ, 2), "2"), "", ""},
		"a deletion, left":      {theirs, conflictfile.Entity{Base: base, Theirs: theirs, Conflicts: about("theirs", "")}, merge.Options{}, theirs, "it is marked in its text", ">>>>>>> shared\n"},
		"a deletion, mine":      {theirs, conflictfile.Entity{Base: base, Theirs: theirs, Conflicts: about("theirs", "")}, merge.Options{Policy: merge.Mine}, nil, "", ""},
		"a deletion, shared":    {theirs, conflictfile.Entity{Base: base, Theirs: theirs, Conflicts: about("theirs", "")}, merge.Options{Policy: merge.Shared}, theirs, "", ""},
		"deleted here, shared":  {nil, conflictfile.Entity{Base: base, Theirs: theirs, Conflicts: about("ours", "")}, merge.Options{Policy: merge.Shared}, theirs, "", ""},
		"deleted here, left":    {nil, conflictfile.Entity{Base: base, Theirs: theirs, Conflicts: about("ours", "")}, merge.Options{}, nil, "it is not there any more", ""},
		// No merge writes these; the format is other programs' too.
		"a field of one side, shared":         {ours, conflictfile.Entity{Ours: ours, Conflicts: about("ours", "radius")}, merge.Options{Policy: merge.Shared}, ours, "no place for the other side's value", ""},
		"a field of one side, left":           {ours, conflictfile.Entity{Ours: ours, Conflicts: about("ours", "radius")}, merge.Options{}, ours, "marked in its text", "<<<<<<< yours\n; radius\n    2\n=======\n>>>>>>> shared\n"},
		"a deletion and a field":              {ours, conflictfile.Entity{Ours: ours, Conflicts: about("ours", "", "radius")}, merge.Options{Policy: merge.Shared}, nil, "", ""},
		"a field that there is not":           {ours, conflictfile.Entity{Ours: ours, Theirs: theirs, Conflicts: about("ours", "none")}, merge.Options{Policy: merge.Shared}, ours, "", ""},
		"a field that the type does not have": {ours, conflictfile.Entity{Ours: ours, Theirs: withLines(lamp(7, typ, 3), "2"), Conflicts: about("ours", "odd")}, merge.Options{Policy: merge.Shared}, withLines(lamp(7, typ, 2), "2"), "", ""},
	} {
		t.Run(what, func(t *testing.T) {
			w := open(t, lamp(1, typ, 1))
			if x.now != nil {
				_, err := w.Import(cache.Intake{Entities: []*entity.Entity{x.now}})
				require.NoError(t, err)
			}
			file := written(t, &conflictfile.Document{Entities: []conflictfile.Entity{x.d}})
			for range 2 { // once more changes nothing
				report := w.take(file, x.options)
				if x.left != "" {
					require.Len(t, report.Conflicts, 1)
					require.True(t, report.Conflicts[0].Left)
					require.Equal(t, entity.ID(7), report.Conflicts[0].ID)
					require.Contains(t, report.Conflicts[0].Words, x.left)
				} else {
					require.Empty(t, report.Conflicts)
				}
				if x.want == nil {
					require.Nil(t, w.get(7))
				} else {
					require.True(t, x.want.Equal(w.get(7)), w.text(7))
				}
				require.Contains(t, w.text(7), x.marked)
				require.Equal(t, x.marked != "", strings.Contains(w.text(7), "<<<<<<<"))
			}
		})
	}
}

func TestWhatBecomesOfADeclaration(t *testing.T) {
	for what, x := range map[string]struct {
		d       conflictfile.Type
		options merge.Options
		want    string // in the types file
		left    int
	}{
		"left":             {conflictfile.Type{Stands: lampType(1), Other: lampType(2), Conflicts: about("ours", "more", "radius")}, merge.Options{}, "<<<<<<< ", 2},
		"shared":           {conflictfile.Type{Stands: lampType(1), Other: lampType(2), Conflicts: about("ours", "more", "radius")}, merge.Options{Policy: merge.Shared}, "revision = 2", 0},
		"mine":             {conflictfile.Type{Stands: lampType(1), Other: lampType(2), Conflicts: about("ours", "more")}, merge.Options{Policy: merge.Mine}, "revision = 1", 0},
		"there is none":    {conflictfile.Type{Stands: lampType(1), Conflicts: about("ours", "")}, merge.Options{Policy: merge.Shared}, "<<<<<<< ", 1},
		"of each a half":   {conflictfile.Type{Stands: lampType(1), Other: lampType(2), Conflicts: append(about("ours", "more"), about("theirs", "radius")...)}, merge.Options{Policy: merge.Shared}, "<<<<<<< ", 2},
		"there is no such": {conflictfile.Type{Stands: &entity.Type{Name: "Gone", Revision: 1}, Conflicts: about("ours", "")}, merge.Options{}, "revision = 1", 0},
	} {
		t.Run(what, func(t *testing.T) {
			w := open(t, lamp(1, lampType(1), 1))
			report := w.take(written(t, &conflictfile.Document{Types: []conflictfile.Type{x.d}}), x.options)
			require.Len(t, report.Conflicts, x.left)
			require.Contains(t, w.types(), x.want)
			require.Equal(t, x.left > 0, strings.Contains(w.types(), "<<<<<<<"))
		})
	}
}

func TestNothingIsTakenOfADamagedFile(t *testing.T) {
	typ := lampType(1)
	w := open(t, lamp(7, typ, 2))
	file := written(t, &conflictfile.Document{Types: []conflictfile.Type{{Stands: typ, Other: lampType(2), Conflicts: about("ours", "")}},
		Entities: []conflictfile.Entity{{Ours: lamp(7, typ, 2), Theirs: lamp(7, typ, 3), Conflicts: about("ours", "radius")}}})
	before := w.types() + w.text(7)
	for _, bad := range []string{"", "\n", "{}", file[:len(file)/2], file[:strings.LastIndex(file[:len(file)-1], "\n")+1], file + file, strings.Replace(file, `"radius":3`, `"radius":-3`, 1)} {
		_, err := conflicts.Take(w.World, w.dir, strings.NewReader(bad), "a.conflicts", merge.Options{Policy: merge.Shared})
		require.ErrorContains(t, err, "a.conflicts:")
		require.Equal(t, before, w.types()+w.text(7))
	}
	w.take(file, merge.Options{Policy: merge.Shared})
	require.NotEqual(t, before, w.types()+w.text(7))
	past, err := w.History(7)
	require.NoError(t, err)
	require.Equal(t, "apply a.conflicts", past[len(past)-1].By+" "+past[len(past)-1].Note)
}
