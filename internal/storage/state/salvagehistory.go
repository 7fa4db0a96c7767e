package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// FromHistory is an entity whose last edit is lost from the state and was found in the
// history.
type FromHistory struct {
	ID entity.ID `json:"id"`
	At time.Time `json:"at"` // when the history was told of it
}

// past is what the history says of one entity beyond what is whole: its record, or what
// the pack has.
type past struct {
	record  *Record        // nil: there is none that is whole
	follows bool           // the entries from here on are later than that
	last    *history.Entry // the last change of values since, nil for none
	broken  *history.Entry // the last text since, if that does not parse
}

// readHistory salvages from the history the edits that are lost.
func (v *salvage) readHistory(dir *worlddir.Dir) {
	if len(v.lost) == 0 && len(v.report.Unnamed) == 0 {
		return
	}
	pack := wholePack(dir)
	pasts, err := v.pasts(dir, pack)
	if err != nil {
		v.report.Unnamed = append(v.report.Unnamed, fmt.Sprintf("the history cannot be read: %v", err))
	}
	seq := v.lastSeq()
	for id, p := range pasts {
		r, at := p.salvaged(id, pack.Has(id))
		switch {
		case r != nil:
			seq++
			r.Seq = seq
			v.values[string(bucketFiles)][string(fileKey(id))] = r.append(nil)
			delete(v.lost, id)
			v.report.Salvaged = append(v.report.Salvaged, FromHistory{ID: id, At: at})
		case p.last != nil: // it was deleted, or its text is too large for the history
			v.lost[id] = true
		}
	}
	if len(v.report.Salvaged) == 0 {
		return
	}
	slices.SortFunc(v.report.Salvaged, func(a, b FromHistory) int { return cmp.Compare(a.ID, b.ID) })
	notes := v.values[string(bucketMeta)]
	notes[string(keySeq)] = binary.LittleEndian.AppendUint64(nil, seq)
	if notes[string(keyBase)] == nil {
		hash := pack.Hash()
		notes[string(keyBase)] = hash[:]
	}
}

// lastSeq returns the number of the last edit that is known of.
func (v *salvage) lastSeq() (seq uint64) {
	if b := v.values[string(bucketMeta)][string(keySeq)]; len(b) == 8 {
		seq = binary.LittleEndian.Uint64(b)
	}
	for _, b := range v.values[string(bucketFiles)] {
		if r, err := parseRecord([]byte(b)); err == nil {
			seq = max(seq, r.Seq)
		}
	}
	return seq
}

// recordOf returns an entity's record, nil if there is none that is whole.
func (v *salvage) recordOf(id entity.ID) *Record {
	r, err := parseRecord(v.values[string(bucketFiles)][string(fileKey(id))])
	if err != nil || v.lost[id] {
		return nil
	}
	return r
}

// salvaged returns the record of what is to be salvaged, and of when that is; nil if
// there is nothing.
func (p *past) salvaged(id entity.ID, inPack bool) (r *Record, at time.Time) {
	r = &Record{Unpublished: true, HasText: true, GoodNone: !inPack}
	if p.last != nil && p.last.Is != nil {
		r.Text, at = p.last.Is, p.last.Time
	}
	if p.broken != nil && p.broken.Is != nil {
		if r.Text != nil {
			r.HasGood, r.Good, r.GoodNone = true, r.Text, false
		}
		r.Text, at = p.broken.Is, p.broken.Time
	}
	if r.Text == nil {
		return nil, at
	}
	if r.Attr = (fileattr.Attr{Ino: DefaultIno(id), Mode: 0o644, UID: uint32(os.Getuid()), GID: uint32(os.Getgid())}); p.record != nil && !p.record.Gone {
		r.Attr = p.record.Attr
	}
	r.Attr.Mtime, r.Attr.Ctime, r.Attr.Atime = at, at, at
	return r, at
}

// wholePack returns the published pack, where that is not whole the newest kept one
// that is, else one of nothing.
func wholePack(dir *worlddir.Dir) *packfile.Pack {
	if p, err := packfile.ReadFile(dir.PackPath()); err == nil && p.Check() == nil {
		return p
	}
	kept, err := os.ReadDir(dir.PacksPath())
	if err != nil {
		kept = nil
	}
	times := make(map[string]time.Time)
	for _, e := range kept {
		if info, err := e.Info(); err == nil {
			times[e.Name()] = info.ModTime()
		}
	}
	slices.SortFunc(kept, func(a, b fs.DirEntry) int { return times[b.Name()].Compare(times[a.Name()]) })
	for _, e := range kept {
		p, err := packfile.ReadFile(filepath.Join(dir.PacksPath(), e.Name()))
		if err == nil && p.Check() == nil && p.World() == dir.ID {
			return p
		}
	}
	return packfile.Empty(dir.ID)
}

// pasts reads the history, the oldest entries first, for what each entity became after
// what is whole of it.
func (v *salvage) pasts(dir *worlddir.Dir, pack *packfile.Pack) (map[entity.ID]*past, error) {
	const most = 1 << 20 // bytes at once
	log := history.Open(dir.HistoryPath(), history.Limits{})
	defer func() { _ = log.Close() }() // it is only read
	pasts := make(map[entity.ID]*past)
	for reader := log.From(0); ; {
		entries, _, err := reader.Next(most)
		if err != nil || len(entries) == 0 {
			return pasts, err
		}
		for _, e := range entries {
			if e.Kind == history.Bulk {
				clear(pasts) // what it changed is not told one by one
				continue
			}
			p := pasts[e.ID]
			if p == nil {
				p = &past{record: v.recordOf(e.ID)}
				pasts[e.ID] = p
			}
			p.add(&e, pack)
		}
	}
}

// add takes in the next entry about an entity.
func (p *past) add(e *history.Entry, pack *packfile.Pack) {
	switch {
	case e.Kind == history.Mended:
		p.broken = nil
	case e.Kind != history.Changed && e.Kind != history.Broken:
	case !e.Cut && p.has(e.ID, e.Is, pack):
		p.follows, p.last, p.broken = true, nil, nil
	case e.Kind == history.Broken && (p.follows || p.record == nil):
		p.broken = e
	case e.Kind == history.Changed && (p.follows || p.has(e.ID, e.Was, pack)):
		p.follows, p.last = true, e
	}
}

// has reports whether a text is what is whole of an entity; nil says that it has none.
func (p *past) has(id entity.ID, text []byte, pack *packfile.Pack) bool {
	var whole []byte
	e, ok := pack.Get(id)
	switch {
	case p.record != nil && p.record.Gone:
	case p.record != nil && p.record.HasText:
		whole = p.record.Text
	case ok:
		whole = textcodec.Append(nil, e)
	}
	if whole == nil || text == nil {
		return whole == nil && text == nil
	}
	return bytes.Equal(whole, text) || sameValues(whole, text, id, pack.Types())
}

// sameValues reports whether two texts are of the same values.
func sameValues(a, b []byte, id entity.ID, types *entity.Types) bool {
	x, errX := textcodec.Decode(a, id, types)
	y, errY := textcodec.Decode(b, id, types)
	return errX == nil && errY == nil && x.Entity.Equal(y.Entity)
}
