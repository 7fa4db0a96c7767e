package daemon

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/compare/conflictfile"
	"github.com/worldfs/worldfs/internal/mounting/conflicts"
	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/merge"
)

// ApplyOptions say how a change set is applied.
type ApplyOptions struct {
	Reverse      bool   // undo it
	Policy       string // leave, shared, mine; "": as world.toml says
	UnknownTypes bool   // entities of types that are declared nowhere are made, too
	AllowLoss    bool   // even if most entities are deleted
	By           string // the command that makes the changes, for the history; "": apply
}

var applyCommand = defineIntake(intake[ApplyOptions]{
	name: "apply",
	options: func(q url.Values) ApplyOptions {
		return ApplyOptions{
			Reverse: q.Get("reverse") == "true", Policy: q.Get("policy"),
			UnknownTypes: q.Get(optionUnknownTypes) == "true", AllowLoss: q.Get(optionAllowLoss) == "true", By: q.Get(optionBy),
		}
	},
	do: service.apply,
})

func (o ApplyOptions) query() url.Values {
	return url.Values{
		"reverse": {strconv.FormatBool(o.Reverse)}, "policy": {o.Policy}, optionUnknownTypes: {strconv.FormatBool(o.UnknownTypes)}, optionBy: {o.By},
	}
}

func (o ApplyOptions) allows() (unknownTypes, loss bool) { return o.UnknownTypes, o.AllowLoss }

// Apply makes the changes of a change set, which is a text from r; file is its
// name in messages. What a merge left to people (see conflictfile) is applied,
// too: it is marked in the texts, or decided by the policy. Where the world has moved on, what was changed here as well
// is a conflict.
func (w *World) Apply(r io.Reader, file string, o ApplyOptions) (cache.Report, error) {
	return applyCommand.on(w, r, file, o)
}

func (s service) apply(r io.Reader, file string, o ApplyOptions) (cache.Report, error) {
	options, err := mergerules.Read(s.dir)
	if err != nil {
		return cache.Report{}, err
	}
	if o.Policy != "" {
		if options.Policy, err = merge.ParsePolicy(o.Policy); err != nil {
			return cache.Report{}, err
		}
	}
	in := bufio.NewReader(r)
	if conflictfile.Is(in) {
		if o.Reverse {
			return cache.Report{}, &Failure{Exit: ExitFailed, Message: file + ": conflicts can be applied, and not undone; nothing is taken in"}
		}
		return conflicts.Take(s.world, s.dir, in, file, options)
	}
	var homeless entity.ChangeSet
	cause := cache.Cause{By: cmp.Or(o.By, cache.ByApply), Note: file}
	if o.Reverse {
		cause.Note = "undone: " + file
	}
	report, err := s.world.Edit(cause, func(v *cache.View) (base, theirs entity.Source, err error) {
		if o.AllowLoss {
			v.AllowLoss()
		}
		set, err := changeset.Parse(in, file, v.Types())
		if err != nil {
			return nil, nil, err
		}
		if !o.UnknownTypes && !o.Reverse { // what is undone was there
			if err := refuseUnknown(file, changeset.Made(set), v); err != nil {
				return nil, nil, err
			}
		}
		if o.Reverse {
			set = set.Invert()
		}
		base, theirs, homeless = changeset.Sides(set, v.Overlay)
		return base, theirs, nil
	}, options)
	for _, c := range homeless {
		report.Conflicts = append(report.Conflicts, cache.Conflict{
			Kind: merge.PropertyChanged, ID: c.ID, Field: c.Field, Gone: true,
			Words: fmt.Sprintf("entity %d, field %s: there is nothing to make the change on: the entity is gone, or has no such field or value", c.ID, c.Field),
		})
	}
	return report, err
}
