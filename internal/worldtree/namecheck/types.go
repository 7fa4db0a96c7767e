// Package namecheck finds names in the files of a world that stand for nothing: fields in the
// conditions of types, types and fields in the rules of world.toml, and settings that are
// misspelt. What says them never does what was meant, and nothing else tells.
//
// Nothing is refused for it: findings say where the name stands, and what may be meant.
package namecheck

import (
	"errors"
	"path/filepath"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// World returns the findings about a world's files, whose types are those in force.
func World(dir *worlddir.Dir, types *entity.Types) ([]entity.Finding, error) {
	settings, err := Settings(dir, types)
	return append(Types(dir, types), settings...), err
}

// Types returns the findings about the conditions of the types in force. A file is read only
// where there is one, for the line.
func Types(dir *worlddir.Dir, types *entity.Types) (found []entity.Finding) {
	for _, t := range types.All() {
		for _, m := range expression.MisnamedInConditions(t, types) {
			f := entity.Finding{Code: entity.CodeNameUnknown, Type: t.Name, Field: m.Field, Message: m.Key + ": " + m.Misnamed.String()}
			at, err := typefile.Find(dir.TypesPath(), t.Name, m.Field, m.Key)
			if errors.Is(err, typefile.ErrNotDeclared) {
				continue // what was declared once is another file's by now, or no one's
			}
			if err == nil {
				f.File, f.Line = filepath.Join(worlddir.TypesName, at.File), at.Line
			}
			found = append(found, f)
		}
	}
	return found
}
