package interchange

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
)

// linesReader keeps the entities of the first stream.
type linesReader struct {
	lines *Lines
	first map[entity.ID]*entity.Entity
}

func (l *linesReader) read(text, file string) (*Document, error) {
	doc := &Document{}
	types, err := l.lines.Read(strings.NewReader(text), file, Sink{
		Entity: func(e *entity.Entity) { doc.Entities = append(doc.Entities, e) },
		Same:   func(id entity.ID) { doc.Entities = append(doc.Entities, l.first[id]) },
	})
	if err != nil {
		return nil, err
	}
	if l.first == nil {
		l.first = make(map[entity.ID]*entity.Entity)
		for _, e := range doc.Entities {
			l.first[e.ID] = e
		}
	}
	doc.Types = types
	return doc, nil
}

// A stream reads as it does alone, whatever was read before: with the same entities,
// or the same error.
func TestLinesReadWhatReadReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := strings.SplitAfter(string(write(t, entitytest.World().Draw(t, "world"))), "\n")
		second := slices.Clone(first)
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			i := rapid.IntRange(0, len(second)-1).Draw(t, "line")
			switch rapid.IntRange(0, 3).Draw(t, "op") {
			case 0:
				second = slices.Insert(second, i, second[rapid.IntRange(0, len(second)-1).Draw(t, "from")])
			case 1:
				second[i] = strings.Replace(second[i], "1", "2", 1)
			case 2:
				second[i] = strings.Replace(second[i], `"kind":"u8"`, `"kind":"u16"`, 1)
			default:
				second = append(slices.Delete(second, i, i+1), "\n")
			}
		}
		lines := linesReader{lines: NewLines()}
		for _, text := range []string{strings.Join(first, ""), strings.Join(second, ""), strings.Join(first, "")} {
			want, wrong := Read(strings.NewReader(text), "x", nil, nil)
			got, err := lines.read(text, "x")
			require.Equal(t, wrong, err)
			if err == nil {
				require.Equal(t, len(want.Types), len(got.Types))
				requireEqual(t, world(want), world(got))
				require.Equal(t, write(t, world(want)), write(t, world(got)))
			}
		}
	})
}

// Most lines are parsed before their turn comes.
func TestLinesOfAnEarlierStreamAreNotParsedAgain(t *testing.T) {
	text := bytes.NewBufferString(`{"type":{"name":"Lamp","revision":1,"fields":[{"name":"radius","kind":"u32"}]}}` + "\n")
	const n = 20_000
	for id := 1; id <= n; id++ {
		fmt.Fprintf(text, `{"entity":{"id":%d,"type":"Lamp","revision":1,"fields":{"radius":3}}}`+"\n", id)
	}
	other := bytes.Replace(text.Bytes(), []byte(`"id":7777,"type":"Lamp","revision":1,"fields":{"radius":3}`),
		[]byte(`"id":7777,"type":"Lamp","revision":1,"fields":{"radius":4}`), 1)
	widened := bytes.Replace(text.Bytes(), []byte("u32"), []byte("u64"), 1)
	lines := linesReader{lines: NewLines()}
	first, err := lines.read(text.String(), "first")
	require.NoError(t, err)
	second, err := lines.read(string(other), "second")
	require.NoError(t, err)
	third, err := lines.read(string(widened), "third")
	require.NoError(t, err)
	fourth, err := lines.read(string(other), "fourth")
	require.NoError(t, err)
	require.Same(t, first.Types[0], second.Types[0])
	for i, e := range first.Entities {
		require.Equal(t, i != 7776, e == second.Entities[i])
		require.NotSame(t, e, third.Entities[i])
		require.Same(t, second.Entities[i], fourth.Entities[i])
	}
	twice := append(bytes.Clone(text.Bytes()), `{"entity":{"id":5,"type":"Lamp","revision":1,"fields":{"radius":3}}}`...)
	_, wrong := Read(bytes.NewReader(twice), "twice", nil, nil)
	_, err = lines.read(string(twice), "twice")
	require.Error(t, err)
	require.Equal(t, wrong, err)
}
