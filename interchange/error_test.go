package interchange

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// declarations are the types that the wrong lines stand under.
const declarations = `{"type":{"name":"Door","revision":72,"fields":[` +
	`{"name":"position","kind":"vec3"},{"name":"map_size","kind":"u32","since":63,"until":85},` +
	`{"name":"old","kind":"bool","until":60},{"name":"parent","kind":"ref","direct":true},` +
	`{"name":"targets","kind":"set","of":"ref","optional":true},{"name":"n","kind":"i8"},{"name":"f","kind":"f32"},` +
	`{"name":"d","kind":"f64"},{"name":"s","kind":"string"},{"name":"b","kind":"blob"},{"name":"g","kind":"guid"},` +
	`{"name":"e","kind":"enum","values":["closed","open"]},{"name":"l","kind":"flags","values":["lit"]},` +
	`{"name":"path","kind":"array","of":{"kind":"struct","fields":[{"name":"id","kind":"u8"},{"name":"at","kind":"vec2"}]},"key":"id"}]}}` + "\n"

// TestErrors reads each line of testdata/errors.jsonl under the declarations
// and compares all messages with testdata/errors.golden. A line break within a
// case is written ⏎.
func TestErrors(t *testing.T) {
	cases, err := os.ReadFile("testdata/errors.jsonl")
	require.NoError(t, err)
	var got strings.Builder
	for line := range strings.Lines(string(cases)) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
		line = strings.ReplaceAll(line, "␦", "\xff")
		d, err := Read(strings.NewReader(declarations+line), "world.jsonl", nil, nil)
		require.Error(t, err, line)
		require.Nil(t, d)
		var e *Error
		require.ErrorAs(t, err, &e)
		fmt.Fprintln(&got, err)
	}
	if os.Getenv("REWRITE") != "" {
		require.NoError(t, os.WriteFile("testdata/errors.golden", []byte(got.String()), 0o666))
	}
	want, err := os.ReadFile("testdata/errors.golden")
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestReadBrokenStreams(t *testing.T) {
	_, err := Read(iotest.TimeoutReader(strings.NewReader(strings.Repeat(declarations, 1))), "w", nil, nil)
	require.ErrorIs(t, err, iotest.ErrTimeout)

	_, err = Read(strings.NewReader(strings.Repeat("x", 1<<20)), "w", nil, nil)
	require.EqualError(t, err, `read w after line 0: a line does not begin with "{"; is the file JSON lines?`)

	long := `{"entity":{"id":1,"type":"T","unknown":[{"name":"a","lines":"` + strings.Repeat("x", 3<<20) + `"}]}}`
	d, err := Read(strings.NewReader(long), "w", nil, nil)
	require.NoError(t, err)
	require.Len(t, d.Entities[0].Unknown[0].Lines, 3<<20)
	_, err = Read(strings.NewReader(long[:2<<20]), "w", nil, nil)
	require.EqualError(t, err, "w:1: T 1: the JSON ends too early; is the line cut off?")
}

func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(declarations))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	flipped := bytes.Clone(packed.Bytes())
	flipped[len(flipped)-6] ^= 1
	path := t.TempDir() + "/w.jsonl.gz"
	for want, data := range map[string][]byte{
		"":                                     packed.Bytes(),
		"the gzip file is cut off":             packed.Bytes()[:packed.Len()-20],
		"its checksum is wrong":                flipped,
		"but the file is not packed with gzip": []byte(declarations),
	} {
		require.NoError(t, os.WriteFile(path, data, 0o666))
		in, err := Open(path)
		if err == nil {
			_, err = Read(in, path, nil, nil)
			require.NoError(t, in.Close())
		}
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, path)
	}
}

func TestCreate(t *testing.T) {
	path := t.TempDir() + "/w.jsonl.gz"
	out, err := Create(path)
	require.NoError(t, err)
	_, err = out.Write([]byte(declarations))
	require.NoError(t, err)
	require.NoFileExists(t, path)
	require.NoError(t, out.Close())
	require.NoFileExists(t, path, "given up")

	out, err = Create(path)
	require.NoError(t, err)
	_, err = out.Write([]byte(declarations))
	require.NoError(t, err)
	require.NoError(t, out.Commit())
	require.NoError(t, out.Close())
	in, err := Open(path)
	require.NoError(t, err)
	defer in.Close()
	data, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, declarations, string(data))
	entries, err := os.ReadDir(path[:strings.LastIndexByte(path, '/')])
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteFails(t *testing.T) {
	w := entity.NewWorld(entity.GUID{}, &entity.Types{})
	w.Types.Put(&entity.Type{Name: "T"})
	require.ErrorContains(t, Write(brokenWriter{}, w.Types, w, nil), "disk full")
}

// TestSmallFileOfLargeValues holds the reader to memory in proportion to its
// input: a type of many fields, and entities that give none of them.
func TestSmallFileOfLargeValues(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"type":{"name":"T","fields":[{"name":"a","kind":"array","of":{"kind":"struct","fields":[`)
	for i := range 5000 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"name":"f%d","kind":"u8"}`, i)
	}
	text.WriteString("]}}]}}\n" + `{"entity":{"id":1,"type":"T","fields":{"a":[{}` + strings.Repeat(",{}", 10000) + "]}}}\n")
	_, err := Read(strings.NewReader(text.String()), "w", nil, nil)
	require.ErrorContains(t, err, "far more values are left to their defaults than are given")
}
