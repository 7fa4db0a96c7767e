package measure

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository, seen from this package.
const root = "../../.."

// TestDocumentsNameWhatExists checks that the documents for people who change the code
// name files, functions, methods, fields and tests that are there.
func TestDocumentsNameWhatExists(t *testing.T) {
	src := readSource(t)
	for _, page := range []string{"docs/architecture.md", "docs/benchmarks.md", "CONTRIBUTING.md"} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, page))
			require.NoError(t, err)
			for _, quoted := range backquoted(string(text)) {
				if err := src.check(quoted); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestCheckFindsMadeUpNames shows what check accepts and what it refuses.
func TestCheckFindsMadeUpNames(t *testing.T) {
	src := readSource(t)
	for _, c := range []struct {
		quoted string
		exists bool
	}{
		{"cache/file.go", true},
		{"cache/nosuchfile.go", false},
		{"file.go", false}, // not a path from the root
		{"internal/storage/state/", true},
		{"internal/storage/nosuchpackage", false},
		{"scripts/layers.sh -write", true},
		{"scripts/nosuch.sh -write", false},
		{"merge.Worlds", true},
		{"merge.NoSuchFunc", false},
		{"state.Store", true},
		{"state.Store.ApplyFast", true},
		{"state.Store.NoSuchMethod", false},
		{"state.NoSuchType.Apply", false},
		{"Store.ApplyFast(u)", true},
		{"Store.noSuchMethod(u)", false},
		{"source.imported", true}, // a field
		{"source.noSuchField", false},
		{"cache.Invalidator.Content", false}, // a method that the interface does not have
		{"nosuchpackage.Func", false},
		{"TestDocumentsNameWhatExists", true},
		{"TestNoSuchTest", false},
		{"fuse.ProtocolServer", true}, // another module's
		{"state.db", true},            // a file of a world
		{"entities/6555.entity_text", true},
		{"worldfs mount", true},
		{"-1.5", true},
	} {
		err := src.check(c.quoted)
		require.Equal(t, c.exists, err == nil, "%s: %v", c.quoted, err)
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan  = regexp.MustCompile("`([^`]+)`")
	testName  = regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]\w*$`)
	goName    = regexp.MustCompile(`^\pL\w*(\.\pL\w*){1,2}$`)
	repoFile  = regexp.MustCompile(`\.(go|md|sh|svg)$`)
	worldFile = regexp.MustCompile(`\.(db|wal|pack|toml|json|jsonl|txt|entity_text|damaged)$`)
)

// backquoted returns what stands between single backquotes, outside of code blocks.
func backquoted(page string) (quoted []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		quoted = append(quoted, strings.Join(strings.Fields(m[1]), " "))
	}
	return quoted
}

// source is what the repository declares.
type source struct {
	top      []string                   // names of directories at the root
	names    map[string]map[string]bool // of a package, or a type, with or without its package: what is in it
	imported map[string]bool            // last parts of the import paths of all packages
	tests    map[string]bool
}

// check returns an error if quoted looks like the path of a file of this repository, or
// like the name of something that its packages declare, and there is no such thing.
func (s *source) check(quoted string) error {
	word, _, _ := strings.Cut(quoted, " ")
	word, _, _ = strings.Cut(word, "(")
	switch {
	case s.isPath(word):
		if _, err := os.Lstat(filepath.Join(root, word)); err != nil {
			return fmt.Errorf("`%s`: there is no such file, seen from the root", quoted)
		}
	case testName.MatchString(word):
		if !s.tests[word] {
			return fmt.Errorf("`%s`: there is no such test", quoted)
		}
	case goName.MatchString(word) && !worldFile.MatchString(word):
		return s.checkName(word)
	}
	return nil
}

// isPath reports whether word is to be the path of a file or directory of the repository.
func (s *source) isPath(word string) bool {
	if strings.ContainsAny(word, "*$:") {
		return false
	}
	first, _, inside := strings.Cut(word, "/")
	return inside && slices.Contains(s.top, first) || repoFile.MatchString(word)
}

// checkName checks package.Name, Type.member and package.Type.member.
func (s *source) checkName(word string) error {
	dot := strings.LastIndex(word, ".")
	scope, name := word[:dot], word[dot+1:]
	in, ours := s.names[scope]
	switch {
	case in[name]:
		return nil
	case ours:
		return fmt.Errorf("`%s`: %s has no %s", word, scope, name)
	case s.imported[scope]:
		return nil
	}
	return fmt.Errorf("`%s`: there is no package or type %s", word, scope)
}

// readSource parses every Go file of the repository.
func readSource(t *testing.T) *source {
	s := &source{names: make(map[string]map[string]bool), imported: make(map[string]bool), tests: make(map[string]bool)}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			s.top = append(s.top, e.Name())
		}
	}
	fset := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || path != root && strings.HasPrefix(e.Name(), ".")) {
			return fs.SkipDir
		}
		if e.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.addFile(file)
		return nil
	}))
	return s
}

func (s *source) addFile(file *ast.File) {
	for _, i := range file.Imports {
		s.imported[strings.TrimSuffix(filepath.Base(i.Path.Value), `"`)] = true
	}
	pkg := strings.TrimSuffix(file.Name.Name, "_test")
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.addFunc(pkg, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s.addSpec(pkg, spec)
			}
		}
	}
}

func (s *source) addFunc(pkg string, d *ast.FuncDecl) {
	if d.Recv != nil {
		s.addMember(pkg, typeName(d.Recv.List[0].Type), d.Name.Name)
		return
	}
	s.add(pkg, d.Name.Name)
	if testName.MatchString(d.Name.Name) {
		s.tests[d.Name.Name] = true
	}
}

func (s *source) addSpec(pkg string, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			s.add(pkg, name.Name)
		}
	case *ast.TypeSpec:
		s.add(pkg, spec.Name.Name)
		s.addMember(pkg, spec.Name.Name, "")
		switch of := spec.Type.(type) {
		case *ast.StructType:
			s.addFields(pkg, spec.Name.Name, of.Fields)
		case *ast.InterfaceType:
			s.addFields(pkg, spec.Name.Name, of.Methods)
		}
	}
}

func (s *source) addFields(pkg, typ string, fields *ast.FieldList) {
	for _, f := range fields.List {
		for _, name := range f.Names {
			s.addMember(pkg, typ, name.Name)
		}
	}
}

func (s *source) addMember(pkg, typ, name string) {
	s.add(typ, name)
	s.add(pkg+"."+typ, name)
}

func (s *source) add(scope, name string) {
	if s.names[scope] == nil {
		s.names[scope] = make(map[string]bool)
	}
	s.names[scope][name] = true
}

// typeName returns the name of a receiver's type.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
