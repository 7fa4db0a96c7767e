package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImportOfAnUndeclaredType takes in an entity of a type that is declared nowhere: not by
// a misspelt name, and for those that mean it with all its values, which a declaration
// that comes later finds.
func TestImportOfAnUndeclaredType(t *testing.T) {
	t.Parallel()
	const fields = `"on":true,"watts":0.1,"count":"18446744073709551615","at":[46.10353,-0,1e-7],"name":"a \"b\"\nZoë","shape":"half open",` +
		`"targets":[6001,6005,6555,6001,6005],"none":[],"path":[[1,2,3],[4,5,6]],"words":["x","y z"],"light":{"watts":5,"odd name ":[1,2],"wait":null},"gone":null`
	for _, place := range []string{"plain", "mounted"} {
		t.Run(place, func(t *testing.T) {
			b := editingWorld(t, place)
			b.write("in.jsonl", `{"entity":{"id":7001,"type":"Beacon","revision":2,"fields":{`+fields+`}}}`+"\n")
			b.write("misspelt.jsonl", `{"entity":{"id":6555,"type":"Dooor","fields":{"entity_name":"x"}}}`+"\n")

			before := b.textOf("6555")
			for file, typ := range map[string]string{"in.jsonl": "Beacon", "misspelt.jsonl": "Dooor"} {
				out, code := b.try("worldfs", "import", file)
				require.Equal(t, 3, code, out)
				require.Contains(t, out, `the type "`+typ+`" is declared neither here nor in types/, so nothing is taken in`)
				require.Contains(t, out, "--allow-unknown-types")
			}
			require.Equal(t, before, b.textOf("6555"))

			b.run("worldfs", "import", "--allow-unknown-types", "in.jsonl")
			text := b.textOf("7001")
			require.Contains(t, text, "; watts\n    0.1\n")
			require.Contains(t, b.run("worldfs", "status"), "Beacon")

			b.write("types/Beacon.toml", `name = "Beacon"
revision = 2
fields = [
	{name = "on", kind = "bool"}, {name = "watts", kind = "f64"}, {name = "count", kind = "u64"}, {name = "at", kind = "vec3"},
	{name = "name", kind = "string"}, {name = "shape", kind = "enum", values = ["closed", "half open"]},
	{name = "targets", kind = "array", of = "ref"}, {name = "none", kind = "array", of = "ref"}, {name = "path", kind = "array", of = "vec3"},
	{name = "words", kind = "array", of = "string"},
	{name = "light", kind = "struct", fields = [{name = "watts", kind = "f32"}, {name = "odd name ", kind = "vec2"}, {name = "wait", kind = "f32", optional = true}]},
	{name = "gone", kind = "f32", optional = true},
]
`)
			require.NotContains(t, b.run("worldfs", "status"), "Beacon 7001, ")
			b.run("worldfs", "export", "-o", "out.jsonl")
			_, line, _ := strings.Cut(b.read("out.jsonl"), `{"id":7001,`)
			line, _, _ = strings.Cut(line, "\n")
			require.Equal(t, `"type":"Beacon","revision":2,"fields":{`+
				`"on":true,"watts":0.1,"count":"18446744073709551615","at":[46.10353,-0,1e-7],"name":"a \"b\"\nZoë","shape":"half open",`+
				`"targets":[6001,6005,6555,6001,6005],"none":[],"path":[[1,2,3],[4,5,6]],"words":["x","y z"],"light":{"watts":5,"odd name ":[1,2]}}}}`, line)
		})
	}
}

// TestImportOfWhatCannotBeKept names the line and the field of an undeclared type's value
// that no kind could have.
func TestImportOfWhatCannotBeKept(t *testing.T) {
	b := editingWorld(t, "plain")
	deep := `{"entity":{"id":7001,"type":"Beacon","fields":{"a":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}}}`
	b.write("in.jsonl", deep+"\n")
	out, code := b.try("worldfs", "import", "--allow-unknown-types", "in.jsonl")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "in.jsonl:1: Beacon 7001, field a: element 1: element 1")
	require.Contains(t, out, "nested more than 16 deep")
	require.NotContains(t, b.run("worldfs", "ls"), "7001")
}
