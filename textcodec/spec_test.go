package textcodec_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

func TestTheSpecificationsExamplesAreCanonical(t *testing.T) {
	spec, err := os.ReadFile("../docs/entity-text.md")
	require.NoError(t, err)
	var fields strings.Builder
	for i, block := range strings.Split(string(spec), "```") {
		if i%2 == 1 {
			fields.WriteString(strings.TrimPrefix(block, "entity_text\n"))
		}
	}
	shapes := map[string]entity.Shape{}
	for _, s := range samples() {
		shapes[s.name] = s.shape
	}
	shapes["set"] = listOf(entity.KindSet, of(entity.KindRef))
	typ := &entity.Type{Name: "Example", Revision: 1}
	for line := range strings.Lines(fields.String()) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "; "); ok && strings.HasPrefix(line, ";") {
			require.Contains(t, shapes, name)
			typ.Fields = append(typ.Fields, &entity.Field{Name: name, Shape: shapes[name]})
			delete(shapes, name)
		}
	}
	for kind := entity.KindBool; kind <= entity.KindStruct; kind++ {
		require.NotContains(t, shapes, kind.String(), "every kind has an example")
	}
	r, err := textcodec.Decode([]byte("Example\n1\n7\n"+fields.String()), 7, entity.NewTypes(typ))
	require.NoError(t, err)
	require.True(t, r.Canonical, "%s", textcodec.Append(nil, r.Entity))
	require.Empty(t, r.Findings)

	listing := "    " + strings.ReplaceAll(strings.TrimSuffix(published, "\n"), "\n", "\n    ") + "\n"
	require.Contains(t, string(spec), listing)
}
