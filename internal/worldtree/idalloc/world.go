package idalloc

import (
	"fmt"
	"iter"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/username"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/machine"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// World is the world that IDs are for.
type World struct {
	Dir      *worlddir.Dir // its settings say the role
	Entities entity.Source // what is in it now
	// Taken reports whether an ID has a text that is no entity, such as one that never
	// parsed; nil: what has a file in entities/ is all that there is.
	Taken   func(entity.ID) bool
	Machine machine.Machine // where the zero value is that of no machine
	Note    func(string)    // told what the person should know; nil: no note is taken
	// Keep replaces a file of the world's local state.
	Keep func(dir *worlddir.Dir, name string, data []byte) error
}

// New returns a world with this machine.
func New(dir *worlddir.Dir, entities entity.Source, note func(string)) *World {
	return &World{Dir: dir, Entities: entities, Machine: machine.This, Note: note, Keep: (*worlddir.Dir).Keep}
}

func (w *World) note(format string, args ...any) {
	if w.Note != nil {
		w.Note(fmt.Sprintf(format, args...))
	}
}

// Keys returns the keys whose ranges IDs are taken from: the role where there is one, else
// those of the machine.
func (w *World) Keys() []string {
	if role := w.Dir.Settings.Role; role != "" {
		return []string{idrange.Normal(role)}
	}
	return w.Machine.Keys()
}

// newKeys returns the keys that a new range is to name.
func (w *World) newKeys() ([]string, error) {
	if role := w.Dir.Settings.Role; role != "" {
		if strings.ContainsAny(role, "# \t\r\n") {
			return nil, fmt.Errorf("the role %q cannot stand in id_ranges: choose one without blanks and #", role)
		}
		return []string{role}, nil
	}
	return w.Machine.NewKeys()
}

// comment says to people whose a new range is.
func (w *World) comment() string {
	if role := w.Dir.Settings.Role; role != "" {
		return role
	}
	name := os.Getenv("USER")
	if u, err := user.Current(); name == "" && err == nil {
		name = username.Short(u.Username)
	}
	if host, err := os.Hostname(); err == nil {
		name += "_" + host
	}
	return strings.Join(strings.Fields(name), "_")
}

// has reports whether an ID is in use now.
func (w *World) has(id entity.ID) bool {
	if hasEntity(w.Entities, id) || w.Taken != nil && w.Taken(id) {
		return true
	}
	_, err := os.Lstat(filepath.Join(w.Dir.EntitiesPath(), filepath.FromSlash(w.Dir.Settings.Shard.Path(id))))
	return err == nil
}

func hasEntity(s entity.Source, id entity.ID) bool {
	if s, ok := s.(interface{ Has(entity.ID) bool }); ok {
		return s.Has(id)
	}
	_, ok := s.Get(id)
	return ok
}

// idsOf returns the IDs of all entities, in order.
func idsOf(s entity.Source) iter.Seq[entity.ID] {
	if s, ok := s.(interface{ IDs() iter.Seq[entity.ID] }); ok {
		return s.IDs()
	}
	return func(yield func(entity.ID) bool) {
		for e := range s.All() {
			if !yield(e.ID) {
				return
			}
		}
	}
}

// ranges reads the ranges in force.
func (w *World) ranges() (rangefile.File, error) {
	file, err := rangefile.Read(w.Dir)
	if err == nil && file.Wrong != nil && !file.Kept {
		err = fmt.Errorf("%w; mend it first: whose IDs are whose is not known", file.Wrong)
	}
	return file, err
}

// IDs returns the IDs of all entities, in order.
func (w *World) IDs() iter.Seq[entity.ID] { return idsOf(w.Entities) }
