package resolve

import (
	"errors"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/lostedits"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// byPolicy is what a world's policy has decided of a merge.
type byPolicy struct{ r *Resolution }

// conflicts returns those that it has decided.
func (d byPolicy) conflicts() []merge.Conflict {
	return slices.DeleteFunc(slices.Clone(d.r.Merged.Conflicts), func(c merge.Conflict) bool {
		return c.Left || c.Gave || c.ID == 0 || d.r.isChosen(c)
	})
}

func (r *Resolution) isChosen(c merge.Conflict) bool {
	return slices.ContainsFunc(r.past.Choices, func(o Choice) bool { return o.matter() == matter{id: c.ID, field: c.Field} })
}

// keepLost keeps what lost by the policy, by whose it was.
func (d byPolicy) keepLost() error {
	if len(d.conflicts()) == 0 {
		return nil
	}
	r := d.r
	known, err := lostedits.Read(r.dir)
	key, now := r.Operation.Key(), time.Now().UTC()
	if known.Has(key) || err != nil && !errors.Is(err, keptfile.ErrDamaged) {
		return err // it may have been dismissed
	}
	changes, err := d.lost()
	if err != nil {
		return err
	}
	return lostedits.Update(r.dir, r.keepFile, func(known *lostedits.Records) error {
		if known.Has(key) {
			return nil
		}
		found := &Lost{Kind: called(r), By: leftconflict.Author{Time: now}, key: key} // that it was found out
		known.Put(found.record())
		told := toldInSteps(r, known)
		for author, set := range changes {
			author.Time = now
			set = slices.DeleteFunc(set, func(c entity.Change) bool { return told[c.ID] })
			l := &Lost{Kind: called(r), By: author, Policy: true, Changes: set, key: key + " " + author.Name}
			known.Put(l.record())
		}
		return nil
	})
}

// lost returns the changes that would have the other side stand in what it has decided.
func (d byPolicy) lost() (map[leftconflict.Author]entity.ChangeSet, error) {
	r := d.r
	sides := worldform.Sides(r.sides)
	options := d.otherWay()
	options.Amended = amend(r.past.Choices, &sides, r.Operation)
	other, err := merge.Worlds(sides[0], sides[1], sides[2], options)
	if err != nil {
		return nil, err
	}
	loser := make(map[entity.ID]merge.Party)
	for _, c := range d.conflicts() {
		loser[c.ID] = c.Stands.Other()
	}
	lost := make(map[leftconflict.Author]entity.ChangeSet)
	for _, c := range follow.In(r.Merged).WithoutDerived(entity.Diff(r.Merged, other)) {
		side := 0
		if loser[c.ID] == merge.Theirs {
			side = 1
		}
		author := leftconflict.Author{Name: r.authors[side][c.ID].Name}
		lost[author] = append(lost[author], c)
	}
	return lost, nil
}

// otherWay returns the rules with which the other side stands where the policy decides.
func (d byPolicy) otherWay() merge.Options {
	r := d.r
	options := r.rules
	options.Choose = chosen(r.past.Choices, r.Operation)
	other := func(p merge.Policy) merge.Policy {
		switch p {
		case merge.Shared:
			return merge.Mine
		case merge.Mine:
			return merge.Shared
		}
		return p
	}
	options.Policy = other(options.Policy)
	if rules := options.Rules; rules != nil {
		options.Rules = func(typ, field string) (merge.Policy, bool) {
			p, ok := rules(typ, field)
			return other(p), ok
		}
	}
	return options
}
