package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/retarget"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
)

// declarations has the types in force follow types/.
type declarations struct {
	world      *World
	typesQuiet time.Duration // how long types/ must have stood still; guarded by World.publishing

	mu     lockorder.RWMutex
	typeIn typeState // guarded by mu
}

// typeState is what is known of types/.
type typeState struct {
	stamp    fileattr.DirStamp // of the directory when it was last read
	findings []entity.Finding  // files that do not parse
	again    time.Time         // when to look again: it has changed and did not stand still
	ours     bool              // it was read right after this process had written it: there is no doubt about it
}

// A checkout writes the files of types/ one by one. Under a mount the last good
// declarations stay in force until it has stood still for a while, so that no
// type is believed to be gone whose file is only about to be written.
const (
	typesQuiet    = 250 * time.Millisecond
	typesPatience = 2 * time.Second // a caller that must know waits so long for that
)

// reloadTypesLocked reads types/ if something in it changed, and brings every entity
// of a type that changed under its new declaration. Served bytes do not change:
// where the new declaration would write an entity differently, its text is kept
// as it is. A file that does not parse leaves the last good declaration in
// force. The caller has publishing, or the world to itself.
func (d *declarations) reloadTypesLocked() error {
	look := d.lookAtTypes()
	for begin := time.Now(); look.differs && d.isLive() && !d.typesStill() && time.Since(begin) < typesPatience; {
		time.Sleep(typesQuiet / 10)
		look = d.lookAtTypes()
	}
	if !look.changed() {
		return nil
	}
	return d.readTypes(look.stamp)
}

// reloadStillTypes is reloadTypesLocked for callers that can retry: while types/ is
// being written to it only schedules the next look.
func (d *declarations) reloadStillTypes() error {
	look := d.lookAtTypes()
	if !look.differs {
		return nil
	}
	if d.isLive() && !d.typesStill() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.typeIn.again = d.world.now().Add(d.typesQuiet)
		return nil
	}
	return d.readTypes(look.stamp)
}

// typesLook is types/ as it is now, compared with how it was read.
type typesLook struct {
	stamp    fileattr.DirStamp
	differs  bool // something has changed
	doubtful bool // something may have changed within the tick of the clock in which it was read
}

func (l typesLook) changed() bool { return l.differs || l.doubtful }

func (d *declarations) lookAtTypes() typesLook {
	stamp, in := fileattr.StampDir(d.world.dir.TypesPath(), typefile.IsFileName), d.read()
	return typesLook{stamp, stamp.Stamp != in.stamp.Stamp, !in.stamp.Stood && !in.ours}
}

// read returns what is known of types/.
func (d *declarations) read() typeState {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.typeIn
}

// isLive reports whether the world is mounted. Otherwise types/ changes before or
// after a command, not during one.
func (d *declarations) isLive() bool { return d.world.control.IsWatched() }

// typesStill reports whether nothing has changed in types/, nor in its files,
// for a while.
func (d *declarations) typesStill() bool {
	dir := d.world.dir.TypesPath()
	still := func(path string) bool {
		stamp, err := fileattr.StampFile(path)
		if err != nil {
			return true // it has gone, which the directory's own time says
		}
		age := time.Since(stamp.Ctime.Time())
		return age < 0 || age >= d.typesQuiet
	}
	if !still(dir) {
		return false
	}
	entries, _ := os.ReadDir(dir) // none where it is missing
	for _, e := range entries {
		if !still(filepath.Join(dir, e.Name())) {
			return false
		}
	}
	return true
}

// readTypes reads types/, which is as the stamp says.
func (d *declarations) readTypes(stamp fileattr.DirStamp) error {
	types, problems, err := typefile.ReadDir(d.world.dir.TypesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	findings := typefile.Findings(d.world.dir.Place(), problems)
	for i, p := range problems {
		if typefile.IsNotRead(p) {
			findings[i].Message += "; the last good declaration stays in force"
		}
	}
	types = d.inForce(types, slices.ContainsFunc(problems, typefile.IsNotRead))
	return d.retype(types, typeState{stamp: stamp, findings: findings})
}

// target brings what was made under others under the types of a view.
func (d *declarations) target(v *View) *retarget.Target {
	return retarget.To(v.Types(), d.read().stamp.HasNoFiles())
}

// inForce returns the types to go by: those read; where some files could not
// be, or there are none at all, also those known before.
func (d *declarations) inForce(read *entity.Types, incomplete bool) *entity.Types {
	types := entity.NewTypes()
	if read == nil || read.Len() == 0 || incomplete {
		types = d.world.Types().Clone()
	}
	if read != nil {
		for _, t := range read.All() {
			types.Put(t)
		}
	}
	return types
}

// findings returns what is wrong with types/, where a view's types and entities are those of
// the world. Those of a directory without any file to read are of no earlier reading: later
// openings, which do not read it again, have to say so, too.
func (d *declarations) findings(v *View) []entity.Finding {
	in := d.read()
	if len(in.findings) == 0 && in.stamp.HasNoFiles() {
		return typefile.Undeclared(filepath.Base(d.world.dir.TypesPath()), v.Types(), v)
	}
	return in.findings
}

// retype puts types in force, which types/ was read as.
func (d *declarations) retype(types *entity.Types, in typeState) error {
	if err := d.world.control.Retype(types); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.typeIn = in
	return nil
}
