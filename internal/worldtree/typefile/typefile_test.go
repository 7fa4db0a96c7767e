package typefile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/interchange"
)

// decorated generates types with everything that entitytest's do not have.
func decorated() *rapid.Generator[*entity.Type] {
	return rapid.Custom(func(t *rapid.T) *entity.Type {
		typ := entitytest.Type().Draw(t, "type")
		typ.Attributes = attributes(t)
		for _, f := range typ.Fields {
			f.Attributes = attributes(t)
			f.Hidden = rapid.Bool().Draw(t, "hidden")
			f.EditorOnly = rapid.Bool().Draw(t, "editor only")
			f.Unique = rapid.Bool().Draw(t, "unique")
			f.Derived = rapid.Bool().Draw(t, "derived")
			f.SaveWhen = rapid.SampledFrom([]string{"", `field("a") != 'x'`, "id > 5"}).Draw(t, "save when")
			if rapid.Bool().Draw(t, "default") {
				v := entitytest.Value(&f.Shape).Draw(t, "value")
				f.Default = &v
			}
		}
		return typ
	})
}

func attributes(t *rapid.T) map[string]json.RawMessage {
	names := rapid.SliceOfNDistinct(rapid.OneOf(entitytest.Text(), rapid.SampledFrom([]string{"$json", "fields", "of", "name"})), 0, 3, rapid.ID[string]).Draw(t, "attributes")
	out := make(map[string]json.RawMessage)
	for _, name := range names {
		out[name] = json.RawMessage(rapid.SampledFrom([]string{
			"null", "1", "-0", "1.50", "1E5", "1e400", "123456789012345678901", "true", `""`, `"it's \"so\"\n"`, "[]", "{}",
			`[1,[null,{}]]`, `{"a":{"$json":"x"},"b":[]}`, `{"$json":"1"}`, `{"$json":1}`, `{"fields":[{"name":1}]}`,
			`[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]`,
		}).Draw(t, "attribute"))
	}
	return out
}

func text(t *entity.Type) string { return string(interchange.AppendType(nil, t)) }

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := decorated().Draw(t, "type")
		file := Format(typ)
		back, err := Parse(file, "x.toml")
		require.NoError(t, err, "%s", file)
		require.Equal(t, text(typ), text(back), "%s", file)
		same, err := Update(file, typ)
		require.NoError(t, err)
		require.Equal(t, string(file), string(same))
	})
}

func TestUpdateDeclaresTheNewType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, changed := decorated().Draw(t, "old"), decorated().Draw(t, "new")
		file, err := Update(Format(old), changed)
		require.NoError(t, err)
		back, err := Parse(file, "x.toml")
		require.NoError(t, err, "%s", file)
		require.Equal(t, text(changed), text(back))
	})
}

func TestGolden(t *testing.T) {
	// Each case is a file, a declaration that it is brought to, and what it is then.
	cases, err := filepath.Glob("testdata/update/*.toml")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, path := range cases {
		old, err := os.ReadFile(path)
		require.NoError(t, err)
		line, err := os.ReadFile(path[:len(path)-5] + ".json")
		require.NoError(t, err)
		typ, err := interchange.ParseType(line)
		require.NoError(t, err)
		got, err := Update(old, typ)
		require.NoError(t, err)
		golden(t, path[:len(path)-5]+".golden", got)
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if os.Getenv("REWRITE") != "" {
		require.NoError(t, os.WriteFile(path, got, 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), path)
}
