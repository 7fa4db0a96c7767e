package conflicts

import (
	"bytes"
	"fmt"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/compare/conflictfile"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/merge"
)

// declaration takes in what was left of a type's declaration, which is now as it may have
// been edited since; nil: there is none any more.
func (t *conflictTaking) declaration(now *entity.Type, d conflictfile.Type) error {
	name := d.Stands.Name
	other, err := otherWay(now, d)
	if err != nil || now == nil || isSame(now, other) {
		return err
	}
	stay, leave := 0, 0
	var stands []merge.Party
	for _, c := range d.Conflicts {
		stands = append(stands, partyOf(c.Stands))
		side, ok := decided(t.policy(name, c.Field))
		switch {
		case !ok:
			leave++
		case side == c.Stands:
			stay++
		}
	}
	switch {
	case stay == len(d.Conflicts):
		return nil
	case stay+leave == 0 && other != nil:
		t.report.Types = append(t.report.Types, name)
		_, err := t.world.Import(cache.Intake{Types: []*entity.Type{other}})
		return err
	}
	marked, err := typefile.MarkDir(t.dir.TypesPath(), name, other, t.options.SideNames().Standing(stands))
	if err != nil || !marked {
		return err
	}
	for _, c := range d.Conflicts {
		t.report.Conflicts = append(t.report.Conflicts, cache.Conflict{Kind: merge.Declaration, Field: c.Field, Left: true,
			Words: fmt.Sprintf("type %s, %s: %s; both are marked in types/", name, c.Path, c.Why)})
	}
	return nil
}

// otherWay returns a declaration as it is with the conflicts decided the other way. What was
// edited since stays, and so does what was decided otherwise.
func otherWay(now *entity.Type, d conflictfile.Type) (*entity.Type, error) {
	if now == nil || d.Other == nil {
		return nil, nil
	}
	of := func(t *entity.Type) merge.Side {
		return merge.Of(entity.NewWorld(entity.GUID{}, entity.NewTypes(t)))
	}
	r, err := merge.Worlds(of(d.Stands), of(now), of(d.Other), merge.Options{Policy: merge.Mine})
	if err != nil {
		return nil, err
	}
	return r.Types.Get(now.Name), nil
}

// isSame reports whether two declarations say the same; nil is none.
func isSame(a, b *entity.Type) bool {
	return a == b || a != nil && b != nil && bytes.Equal(interchange.AppendType(nil, a), interchange.AppendType(nil, b))
}
