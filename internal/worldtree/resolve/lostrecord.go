package resolve

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/worldtree/lostedits"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// record returns what is known of one operation.
func (l *Lost) record() *lostedits.Record {
	o := &lostedits.Record{Key: l.key, Kind: l.Kind, Commit: l.Commit, By: l.By, Policy: l.Policy}
	var text bytes.Buffer
	if len(l.Changes) > 0 && changeset.Format(&text, l.Changes) == nil { // a buffer takes all
		o.Changes = text.String()
	}
	return o
}

// recorded returns what was lost, the last first. What was of types that are declared otherwise
// now, so that it cannot be read, cannot come back.
func recorded(r *lostedits.Records, types *entity.Types) (all []*Lost) {
	for _, o := range r.All() {
		if o.Changes == "" {
			continue
		}
		changes, err := changeset.Parse(strings.NewReader(o.Changes), ".worldfs/"+worlddir.LostName, types)
		if err != nil {
			continue
		}
		all = append(all, &Lost{Kind: o.Kind, Commit: o.Commit, By: o.By, Policy: o.Policy, Changes: changes, key: o.Key})
	}
	slices.SortStableFunc(all, func(a, b *Lost) int { return b.By.Time.Compare(a.By.Time) })
	return all
}

// KeepLost has what is left of what was lost be all that is missed of it. What another
// process has settled meanwhile stays settled.
func KeepLost(dir *worlddir.Dir, lost []*Lost, keep Keep) error {
	types, _, err := typefile.ReadDir(dir.TypesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return lostedits.Update(dir, keep, func(known *lostedits.Records) error {
		for _, now := range recorded(known, types) {
			i := slices.IndexFunc(lost, func(l *Lost) bool { return l.key == now.key })
			if i < 0 {
				continue
			}
			if now.Changes, err = changeset.Both(now.Changes, lost[i].Changes); err != nil {
				return err
			}
			known.Put(now.record())
		}
		return nil
	})
}
