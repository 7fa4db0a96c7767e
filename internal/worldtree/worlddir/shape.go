package worlddir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The shapes of a mount.
const (
	ShapeEntities = "entities" // only entities/ is a mount
	ShapeCover    = "cover"    // the mount covers a directory that the world lies in
)

// ErrShape says that it has to be said how the world is to be mounted.
var ErrShape = errors.New("it is not clear what the mount should cover")

// Mounting says where a world is mounted and why there.
type Mounting struct {
	Shape string // ShapeEntities or ShapeCover
	At    string // the mountpoint
	Why   string // "" where nothing but the default chose it
}

// Mounting chooses the shape of the world's mount. cover is the directory that
// was asked to be covered, "" for none: then the settings count, and then the
// version control that the world lies in. svn renames files from its .svn onto
// entities, so what holds that must be covered. The error is an ErrShape where
// the person has to decide.
func (d *Dir) Mounting(cover string) (Mounting, error) {
	if cover != "" {
		return d.covering(cover, "as was asked")
	}
	s := d.Settings
	if s.Shape == ShapeEntities {
		return d.onlyEntities("as the setting shape says"), nil
	}
	if s.Cover != "" {
		dir := s.Cover
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(d.Root, dir)
		}
		return d.covering(dir, "as the setting cover says")
	}
	switch copy := d.svnRoot(); {
	case copy == d.Root:
		return d.covering(copy, "because svn renames files from the .svn here onto entities")
	case copy != "":
		return Mounting{}, fmt.Errorf("%w: the world lies in the svn working copy %s, and svn can only change entities where "+
			"the mount covers that whole; say --cover %s, or in world.toml cover = %q, or shape = %q to go without",
			ErrShape, copy, copy, d.wayUp(copy), ShapeEntities)
	case s.Shape == ShapeCover:
		return d.covering(d.Root, "as the setting shape says")
	}
	return d.onlyEntities(""), nil
}

func (d *Dir) onlyEntities(why string) Mounting {
	return Mounting{ShapeEntities, d.EntitiesPath(), why}
}

func (d *Dir) covering(dir, why string) (Mounting, error) {
	at, err := resolve(dir)
	if err != nil {
		return Mounting{}, err
	}
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return Mounting{}, fmt.Errorf("%w: %s is no directory", ErrShape, at)
	}
	if !strings.HasPrefix(d.Root+"/", strings.TrimSuffix(at, "/")+"/") {
		return Mounting{}, fmt.Errorf("%w: the world %s does not lie in %s", ErrShape, d.Root, at)
	}
	return Mounting{ShapeCover, at, why}, nil
}

// svnRoot returns the root of the svn working copy that the world lies in, ""
// for none. A git repository that is nearer counts for more.
func (d *Dir) svnRoot() string {
	for dir := d.Root; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".svn")) {
			return dir
		}
		if exists(filepath.Join(dir, ".git")) || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// wayUp returns the way from the world directory to one above it.
func (d *Dir) wayUp(to string) string {
	way, err := filepath.Rel(d.Root, to)
	if err != nil {
		return to
	}
	return way
}
