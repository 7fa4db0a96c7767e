package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/storage/state"
)

// WritePlain writes the entities' files as plain files into to, "" for
// entities/, and returns how many it wrote. With all it writes every one, as
// into a directory of the caller's. Without, to is where this world's plain
// files are: only those are written that are not as they should be, and those
// are removed whose entity has gone.
func (s *plainSync) WritePlain(to string, all bool) (int, error) {
	if to == "" {
		to = s.world.dir.EntitiesPath()
	}
	if !all {
		written, _, err := s.writeOwn(to)
		return written, err
	}
	if _, err := s.world.View(); err != nil {
		return 0, err
	}
	pw := plainfiles.Writer{Files: worldFiles{s.world}, Disk: s.world.disk, Layout: s.world.Layout(), Dir: to, Stamps: make(map[entity.ID]state.Stamp)}
	err := pw.WriteAll()
	return pw.Written, err
}

// WritePlainIn brings the plain files up to date while they are aside, in dir.
// What changed there meanwhile, because the working directory of a process was in
// entities/ when it was moved, is taken in, and reported.
func (s *plainSync) WritePlainIn(dir string) (r Report, err error) {
	_, changed, err := s.writeOwn(dir)
	if err != nil || changed == 0 {
		return r, err
	}
	r, err = s.takePlain(dir, s.scanAnew, func(*plainfiles.Scan) ([]entity.ID, error) { return nil, nil })
	if err != nil {
		return r, err
	}
	s.world.log.Warn("plain files were changed while they were aside; that is taken in", "created", r.Created, "changed", r.Changed)
	_, _, err = s.writeOwn(dir)
	return r, err
}

// writeOwn writes this world's plain files. It skips those that another program
// changed, and returns how many it wrote and skipped.
func (s *plainSync) writeOwn(to string) (written, changed int, err error) {
	release, err := s.holdPublished()
	if err != nil {
		return 0, 0, fmt.Errorf("write plain files: %w", err)
	}
	defer release()
	s.takeEarlyScanLocked()
	known, err := s.world.store.Stamps()
	if err != nil {
		return 0, 0, err
	}
	pw := plainWriter{world: s.world, Writer: plainfiles.Writer{
		Files: worldFiles{s.world}, Disk: s.world.disk, Layout: s.world.Layout(), Dir: to, Known: known, Stamps: make(map[entity.ID]state.Stamp),
		Own: true, Shared: to == s.world.dir.EntitiesPath() || len(known) > 0,
	}}
	if pw.First = pw.begin; to == s.world.dir.EntitiesPath() {
		pw.Misplaced = s.world.notes.read().stray
	}
	gone, err := pw.write()
	if err != nil {
		return pw.Written, 0, errors.Join(err, pw.takeBack(err))
	}
	if pw.Written+len(gone) > 0 {
		if err := pw.SyncNames(gone); err != nil {
			return pw.Written, 0, fmt.Errorf("write plain files: %w", err)
		}
	}
	return pw.Written, len(pw.Skipped), pw.note(gone)
}

// write writes and removes files.
func (p *plainWriter) write() (gone []entity.ID, err error) {
	if some, ok := p.world.plainToWriteLocked(); ok && p.Dir == p.world.dir.EntitiesPath() {
		err = p.WriteThese(some)
	} else {
		err = p.WriteAll()
	}
	if err == nil {
		gone, err = p.RemoveGone()
	}
	if err == nil && p.begun {
		err = p.stands()
	}
	return gone, err
}

// stands returns ErrShardChanged where files would lie no more where they are to be written.
func (p *plainWriter) stands() error {
	if p.Dir != p.world.dir.EntitiesPath() { // they are aside, and move when they come back
		return nil
	}
	return p.world.checkLayout()
}

// takeBack removes what was written as the layout changed.
func (p *plainWriter) takeBack(err error) error {
	if !errors.Is(err, ErrShardChanged) {
		return nil
	}
	now, err := p.world.dir.ShardNow()
	if err != nil || now == p.Layout { // it has changed back
		return err
	}
	return p.TakeBack(now)
}

// holdPublished publishes all there is and keeps that the published pack until
// release is called.
func (s *plainSync) holdPublished() (release func(), err error) {
	const tries = 5 // while a process writes there may be new edits each time
	for range tries {
		if err := s.world.Sync(); err != nil {
			return nil, err
		}
		s.world.publishing.Lock()
		if err := s.world.control.JudgeTexts(true); err != nil {
			s.world.publishing.Unlock()
			return nil, err
		}
		if !s.world.control.IsUnpublished() {
			return s.world.publishing.Unlock, nil
		}
		s.world.publishing.Unlock()
	}
	return nil, errors.New("the world is being written to all the time")
}

// worldFiles are the entities' files of a world.
type worldFiles struct{ world *World }

// IDs returns up to n IDs greater than after, in order.
func (f worldFiles) IDs(after entity.ID, n int) []entity.ID { return f.world.IDs(after, n) }

// Has reports whether there is an entity.
func (f worldFiles) Has(id entity.ID) bool { return f.world.control.Exists(id) }

// IsBroken reports whether an entity's text does not parse.
func (f worldFiles) IsBroken(id entity.ID) bool {
	broken, _ := f.world.control.FormOf(id)
	return broken
}

// Open returns an entity's file.
func (f worldFiles) Open(id entity.ID) (plainfiles.EntityFile, error) { return f.world.Lookup(id) }

// plainWriter writes the plain files of a world and notes what is known of them then.
type plainWriter struct {
	plainfiles.Writer
	world *World
	begun bool
	cut   state.BaseRef // what its pack was noted as when it began; BaseCommon: it was already
}

// note keeps what is known of the files now: all of them are of the published
// pack, but those that another program changed meanwhile.
func (p *plainWriter) note(gone []entity.ID) error {
	w := p.world
	old, err := w.store.Bases()
	if err != nil {
		return fmt.Errorf("note the plain files: %w", err)
	}
	u := state.PlainUpdate{Stamps: p.Stamps, Gone: gone, Bases: make(map[state.BaseRef]state.PackHash)}
	if len(p.Skipped) > 0 {
		u.Bases = p.cutBefore(old)
	}
	u.Bases[state.BaseCommon] = w.published().Hash()
	for _, id := range p.Skipped {
		p.noteSkipped(id, old, &u)
	}
	inStep := len(p.Skipped) == 0
	if inStep {
		u.InStep = binary.LittleEndian.AppendUint64(nil, w.Edits())
	}
	if len(u.Stamps)+len(u.Gone) > 0 || !maps.Equal(old, u.Bases) {
		w.packs.KeepDurably(w.published())
		if err := w.putPlain(u); err != nil {
			return fmt.Errorf("note the plain files: %w", err)
		}
	} else if inStep {
		return w.notePlainInStepLocked()
	}
	return nil
}

// noteSkipped keeps what a file that another program changed was made of.
func (p *plainWriter) noteSkipped(id entity.ID, old map[state.BaseRef]state.PackHash, u *state.PlainUpdate) {
	known, ok := p.Known[id]
	if !ok {
		return
	}
	switch hash, there := old[known.Base]; {
	case known.Base == state.BaseOwn: // its text stays
	case there:
		known.Base = state.NumberOf(u.Bases, hash)
	default:
		known.Base = state.BaseLost
	}
	u.Stamps[id] = known
}
