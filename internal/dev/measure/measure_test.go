package measure

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	write("a/a.go", "package a\n\n// T is a pair, whoever asks.\ntype T[K any] struct {\n\tA, B int\n\tfmt.Stringer\n}\n\nfunc (t *T[K]) One() {}\nfunc (T[K]) two() {}\n")
	write("a/more.go", "package a\n\nconst X, y = 1, 2\n\nfunc (t *T[K]) Three() {}\n")
	write("a/a_test.go", "package a\n\n// Nobody counts this.\nfunc (t *T[K]) Four() {}\n")
	write("a/testdata/b.go", "not Go")
	tree, err := Read(root)
	require.NoError(t, err)
	require.Equal(t, &Tree{
		Types:    []Type{{Name: "a.T", Methods: 3, Fields: 3}},
		Packages: []Package{{Name: "a", Lines: 15, Exported: 4}},
		Actors:   []string{"a/a.go:3"},
	}, tree)
	require.Empty(t, tree.Exceeded())
}

func TestExceeded(t *testing.T) {
	tree := &Tree{
		Types:    []Type{{Name: "a.Many", Methods: maxMethods + 1}, {Name: "a.Wide", Fields: maxFields + 1}, {Name: "a.Just", Methods: maxMethods, Fields: maxFields}},
		Packages: []Package{{Name: "a", Lines: maxLines + 1}},
		Actors:   make([]string, maxActors+1),
	}
	require.Len(t, tree.Exceeded(), 4)
}
