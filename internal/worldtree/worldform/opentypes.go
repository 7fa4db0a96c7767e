package worldform

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// OpenTypes returns the types of the world of that name, without reading its entities where
// that can be: those of a revision, or of a directory, which may also be one of types files
// alone. A file whose name ends in .toml is one types file, and declares its type; the
// others are then those of o.Types. What cannot be read of them is in the findings.
func OpenTypes(name string, o Options) (*entity.Types, []entity.Finding, error) {
	form, rest := parseName(name)
	switch {
	case form == formGit:
		g, err := listGit(rest, o.WorldDir(), o)
		if err != nil {
			return nil, nil, err
		}
		return g.inForce(), g.world.Findings, nil
	case form == formSVN:
		return typesOfRevision(vcs.SVN{Dir: o.WorldDir()}, rest, o)
	case form == formDir && strings.HasSuffix(rest, ".toml"):
		return typesOfFile(rest, o)
	case form == formDir && isDir(rest):
		return typesOfDirectory(rest)
	}
	w, err := Open(name, o)
	if err != nil {
		return nil, nil, err
	}
	return w.Types, w.Findings, nil
}

func typesOfRevision(reader vcs.Reader, rev string, o Options) (*entity.Types, []entity.Finding, error) {
	query := textQuery(rev)
	query.Names = []string{nameConfig, nameTypes}
	r, err := readTexts(reader.Files(query), o)
	if err != nil {
		return nil, nil, err
	}
	if r.files == 0 {
		return nil, nil, noWorldAt(rev, o.WorldDir())
	}
	return r.world.Types, r.world.Findings, nil
}

func typesOfFile(path string, o Options) (*entity.Types, []entity.Finding, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read types file: %w", err)
	}
	t, _, err := typefile.Read(data, path)
	if err != nil {
		return nil, nil, err
	}
	types := &entity.Types{}
	if o.Types != nil {
		types = o.Types.Clone()
	}
	types.Put(t)
	return types, nil, nil
}

func typesOfDirectory(dir string) (*entity.Types, []entity.Finding, error) {
	path := filepath.Join(dir, nameTypes)
	if !isDir(path) {
		path = dir
	}
	if !hasTypesIn(path) {
		return nil, nil, fmt.Errorf("%s: %w: it has no types/ and no types files such as Door.toml", dir, ErrNoWorld)
	}
	types, problems, err := typefile.ReadDir(path)
	return types, typefile.Findings("", problems), err
}

// hasTypesIn reports whether a directory has a types file in it; world.toml is none.
func hasTypesIn(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.toml")) // the pattern is a good one
	for _, f := range files {
		if filepath.Base(f) != nameConfig {
			return true
		}
	}
	return false
}
