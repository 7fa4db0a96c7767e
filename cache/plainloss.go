package cache

import (
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
)

// Plain files of which most are missing are not taken in. Nothing is published
// meanwhile: the next look at the files finds what is missing once more, against
// the same base.

// setPlainLoss notes why the plain files are not taken in, nil if they are.
func (s *plainSync) setPlainLoss(l *Loss) {
	s.world.notes.note(func(said *said) { said.plainLoss = l })
}

// asPlainLoss returns an error of taking in plain files, and notes that most are
// missing, if that is it.
func (s *plainSync) asPlainLoss(err error) error {
	var loss *LossError
	if !errors.As(err, &loss) || loss.By != LostByIntake {
		return err
	}
	loss.By = LostByPlain
	s.setPlainLoss(&loss.Loss)
	return loss
}

// lacksAll reports whether the plain files that are missing are a great loss, or were
// one that is allowed, though there is no other. Where none was ever there, as in a
// fresh clone, there is none to miss.
func (s *plainSync) lacksAll(p *plainfiles.Scan) bool {
	pack, gone := s.world.published(), 0
	for _, id := range p.Gone {
		if pack.Has(id) {
			gone++
		}
	}
	return greatloss.Is(pack.Len(), gone)
}

// KeepPlain has the plain files that are missing count as there, so that WritePlain
// brings them back, although so many are.
func (s *plainSync) KeepPlain() { s.setPlainLoss(nil) }

// ReturnPlain has entities whose files were removed go on whose plain files are in
// entities/: they were brought back while a great loss waited.
func (s *plainSync) ReturnPlain() error {
	var errs []error
	err := plainfiles.Walk(s.world.dir.EntitiesPath(), s.world.Layout(), func(dir *plainfiles.Dir, f plainfiles.File) {
		if !f.Misplaced && f.Err == nil && !s.world.control.Exists(f.ID) {
			errs = append(errs, s.returnPlain(dir, f))
		}
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("bring entities back: %w", err)
	}
	return s.world.SyncAll()
}

func (s *plainSync) returnPlain(dir *plainfiles.Dir, f plainfiles.File) error {
	text, err := dir.Read(f.Path, f.Is.Size)
	if err != nil {
		return err
	}
	return s.world.control.ComeBack(f.ID, text, f.Mode&0o7777, f.Is.Mtime.Time())
}
