package cache

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/textcodec"
)

// declarations has the types in force follow types/.
type declarations struct {
	world      *World
	typesQuiet time.Duration // how long types/ must have stood still
	typeIn     typeState     // guarded by table.mu
}

// typeState is what is known of types/.
type typeState struct {
	typesStamp                  // of the directory when it was last read
	findings   []entity.Finding // files that do not parse
	again      time.Time        // when to look again: it has changed and did not stand still
	ours       bool             // it was read right after this process had written it: there is no doubt about it
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
	return d.readTypes(look.typesStamp)
}

// reloadStillTypes is reloadTypesLocked for callers that can retry: while types/ is
// being written to it only schedules the next look.
func (d *declarations) reloadStillTypes() error {
	look := d.lookAtTypes()
	if !look.differs {
		return nil
	}
	if d.isLive() && !d.typesStill() {
		d.world.mu.Lock()
		defer d.world.mu.Unlock()
		d.typeIn.again = d.world.now().Add(d.typesQuiet)
		return nil
	}
	return d.readTypes(look.typesStamp)
}

// typesLook is types/ as it is now, compared with how it was read.
type typesLook struct {
	typesStamp
	differs  bool // something has changed
	doubtful bool // something may have changed within the tick of the clock in which it was read
}

func (l typesLook) changed() bool { return l.differs || l.doubtful }

func (d *declarations) lookAtTypes() typesLook {
	stamp := stampTypes(d.world.dir.TypesPath())
	d.world.mu.RLock()
	defer d.world.mu.RUnlock()
	return typesLook{stamp, stamp.stamp != d.typeIn.stamp, !d.typeIn.stood && !d.typeIn.ours}
}

// isLive reports whether the world is mounted. Otherwise types/ changes before or
// after a command, not during one.
func (d *declarations) isLive() bool {
	d.world.mu.RLock()
	defer d.world.mu.RUnlock()
	return d.world.watcher != nil
}

// typesStill reports whether nothing has changed in types/, nor in its files,
// for a while.
func (d *declarations) typesStill() bool {
	dir := d.world.dir.TypesPath()
	still := func(path string) bool {
		var st unix.Stat_t
		if unix.Lstat(path, &st) != nil {
			return true // it has gone, which the directory's own time says
		}
		age := time.Since(time.Unix(st.Ctim.Unix()))
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
func (d *declarations) readTypes(stamp typesStamp) error {
	types, problems, err := typefile.ReadDir(d.world.dir.TypesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	findings := typeFindings(d.world.dir.Place(), problems)
	types = d.inForce(types, slices.ContainsFunc(problems, isNotRead))
	return d.retype(types, typeState{typesStamp: stamp, findings: findings})
}

// typesStamp distinguishes states of types/ without reading its files.
type typesStamp struct {
	stamp string
	stood bool // it had not changed for a tick of the clock, within which a change might not show
}

// stampTypes returns the stamp of dir, which changes when a file in it is
// added, removed, replaced or written.
func stampTypes(dir string) typesStamp {
	s := typesStamp{stood: true}
	now := time.Now().UnixNano()
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.stamp = "none"
		return s
	}
	var b []byte
	for _, e := range entries {
		stamp, err := fileattr.StampFile(filepath.Join(dir, e.Name()))
		if err != nil || filepath.Ext(e.Name()) != ".toml" {
			continue
		}
		s.stood = s.stood && max(stamp.Mtime.Nano(), stamp.Ctime.Nano())+fileattr.Tick < now
		b = append(stamp.Append(append(b, e.Name()...)), '\n')
	}
	s.stamp = string(b)
	return s
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

// isNotRead reports whether a problem of types/ is that of a file that declares
// nothing because of it.
func isNotRead(problem error) bool {
	var at *typefile.Error
	return !errors.As(problem, &at) || !at.Conflict && !at.Condition
}

// typeFindings turns problems of types/ into findings, with paths as seen from
// the world's root.
func typeFindings(root string, problems []error) (out []entity.Finding) {
	for _, p := range problems {
		f := entity.Finding{Code: entity.CodeTypeFile, Blocks: true, Message: p.Error()}
		var at *typefile.Error
		if errors.As(p, &at) {
			f.File, f.Line, f.Field, f.Message = at.File, at.Line, at.Field, at.Reason
			switch {
			case at.Conflict:
				f.Code = entity.CodeConflict
			case at.Condition:
				f.Code = entity.CodeCondition
			}
			if rel, err := filepath.Rel(root, at.File); err == nil {
				f.File = rel
			}
		}
		if isNotRead(p) {
			f.Message += "; the last good declaration stays in force"
		}
		out = append(out, f)
	}
	return out
}

// retype puts types in force, and all entities whose type's declaration changed
// under the new one, at once: whoever asks meanwhile is answered by the world of
// before, or waits. in is what types/ was read as.
func (d *declarations) retype(types *entity.Types, in typeState) error {
	changed := changedTypes(d.world.Types(), types)
	var found []retyped
	if len(changed) > 0 {
		for e := range d.world.snapshot(true).All() {
			if !changed[e.Type()] {
				continue
			}
			r, err := d.readUnder(types, e.ID)
			if err != nil {
				return err
			}
			found = append(found, r)
		}
	}
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	d.typeIn = in
	if len(changed) == 0 {
		return nil
	}
	d.world.types = types
	d.world.clock.unpublished = d.world.now()
	under := make(map[entity.ID]bool, len(found))
	for _, r := range found {
		under[r.id] = d.takeRetypedLocked(r, types)
	}
	for id, s := range d.world.slots {
		if s.file == nil {
			continue
		}
		e := d.world.valuesLocked(id, s)
		readBefore := e != nil && changed[e.Type()] && !under[id]           // its text came while the others were read
		mayParse := s.problem || s.origin == nowhere || len(s.findings) > 0 // which did not under the old types
		if readBefore || mayParse {
			s.judged = false
			d.world.unjudged[id] = s
		}
	}
	return nil
}

// changedTypes returns the names of types whose declarations differ.
func changedTypes(old, types *entity.Types) map[string]bool {
	changed := make(map[string]bool)
	for _, t := range old.All() {
		n := types.Get(t.Name)
		if n == nil || !bytes.Equal(interchange.AppendType(nil, t), interchange.AppendType(nil, n)) {
			changed[t.Name] = true
		}
	}
	for _, t := range types.All() {
		if old.Get(t.Name) == nil {
			changed[t.Name] = true
		}
	}
	return changed
}

// retyped is what an entity's text says under types that are to be in force.
type retyped struct {
	id      entity.ID
	file    *File // nil: its name has just gone
	version uint64
	res     textcodec.Result
	broken  error
}

// readUnder reads the entity's text under types. A text that these would write
// differently is held, so that it is served on.
func (d *declarations) readUnder(types *entity.Types, id entity.ID) (retyped, error) {
	f, err := d.world.Lookup(id)
	if err != nil {
		return retyped{id: id}, nil
	}
	text, version, err := f.bytes()
	if err != nil {
		return retyped{}, err
	}
	r := retyped{id: id, file: f, version: version}
	r.res, r.broken = textcodec.Decode(text, id, types)
	if !r.canonical() {
		err = f.hold()
	}
	return r, err
}

func (r retyped) canonical() bool { return r.broken == nil && r.res.Canonical }

// takeRetypedLocked takes in an entity as it was read under types, and reports
// whether that was its last text. Otherwise it is being written, and judged when it
// stands still. The caller has mu.
func (d *declarations) takeRetypedLocked(r retyped, types *entity.Types) bool {
	s := d.world.slotOfLocked(r.id)
	if r.file == nil || s == nil || s.file != r.file || !r.file.isVersion(r.version) {
		return false
	}
	if !r.canonical() {
		d.world.touchSlotLocked(s, true)
	}
	d.world.active[r.id] = s
	if r.broken == nil {
		s.origin, s.good, s.canonical = itsOwn, r.res.Entity, r.res.Canonical
	} else if e := d.world.valuesLocked(r.id, s); e != nil {
		s.origin, s.good = itsOwn, reread(e, types)
	}
	return true
}

// reread returns the last good values of a text that is broken now as their own text is
// read under other types, where it can be. A type that is not declared any more has
// lines, and a value that is none of its field's new kind is carried over or dropped.
func reread(e *entity.Entity, types *entity.Types) *entity.Entity {
	res, err := textcodec.Decode(textcodec.Append(nil, e), e.ID, types)
	if err == nil {
		return res.Entity
	}
	return textcodec.Carry(e, types.Get(e.Type())) // declared: lines are read whatever they are
}
