package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/internal/state"
	"github.com/worldfs/worldfs/layout"
)

// WritePlain writes the entities' files as plain files into to, "" for
// entities/, and returns how many it wrote. With all it writes every one, as
// into a directory of somebody else's. Without, to is where this world's plain
// files are: only those are written that are not as they should be, and those
// are removed whose entity has gone.
func (w *World) WritePlain(to string, all bool) (int, error) {
	if to == "" {
		to = w.dir.EntitiesPath()
	}
	if !all {
		written, _, err := w.writeOwn(to)
		return written, err
	}
	v, err := w.View()
	if err != nil {
		return 0, err
	}
	pw := plainWriter{view: v, layout: w.Layout(), dir: to, stamps: make(map[entity.ID]state.Stamp)}
	err = pw.writeAll()
	return pw.written, err
}

// WriteAside brings the plain files up to date while they are aside, in dir.
// What changed there meanwhile, because somebody stood in entities/ when it was
// moved, is taken in.
func (w *World) WriteAside(dir string) error {
	_, changed, err := w.writeOwn(dir)
	if err != nil || changed == 0 {
		return err
	}
	r, err := w.takePlain(dir, w.scanAnew, func(*plainScan) ([]entity.ID, error) { return nil, nil })
	if err != nil {
		return err
	}
	w.log.Warn("plain files were changed while they were aside; that is taken in", "created", r.Created, "changed", r.Changed)
	_, _, err = w.writeOwn(dir)
	return err
}

// writeOwn writes this world's plain files. It lets those alone that somebody
// changed, and returns how many it wrote and let alone.
func (w *World) writeOwn(to string) (written, changed int, err error) {
	release, err := w.holdPublished()
	if err != nil {
		return 0, 0, fmt.Errorf("write plain files: %w", err)
	}
	defer release()
	w.takeAhead()
	known, err := w.store.Stamps()
	if err != nil {
		return 0, 0, err
	}
	pw := plainWriter{
		view: w.snapshot(true), layout: w.Layout(), dir: to, known: known, stamps: make(map[entity.ID]state.Stamp),
		own: true, shared: to == w.dir.EntitiesPath() || len(known) > 0,
	}
	if some, ok := w.plainToWrite(); ok && to == w.dir.EntitiesPath() {
		err = pw.writeThese(some)
	} else {
		err = pw.writeAll()
	}
	if err != nil {
		return pw.written, 0, err
	}
	gone, err := pw.removeGone()
	if err != nil {
		return pw.written, 0, err
	}
	if pw.written+len(gone) > 0 {
		if err := pw.syncNames(gone); err != nil {
			return pw.written, 0, fmt.Errorf("write plain files: %w", err)
		}
	}
	return pw.written, len(pw.skipped), pw.note(gone)
}

// holdPublished publishes all there is and keeps that the published pack until
// release is called.
func (w *World) holdPublished() (release func(), err error) {
	const tries = 5 // while somebody writes there may be new edits each time
	for range tries {
		if err := w.Sync(); err != nil {
			return nil, err
		}
		w.publishing.Lock()
		if err := w.settle(true); err != nil {
			w.publishing.Unlock()
			return nil, err
		}
		if !w.unpublished() {
			return w.publishing.Unlock, nil
		}
		w.publishing.Unlock()
	}
	return nil, errors.New("the world is being written to all the time")
}

// plainWriter writes the files of one directory. They get their names once
// their bytes are durable, many at a time: no torn one is ever to be seen,
// which would later be taken in as somebody's edit.
type plainWriter struct {
	view    *View
	layout  layout.Layout
	dir     string
	known   map[entity.ID]state.Stamp // as they were last read or written
	seen    map[entity.ID]bool        // entities that there are
	stamps  map[entity.ID]state.Stamp
	staging string // where files are until they have their names
	core    string // in it, where this core's are
	staged  []stagedFile
	naming  *naming // nil: none is being given its name
	written int
	own     bool // dir is where this world's plain files are
	shared  bool // what somebody changed there meanwhile is told from what is known, and not overwritten
	skipped []entity.ID
	begun   bool
	cut     state.BaseRef // what its pack was noted as when it began; BaseCommon: it was already
}

func (p *plainWriter) writeAll() (err error) {
	defer func() { err = p.endStaging(err) }()
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return err
	}
	if err := p.beginStaging(); err != nil {
		return err
	}
	w := p.view.world
	p.seen = make(map[entity.ID]bool)
	for after, ids := entity.ID(0), w.IDs(0, stageMost); len(ids) > 0; ids = w.IDs(after, stageMost) {
		for _, id := range ids {
			p.seen[id] = true
		}
		if err := p.writeSome(ids); err != nil {
			return err
		}
		if len(p.staged) >= stageMost {
			if err := p.place(); err != nil {
				return err
			}
		}
		after = ids[len(ids)-1]
	}
	return p.place()
}

// writeThese is writeAll of some entities, where the files of all others are in
// step.
func (p *plainWriter) writeThese(ids []entity.ID) (err error) {
	defer func() { err = p.endStaging(err) }()
	if err := p.beginStaging(); err != nil {
		return err
	}
	w := p.view.world
	p.seen = make(map[entity.ID]bool, len(p.known))
	for id := range p.known {
		p.seen[id] = true
	}
	for _, id := range ids {
		p.seen[id] = w.exists(id)
	}
	if err := p.writeSome(ids); err != nil {
		return err
	}
	return p.place()
}

// writeSome stages files, some on each core.
func (p *plainWriter) writeSome(ids []entity.ID) error {
	parts := make([]*plainWriter, partsOf(len(ids)))
	err := inParts(len(ids), func(i, from, to int) error {
		part := *p
		part.stamps, part.staged, part.skipped = make(map[entity.ID]state.Stamp), nil, nil
		part.core = filepath.Join(p.staging, strconv.Itoa(i))
		parts[i] = &part
		for _, id := range ids[from:to] {
			if err := part.write(id); err != nil {
				return err
			}
		}
		return nil
	})
	for _, part := range parts {
		maps.Copy(p.stamps, part.stamps)
		p.staged = append(p.staged, part.staged...)
		p.skipped = append(p.skipped, part.skipped...)
	}
	return err
}

// write stages one file, unless it is in step.
func (p *plainWriter) write(id entity.ID) error {
	f, err := p.view.world.Lookup(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, _, err := f.bytes()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	path := filepath.Join(p.dir, p.layout.Path(id))
	var st unix.Stat_t
	known, there := p.known[id], unix.Lstat(path, &st) == nil
	asKnown := there && known.IsAt(fileattr.StampOf(&st))
	switch {
	case asKnown && known.Hash == hash:
		if known.Base != state.BaseCommon {
			known.Base = state.BaseCommon
			p.stamps[id] = known
		}
		return p.bringAttrs(id, f, path, &st, known)
	case there && !asKnown && p.shared:
		p.skipped = append(p.skipped, id) // somebody's edit, which the next TakePlain takes in
		return nil
	}
	attr := f.unsized()
	temp := filepath.Join(p.core, layout.FileName(id))
	if err := stageFile(temp, text, attr); err != nil {
		return err
	}
	p.staged = append(p.staged, stagedFile{id: id, temp: temp, path: path, hash: hash, mode: attr.Mode & 0o777})
	return nil
}

// note keeps what is known of the files now: all of them are of the published
// pack, but those that somebody changed meanwhile.
func (p *plainWriter) note(gone []entity.ID) error {
	w := p.view.world
	old, err := w.store.Bases()
	if err != nil {
		return fmt.Errorf("note the plain files: %w", err)
	}
	u := state.PlainUpdate{Stamps: p.stamps, Gone: gone, Texts: make(map[entity.ID][]byte)}
	u.Bases = make(map[state.BaseRef]state.PackHash)
	if len(p.skipped) > 0 {
		u.Bases = p.cutBefore(old)
	}
	u.Bases[state.BaseCommon] = w.pack.Hash()
	for _, id := range p.skipped {
		if err := p.noteSkipped(id, old, &u); err != nil {
			return err
		}
	}
	inStep := len(p.skipped) == 0
	if inStep {
		u.InStep = binary.LittleEndian.AppendUint64(nil, w.edits())
	}
	if len(u.Stamps)+len(u.Gone) > 0 || !maps.Equal(old, u.Bases) {
		w.packs.KeepDurably(w.pack)
		if err := w.putPlain(u); err != nil {
			return fmt.Errorf("note the plain files: %w", err)
		}
	} else if inStep {
		return w.notePlainInStep()
	}
	return nil
}

// noteSkipped keeps what somebody's changed file was made of.
func (p *plainWriter) noteSkipped(id entity.ID, old map[state.BaseRef]state.PackHash, u *state.PlainUpdate) error {
	known, ok := p.known[id]
	if !ok {
		return nil
	}
	switch hash, there := old[known.Base]; {
	case known.Base == state.BaseOwn:
		text, err := p.view.world.store.OwnText(id)
		if err != nil {
			return fmt.Errorf("note the plain files: %w", err)
		}
		u.Texts[id] = text
	case there:
		known.Base = state.NumberOf(u.Bases, hash)
	default:
		known.Base = state.BaseLost
	}
	u.Stamps[id] = known
	return nil
}

// removeGone removes the files of entities that have gone.
func (p *plainWriter) removeGone() (gone []entity.ID, err error) {
	for id, known := range p.known {
		if p.seen[id] {
			continue
		}
		path := filepath.Join(p.dir, p.layout.Path(id))
		var st unix.Stat_t
		if p.shared && unix.Lstat(path, &st) == nil && !known.IsAt(fileattr.StampOf(&st)) {
			p.skipped = append(p.skipped, id) // somebody's edit, which the next TakePlain takes in
			continue
		}
		if err := p.begin(); err != nil {
			return nil, err
		}
		gone = append(gone, id)
		err := p.view.world.disk.Remove("plain file", path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("write plain files: %w", err)
		}
	}
	if len(gone) > 0 {
		removeEmptyShards(p.dir, p.layout)
	}
	return gone, nil
}
