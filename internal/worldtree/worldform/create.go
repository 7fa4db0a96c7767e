package worldform

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// CheckCreate reports, before any work is done, that Create would refuse the
// name.
func CheckCreate(name string) error {
	form, path := parseName(name)
	switch form {
	case formGit, formSVN:
		return fmt.Errorf("%s: a revision is only read; name a .pack, a .jsonl, a .jsonl.gz or a directory", name)
	case formDir:
		return checkNew(path)
	}
	if path == "-" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; name a file in it", path)
	}
	return checkParent(path)
}

func checkNew(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return checkParent(path)
	case err != nil:
		return fmt.Errorf("create world: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("%s: %w", path, ErrInUse)
	}
	return nil
}

func checkParent(path string) error {
	parent := filepath.Dir(filepath.Clean(path))
	info, err := os.Stat(parent)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("create %s: %s is not a directory", path, parent)
	}
	return nil
}

// Create writes w to the form that the name says. A file takes its place whole,
// instead of what was there; a directory must be new or empty, and a world
// directory unless o.Plain. Of w its ID, Types, Source, Texts and Disputed
// count; the single files have no place for the last two.
func Create(name string, w *World, o Options) error {
	if err := CheckCreate(name); err != nil {
		return err
	}
	switch form, _ := parseName(name); form {
	case formPack:
		return createPack(name, w)
	case formInterchange:
		return createInterchange(name, w)
	}
	return createDirectory(name, w, o)
}

func createPack(path string, w *World) error {
	parts, err := encode(w)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	return (&disk.Disk{}).WriteAtomicUmasked("pack", path, 0o666, parts...)
}

// encode returns the pack of a world. Of one that is a pack with changes what did
// not change is copied.
func encode(w *World) ([][]byte, error) {
	if o, ok := w.Source.(interface {
		Under() (entity.Source, map[entity.ID]*entity.Entity)
	}); ok {
		under, changes := o.Under()
		if pack, ok := under.(*packfile.Pack); ok {
			runtime.GC() // of a merge the other two packs are garbage now, and their room is wanted
			return packfile.EncodedChanges(w.ID, w.Types, pack, changes)
		}
	}
	data, err := packfile.Encode(w.ID, w.Types, w.Source)
	return [][]byte{data}, err
}

func createInterchange(path string, w *World) error {
	out, err := interchange.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }() // where it matters it is closed before
	if err := interchange.Write(out, w.Types, w.Source, nil); err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	return out.Commit()
}

// createDirectory fills a directory, and empties it again if that fails.
func createDirectory(path string, w *World, o Options) (err error) {
	made := !exists(path)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return fmt.Errorf("create world: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("create %s: %w", path, err), empty(path, made))
		}
	}()
	if o.Plain {
		err = createPlain(path, w)
	} else {
		err = createWorld(path, w, o)
	}
	if err != nil {
		return err
	}
	return markTypes(path, w)
}

func markTypes(path string, w *World) error {
	for _, d := range w.Disputed {
		if _, err := typefile.MarkDir(filepath.Join(path, nameTypes), d.Name, d.Other, d.Names); err != nil {
			return err
		}
	}
	return nil
}

// empty takes away what was begun in a directory that had nothing in it.
func empty(path string, all bool) error {
	if all {
		return disk.RemoveAll(path)
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		err = errors.Join(err, disk.RemoveAll(filepath.Join(path, e.Name())))
	}
	return err
}

func createPlain(path string, w *World) error {
	if _, err := typefile.WriteDir(filepath.Join(path, nameTypes), declared(w.Types)); err != nil {
		return err
	}
	entities := filepath.Join(path, nameEntities)
	if err := os.MkdirAll(entities, 0o777); err != nil {
		return err
	}
	var buf []byte
	for e := range w.Source.All() {
		if w.Texts[e.ID] != nil {
			continue
		}
		buf = textcodec.Append(buf[:0], e)
		if err := os.WriteFile(filepath.Join(entities, layout.None.Path(e.ID)), buf, 0o666); err != nil {
			return err
		}
	}
	return errors.Join(writeTexts(entities, w.Texts), sourceError(w.Source))
}

// sourceError returns what kept a source from giving all its entities.
func sourceError(s entity.Source) error {
	if s, ok := s.(interface{ Err() error }); ok {
		return s.Err()
	}
	return nil
}

// declared returns the types that have a declaration.
func declared(types *entity.Types) []*entity.Type {
	return slices.DeleteFunc(types.All(), func(t *entity.Type) bool { return t.Unknown })
}

func writeTexts(entities string, texts map[entity.ID][]byte) error {
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		if err := os.WriteFile(filepath.Join(entities, layout.None.Path(id)), texts[id], 0o666); err != nil {
			return err
		}
	}
	return nil
}

func createWorld(path string, w *World, o Options) error {
	dir, err := worlddir.Init(path, worlddir.InitOptions{ID: w.ID, Note: o.Note})
	if err != nil {
		return err
	}
	world := entity.NewWorld(dir.ID, entity.NewTypes(declared(w.Types)...))
	for e := range w.Source.All() {
		world.Put(e)
	}
	if err := errors.Join(sourceError(w.Source), daemon.Fill(dir, world)); err != nil {
		return err
	}
	return takeTexts(dir, w.Texts, o)
}

// takeTexts has the world take exact texts in, as it takes in all edits of its
// plain files. What a broken text is the text of keeps its values.
func takeTexts(dir *worlddir.Dir, texts map[entity.ID][]byte, o Options) error {
	if len(texts) == 0 {
		return nil
	}
	if err := writeTexts(dir.EntitiesPath(), texts); err != nil {
		return err
	}
	live, err := daemon.Open(dir, o.Note)
	if err != nil {
		return err
	}
	return live.Close()
}
