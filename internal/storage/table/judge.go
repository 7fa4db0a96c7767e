package table

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/textcodec"
)

// JudgeTexts reads as entities the texts that have changed: all of them, or those
// that have stood still for a while. Until then an entity goes on with its last
// good values.
func (ctl *Control) JudgeTexts(all bool) error {
	t := ctl.table
	type job struct {
		id entity.ID
		f  *File
	}
	var jobs []job
	t.mu.Lock()
	now := t.now()
	for id, s := range t.unjudged {
		if s.file == nil || s.judged {
			delete(t.unjudged, id)
		} else if all || now.Sub(s.at) >= judgeQuiet {
			jobs = append(jobs, job{id, s.file})
		}
	}
	t.mu.Unlock()
	slices.SortFunc(jobs, func(a, b job) int { return cmp.Compare(a.id, b.id) }) // watch reports them in this order
	for _, j := range jobs {
		if err := t.judge(j.id, j.f); err != nil {
			return err
		}
		t.feed.writeIfMany()
	}
	return nil
}

// judge reads a file's text as an entity, once more where the types in force have
// changed meanwhile.
func (t *Table) judge(id entity.ID, f *File) error {
	for {
		text, version, err := f.bytes()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		types := t.Types()
		res, broken := textcodec.Decode(text, id, types)
		if t.judgeAs(id, f, version, text, types, res, broken) {
			return nil
		}
	}
}

// judgeAs takes in what a version of a file's text was read as under some types, and
// reports whether those are still in force.
func (t *Table) judgeAs(id entity.ID, f *File, version uint64, text []byte, types *entity.Types, res textcodec.Result, broken error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.types != types {
		return false
	}
	if s := t.slots[id]; s != nil && s.file == f && f.isVersion(version) {
		t.judgeLocked(s, version, text, res, broken)
	}
	return true
}

// judgeLocked takes in what the text of a slot's file was read as. The caller has mu.
func (t *Table) judgeLocked(s *slot, version uint64, text []byte, res textcodec.Result, broken error) {
	id := s.id
	wasBroken := s.problem
	s.judged, s.version, s.problem, s.findings = true, version, broken != nil, res.Findings
	if broken != nil {
		s.canonical = false
		s.findings = []entity.Finding{t.brokenFindingLocked(id, s, broken)}
		if s.loaded != loadedOld {
			e := t.feed.entry(id, history.Broken, t.feed.causeLocked(s))
			e.Note, e.Was, e.Is = brokenNote(s.findings[0]), t.feed.marked[id], text
			t.feed.noteTextLocked(e, s.loaded == loadedNew)
		}
		s.loaded = notLoaded
		return
	}
	if wasBroken {
		e := t.feed.entry(id, history.Mended, t.feed.causeLocked(s))
		e.Note = ""
		t.feed.noteTextLocked(e, false)
	}
	s.canonical = res.Canonical
	if t.feed.noteChangeLocked(id, t.valuesLocked(id, s), res.Entity, t.feed.causeLocked(s)) {
		n := t.feed.lastEventLocked()
		n.Note = ""
		if n.doubtful = s.loaded == loadedNew; !res.Canonical {
			n.Is = text
		}
	} else if s.loaded != loadedOld && s.cause == nil {
		t.feed.noteMarksLocked(id, s, text, res.Entity)
	}
	t.feed.marked.set(id, text)
	s.loaded = notLoaded
	t.acceptLocked(id, s, res.Entity)
	if !res.Canonical && len(s.findings) == 0 {
		s.findings = []entity.Finding{notCanonical(res.Entity)}
	}
}

// acceptLocked makes e the last good values of id. The caller has mu.
func (t *Table) acceptLocked(id entity.ID, s *slot, e *entity.Entity) {
	if in, ok := t.pack.Get(id); ok && in.Equal(e) && SameType(in, e) {
		s.origin, s.good = inThePack, nil
		return
	}
	s.origin, s.good = itsOwn, e
	t.active[id] = s
}

// SameType reports whether both are of one declaration of their type, not of
// an older and a newer one.
func SameType(a, b *entity.Entity) bool {
	s, t := a.Layout.Type, b.Layout.Type
	return s == t || s.Unknown && t.Unknown
}
