package conflicts

import (
	"fmt"
	"path"
	"path/filepath"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/leftovers"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// nearlyNamed says of files with nearly the name of an entity's what they should be called.
func nearlyNamed(world entity.Source, l layout.Layout, files []leftovers.Nearly) (found []entity.Finding) {
	for _, n := range files {
		name := path.Join(worlddir.EntitiesName, n.Path)
		f := entity.Finding{Code: entity.CodeFileName, File: name, Mend: "mv -n " + advice.Quote(name) + " " + l.Name(n.ID)}
		e, taken := world.Get(n.ID)
		switch {
		case n.ID == 0:
			f.Message = fmt.Sprintf("%s is not read: an entity's ID is a number from 1 to 4294967295; give it one that is free, or remove it", name)
			f.Mend = "rm -i " + advice.Quote(name)
		case taken:
			f.Other = n.ID
			f.Message = fmt.Sprintf("%s is not read: its name is not quite an entity's, and %s is there as well; give it an ID that is free, or remove it", name, e)
			f.Mend = "rm -i " + advice.Quote(name)
		default:
			f.Message = fmt.Sprintf("%s is not read: the name of that entity's file is %s; rename it", name, l.Name(n.ID))
		}
		found = append(found, f)
	}
	return found
}

// Misplaced says of a file with an entity's name, which lies where none is read, to which place
// it belongs. file is named from the world's root.
func Misplaced(world *cache.World, id entity.ID, file string) entity.Finding {
	if _, err := world.Lookup(id); err == nil {
		return world.Layout().MisplacedBeside(id, file)
	}
	return world.Layout().Misplaced(id, file)
}

// moved says of files that lie where no entity's does to which place they belong. One whose
// entity is there is a copy that a person has put aside.
func moved(world entity.Source, l layout.Layout, files []leftovers.Moved) (found []entity.Finding) {
	for _, m := range files {
		if _, there := world.Get(m.ID); !there {
			found = append(found, l.Misplaced(m.ID, path.Join(worlddir.EntitiesName, m.Path)))
		}
	}
	return found
}

// rests says of files beside an entity's that are sides of a conflict that they mean none
// any more.
func rests(world entity.Source, dir string, id entity.ID, beside []leftovers.File) (found []entity.Finding) {
	for _, file := range beside {
		in, err := filepath.Rel(dir, file.Path)
		if err != nil {
			continue // it does not lie there: it was found there
		}
		name := path.Join(worlddir.EntitiesName, filepath.ToSlash(in))
		f := entity.Finding{Code: entity.CodeConflictRest, ID: id, File: name, Message: fmt.Sprintf(
			"%s is left of a conflict that is over (from %s); nothing reads it: remove it once you do not need it", name, when(file.At))}
		if e, ok := world.Get(id); ok {
			f = f.About(e)
		} else {
			f.Message = fmt.Sprintf("%s is left of an entity that is not there any more (from %s); nothing reads it: remove it once you do not need it", name, when(file.At))
		}
		found = append(found, f)
	}
	return found
}
