package interchange

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

func seeds(f *testing.F) []string {
	data, err := os.ReadFile("testdata/errors.jsonl")
	require.NoError(f, err)
	more, err := os.ReadFile("testdata/spellings.jsonl")
	require.NoError(f, err)
	return strings.Split(strings.TrimSpace(string(data)+string(more)), "\n")
}

// FuzzRead checks that whatever is read into a world that knows some types is
// written as the same world.
func FuzzRead(f *testing.F) {
	for _, line := range seeds(f) {
		f.Add([]byte(line))
	}
	declared, err := Read(strings.NewReader(declarations), "known", nil, nil)
	require.NoError(f, err)
	known := entity.NewTypes(declared.Types...)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(bytes.NewReader(data), "w.jsonl", known, nil)
		if err != nil {
			require.Nil(t, d)
			return
		}
		w := world(d)
		w.Types = entity.NewTypes(append(known.All(), d.Types...)...)
		for e := range w.All() {
			require.NoError(t, e.Validate())
		}
		text := write(t, w)
		d, err = Read(bytes.NewReader(text), "w.jsonl", nil, nil)
		require.NoError(t, err)
		requireEqual(t, w, world(d))
		require.Equal(t, string(text), string(write(t, world(d))))
	})
}

// FuzzReadUndeclared checks that whatever is kept of undeclared types is written as a text
// that is read as the same.
func FuzzReadUndeclared(f *testing.F) {
	for _, line := range seeds(f) {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"entity":{"id":1,"type":"A","fields":{"a":[1,-0.5e3],"b":{"; c":[null,{"":"\n"},[[]]]},"d":"]","e":null,"":1}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ReadUndeclared(bytes.NewReader(data), "w.jsonl", nil)
		if err != nil {
			require.Nil(t, d)
			return
		}
		for _, e := range d.Entities {
			require.NoError(t, e.Validate())
			text := textcodec.Append(nil, e)
			back, err := textcodec.Decode(text, e.ID, entity.NewTypes(d.Types...))
			require.NoError(t, err, "%s", text)
			require.Equal(t, string(text), string(textcodec.Append(nil, back.Entity)))
		}
	})
}

// FuzzParseType checks that whatever is read is written as the same type.
func FuzzParseType(f *testing.F) {
	for _, line := range append(seeds(f), strings.TrimSpace(declarations)) {
		if inner, ok := strings.CutPrefix(line, `{"type":`); ok {
			f.Add([]byte(strings.TrimSuffix(inner, "}")))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		typ, err := ParseType(data)
		if err != nil {
			return
		}
		line := AppendType(nil, typ)
		back, err := ParseType(line)
		require.NoError(t, err, "%s", line)
		require.Equal(t, string(line), string(AppendType(nil, back)))
	})
}
