// Package measure counts what makes a tree of Go easy or hard to live in: methods and
// fields of types, exported names and lines of packages, and comments that do not name
// their actor. make check holds the tree to limits by it.
package measure

import (
	"bytes"
	"cmp"
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
)

// Type is a type of a package, named PACKAGE.NAME.
type Type struct {
	Name            string
	Methods, Fields int
}

// Package is a package without its tests.
type Package struct {
	Name            string // its directory, with slashes
	Lines, Exported int
}

// Tree is what was counted in all packages below a directory.
type Tree struct {
	Types    []Type    // the most methods first
	Packages []Package // the longest first
	Actors   []string  // FILE:LINE of comments with a word that stands for no actor
}

// noActor are words in place of which a comment names the caller, the process, the
// kernel, the goroutine.
var noActor = regexp.MustCompile(`(?i)\b(who|whoever|somebody|nobody)\b`)

// Read counts all packages below root, tests and generated data left out.
func Read(root string) (*Tree, error) {
	t := &Tree{}
	types, packages := make(map[string]*Type), make(map[string]*Package)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return t.file(path, filepath.ToSlash(rel), types, packages)
	})
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", root, err)
	}
	for _, typ := range types {
		t.Types = append(t.Types, *typ)
	}
	for _, p := range packages {
		t.Packages = append(t.Packages, *p)
	}
	slices.SortFunc(t.Types, func(a, b Type) int {
		return cmp.Or(b.Methods-a.Methods, b.Fields-a.Fields, cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(t.Packages, func(a, b Package) int { return cmp.Or(b.Lines-a.Lines, cmp.Compare(a.Name, b.Name)) })
	slices.Sort(t.Actors)
	return t, nil
}

// file counts one file, whose name in the tree is rel.
func (t *Tree) file(path, rel string, types map[string]*Type, packages map[string]*Package) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, data, parser.ParseComments)
	if err != nil {
		return err
	}
	dir := filepath.ToSlash(filepath.Dir(rel))
	p := packages[dir]
	if p == nil {
		p = &Package{Name: dir}
		packages[dir] = p
	}
	p.Lines += bytes.Count(data, []byte("\n"))
	typ := func(name string) *Type {
		name = dir + "." + name
		if types[name] == nil {
			types[name] = &Type{Name: name}
		}
		return types[name]
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				p.Exported++
			}
			if name := receiver(d); name != "" {
				typ(name).Methods++
			}
		case *ast.GenDecl:
			p.declared(d, typ)
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if noActor.MatchString(c.Text) {
				t.Actors = append(t.Actors, fmt.Sprintf("%s:%d", rel, files.Position(c.Pos()).Line))
			}
		}
	}
	return nil
}

// declared counts what a declaration of types, constants or variables has.
func (p *Package) declared(d *ast.GenDecl, typ func(string) *Type) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() {
					p.Exported++
				}
			}
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				p.Exported++
			}
			if st, ok := s.Type.(*ast.StructType); ok {
				typ(s.Name.Name).Fields += fields(st)
			}
		}
	}
}

// fields returns how many fields a struct has; one that is embedded is one.
func fields(st *ast.StructType) (n int) {
	for _, f := range st.Fields.List {
		n += max(1, len(f.Names))
	}
	return n
}

// receiver returns the name of a method's type, "" of a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
