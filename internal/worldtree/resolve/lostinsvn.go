package resolve

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/lostedits"
	"github.com/worldfs/worldfs/internal/worldtree/svnsides"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/textcodec"
)

// svnLosses finds out what was thrown away of what svn could not merge: in a file that a
// person has settled, what only one side changed and the file has as it was. While svn has
// the conflict still, that may change; once it is resolved, it is found out for good.
type svnLosses struct {
	dir   *worlddir.Dir
	types *entity.Types
	keep  Keep
	note  func(string)
	known *lostedits.Records

	found []*lostedits.Record // what is known for good now
	over  []*svnsides.Sides   // that are not needed any more
}

// find finds what is known for good, and returns what is lost at present.
func (l *svnLosses) find() (now []*Lost, err error) {
	if l.dir.WorkingCopy(".svn") == "" {
		return nil, nil
	}
	pending, err := l.pending()
	if err != nil || len(pending) == 0 {
		return nil, err
	}
	var names []string
	for _, s := range pending {
		names = append(names, s.Name)
	}
	w, err := vcs.SVN{Dir: l.dir.Root}.OpenCopy()
	if err != nil {
		return nil, err
	}
	svn, err := w.Knows(slices.Compact(slices.Sorted(slices.Values(names))))
	if errors.Is(err, vcs.ErrNoTool) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, s := range pending {
		lost, err := l.judge(s, svn[s.Name])
		if err != nil {
			return nil, err
		}
		if lost != nil {
			now = append(now, lost)
		}
	}
	return now, nil
}

// pending returns the sides of files of which it is not known yet what was lost.
func (l *svnLosses) pending() ([]*svnsides.Sides, error) {
	beside, err := svnsides.Beside(l.dir.EntitiesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, s := range beside {
		if l.known.Has(svnKey(s)) {
			continue
		}
		if err := svnsides.Record(l.dir, svnsides.Keep(l.keep), s); err != nil {
			return nil, err
		}
	}
	all, damaged, err := svnsides.Read(l.dir, svnsides.Keep(l.keep))
	for _, what := range damaged {
		if l.note != nil {
			l.note("what svn could not merge is not known any more: " + what)
		}
	}
	since := time.Now().AddDate(0, 0, -lostDays)
	return slices.DeleteFunc(all, func(s *svnsides.Sides) bool {
		is := s.Time.Before(since) || l.known.Has(svnKey(s))
		if is {
			l.over = append(l.over, s)
		}
		return is
	}), err
}

func svnKey(s *svnsides.Sides) string { return "svn " + s.Key() }

// settling is for how long svn may need to mark a conflict once its texts are known.
const settling = 2 * time.Second

// judge finds out what was lost of a file. It is known for good where svn has no conflict
// about it any more.
func (l *svnLosses) judge(s *svnsides.Sides, svn vcs.Known) (*Lost, error) {
	text, err := disk.ReadFile(filepath.Join(l.dir.Root, filepath.FromSlash(s.Name)), cache.MaxFileSize)
	if errors.Is(err, fs.ErrNotExist) && !svn.Conflict {
		l.over = append(l.over, s) // deleted, which the other side can dispute
		return nil, nil
	}
	if err != nil || textmerge.HasMarkers(text) || l.isBefore(s, svn, text) {
		return nil, nil // it cannot be said yet
	}
	changes, ok, err := l.changes(s, text)
	if !ok || err != nil {
		return nil, err
	}
	lost := &Lost{Kind: kindOf(s), By: leftconflict.Author{Time: s.Time}, Changes: changes, key: svnKey(s)}
	if !svn.Conflict {
		l.found = append(l.found, lost.record())
		l.over = append(l.over, s)
		return nil, nil
	}
	if len(changes) == 0 {
		return nil, nil
	}
	return lost, nil
}

// isBefore reports whether a file is as it was before svn tried to merge it, so that
// no person has settled it.
func (l *svnLosses) isBefore(s *svnsides.Sides, svn vcs.Known, text []byte) bool {
	if svn.Conflict {
		return bytes.Equal(text, s.Mine)
	}
	if s.Merge {
		return bytes.Equal(text, s.Mine) && time.Since(s.Time) < settling
	}
	return svn.Base == vcs.Checksum.ObjectOf(s.Base) // the update did not come to an end
}

func kindOf(s *svnsides.Sides) vcs.OperationKind {
	if s.Merge {
		return vcs.Merging
	}
	return vcs.Updating
}

// changes returns what was lost of an entity; ok is false where it cannot be said, since a
// text does not parse.
func (l *svnLosses) changes(s *svnsides.Sides, text []byte) (changes entity.ChangeSet, ok bool, err error) {
	id, is := layout.EntityOf(s.Name)
	if !is {
		return nil, false, nil
	}
	var worlds [4]*worldform.World
	for i, text := range [][]byte{s.Base, s.Mine, s.Theirs, text} {
		read, err := textcodec.Decode(text, id, l.types)
		if err != nil {
			return nil, false, nil
		}
		world := entity.NewWorld(entity.GUID{}, l.types)
		world.Put(read.Entity)
		worlds[i] = &worldform.World{Types: l.types, Source: world}
	}
	rules, _ := readRules(l.dir, &vcs.Operation{Kind: kindOf(s)}) // id_ranges that cannot be read are told elsewhere
	changes, err = lostIn([3]*worldform.World(worlds[:3]), worlds[3], rules, func(entity.ID) bool { return true })
	return changes, true, err
}

// forget removes what is not needed any more, once what is known is kept.
func (l *svnLosses) forget() error {
	for _, s := range l.over {
		if err := svnsides.Forget(l.dir, svnsides.Keep(l.keep), s); err != nil {
			return err
		}
	}
	return nil
}
