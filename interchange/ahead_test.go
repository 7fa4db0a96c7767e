package interchange

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// oneByOne is what Read gives where each line is parsed when its turn has come.
func oneByOne(text string) (*Document, error) {
	d := newDocumentReader(nil)
	for line := range strings.Lines(text) {
		if err := d.line([]byte(line)); err != nil {
			err.File, err.Line = "w", d.number
			return nil, err
		}
	}
	return &d.document, nil
}

// Lines that are parsed ahead give the entities, in their order, and the first
// error, that they give one by one.
func TestLinesParsedAhead(t *testing.T) {
	const n = 20_000
	line := func(i int) string {
		if i%7 == 0 {
			return fmt.Sprintf(`{"entity":{"id":%d,"type":"Unknown%d","unknown":[{"name":"a","lines":"%d\n"}]}}`, i, i%21, i)
		}
		return fmt.Sprintf(`{"entity":{"id":%d,"type":"T","fields":{"name":"a rather long name of number %d","n":%d}}}`, i, i, i)
	}
	fields := make([]string, 2000)
	for i := range fields {
		fields[i] = fmt.Sprintf(`{"name":"f%d","kind":"u8"}`, i)
	}
	declared := `{"type":{"name":"T","fields":[{"name":"name","kind":"string"},{"name":"n","kind":"u32"}]}}` + "\n" +
		`{"type":{"name":"Wide","fields":[` + strings.Join(fields, ",") + "]}}\n"
	for what, put := range map[string]map[int]string{
		"all is well":     {},
		"blank lines":     {n / 2: "", n/2 + 1: " \r"},
		"cut off":         {n - 5: `{"entity":{"id":`},
		"two errors":      {n - 5: `{"entity":{"id":0}}`, n - 4: "{}"},
		"a late type":     {n / 2: `{"type":{"name":"Late"}}`},
		"an ID twice":     {n / 2: line(n - 10)},
		"no such field":   {n - 1: `{"entity":{"id":77777,"type":"T","fields":{"x":1}}}`},
		"an unknown type": {n - 1: `{"entity":{"id":77777,"type":"Unknown0","fields":{"x":1}}}`},
		"an error early":  {3: "{", n - 1: "{"},
	} {
		t.Run(what, func(t *testing.T) {
			failed := requireAsOneByOne(t, declared, n, line, put)
			require.Equal(t, what != "all is well" && what != "blank lines", failed)
		})
	}
	t.Run("too much left out", func(t *testing.T) {
		wide := make(map[int]string)
		for i := range 8000 {
			wide[n/5+i] = fmt.Sprintf(`{"entity":{"id":%d,"type":"Wide"}}`, 2*n+i)
		}
		require.True(t, requireAsOneByOne(t, declared, n, line, wide))
	})
}

func requireAsOneByOne(t *testing.T, declared string, n int, line func(int) string, put map[int]string) (failed bool) {
	var text strings.Builder
	text.WriteString(declared)
	for i := 1; i <= n; i++ {
		l, ok := put[i]
		if !ok {
			l = line(i)
		}
		text.WriteString(l + "\n")
	}
	want, wantErr := oneByOne(text.String())
	got, err := Read(strings.NewReader(text.String()), "w", nil, nil)
	if wantErr != nil {
		require.EqualError(t, err, wantErr.Error())
		require.Nil(t, got)
		return true
	}
	require.NoError(t, err)
	require.Len(t, got.Entities, len(want.Entities))
	unknown := make(map[string]*entity.Type)
	for i, e := range got.Entities {
		require.True(t, want.Entities[i].Same(e), "%v", e)
		if typ := e.Layout.Type; typ.Unknown {
			require.True(t, unknown[typ.Name] == nil || unknown[typ.Name] == typ, "one type of a name")
			unknown[typ.Name] = typ
		}
	}
	return false
}
