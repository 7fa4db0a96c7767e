package cache

import (
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/internal/plainfiles"
)

// Plain files of which most are missing are not taken in. Nothing is published
// meanwhile: the next look at the files finds what is missing once more, against
// the same base.

// setPlainLoss notes why the plain files are not taken in, nil if they are.
func (w *World) setPlainLoss(l *Loss) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plainLoss = l
}

// asPlainLoss returns an error of taking in plain files, and notes that most are
// missing, if that is it.
func (w *World) asPlainLoss(err error) error {
	var loss *LossError
	if !errors.As(err, &loss) || loss.By != LostByIntake {
		return err
	}
	loss.By = LostByPlain
	w.setPlainLoss(&loss.Loss)
	return loss
}

// lacksAll reports whether the plain files that are missing are a great loss, or were
// one that is allowed, though there is no other. Where none was ever there, as in a
// fresh clone, there is none to miss.
func (w *World) lacksAll(p *plainfiles.Scan) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	gone := 0
	for _, id := range p.Gone {
		if w.pack.Has(id) {
			gone++
		}
	}
	return isGreatLoss(w.pack.Len(), gone)
}

// KeepPlain has the plain files that are missing count as there, so that WritePlain
// brings them back, although so many are.
func (w *World) KeepPlain() { w.setPlainLoss(nil) }

// ReturnPlain has entities whose files were removed go on whose plain files are in
// entities/: they were brought back while a great loss waited.
func (w *World) ReturnPlain() error {
	var errs []error
	err := plainfiles.Walk(w.dir.EntitiesPath(), w.Layout(), func(fd int, f plainfiles.File) {
		if !f.Misplaced && f.Err == nil && !w.exists(f.ID) {
			errs = append(errs, w.returnPlain(fd, f))
		}
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("bring entities back: %w", err)
	}
	return w.SyncAll()
}

func (w *World) returnPlain(dir int, f plainfiles.File) error {
	text, err := plainfiles.ReadAt(dir, f.Path, f.Is.Size)
	if err != nil {
		return err
	}
	a := w.defaultAttr()
	a.Mode, a.Mtime = f.Mode&0o7777, fileattr.TimeOf(f.Is.Mtime)
	return w.comeBack(f.ID, text, a)
}
