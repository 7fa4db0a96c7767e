package table

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// Description is what is known of an entity's file.
type Description struct {
	ID       entity.ID
	Type     string // "" where neither the text nor any values say it
	Revision uint32
	Error    string // why the text does not parse; "" if it does, or has not been read yet
}

// Describe returns what is known of the file without reading it as an entity,
// which waits for quiet. ok is false for one that has no name any more.
func (f *File) Describe() (d Description, ok bool) {
	w := f.table
	w.mu.RLock()
	d.ID = f.id
	if known, _ := w.fileKnownLocked(d.ID); d.ID == 0 || known != f {
		w.mu.RUnlock()
		return d, false
	}
	s := w.slots[d.ID]
	judged := s == nil || s.judged
	if s != nil && s.problem && len(s.findings) > 0 {
		d.Error = s.findings[0].String()
	}
	if e := w.valuesLocked(d.ID, s); e != nil {
		d.Type, d.Revision = e.Type(), e.Revision()
	}
	w.mu.RUnlock()
	if judged && d.Error == "" {
		return d, true
	}
	if text, _, err := f.bytes(); err == nil {
		if name, revision, _, err := textcodec.Header(text); err == nil {
			d.Type, d.Revision = name, revision
		}
	}
	return d, true
}
