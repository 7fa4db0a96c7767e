// Package mergerules reads how a world has its merges done: the policy and the rules of
// world.toml, and the ranges of id_ranges.
package mergerules

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

// Read returns how a world's directory has its merges done: the policy
// and the rules of world.toml, and the ranges of id_ranges. The side that is
// not shared is this machine's. Ranges that do not parse are an error, with
// options that go on without them.
func Read(dir *worlddir.Dir) (merge.Options, error) {
	var o merge.Options
	settings := dir.Settings.Merge
	if settings.Policy != "" {
		o.Policy, _ = merge.ParsePolicy(settings.Policy) // the settings were checked when they were read
	}
	if len(settings.Rules) > 0 {
		o.Rules = func(typ, field string) (merge.Policy, bool) { return rule(settings.Rules, typ, field) }
	}
	data, err := disk.ReadFile(dir.RangesPath(), idrange.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	} else if err != nil {
		return o, fmt.Errorf("read ID ranges: %w", err)
	}
	list, err := idrange.Parse(data, dir.RangesPath())
	if err != nil {
		return o, err
	}
	o.Ranges = ranges{list: list, mine: idrange.Mine(dir.Settings.Role)}
	return o, nil
}

func rule(rules []worlddir.MergeRule, typ, field string) (merge.Policy, bool) {
	for _, r := range rules {
		if (r.Type == "" || r.Type == typ) && r.Field == field {
			p, err := merge.ParsePolicy(r.Policy)
			return p, err == nil
		}
	}
	return merge.Leave, false
}

// ranges are id_ranges as merging asks for them, seen from a machine that has
// its own edits (ours) and takes in what is shared (theirs).
type ranges struct {
	list []idrange.Range
	mine []string
}

func (r ranges) Owner(id entity.ID) merge.Party {
	in, ok := idrange.Of(r.list, id)
	switch {
	case !ok:
		return merge.Neither
	case in.IsOf(r.mine):
		return merge.Ours
	}
	return merge.Theirs
}

func (r ranges) Disposable(id entity.ID) (from, to entity.ID, ok bool) {
	in, ok := idrange.Of(r.list, id)
	if !ok || !in.Disposable {
		return 0, 0, false
	}
	return entity.ID(in.From), entity.ID(min(in.To, uint64(entity.MaxID))), true
}

func (r ranges) Next(p merge.Party, id entity.ID, free func(entity.ID) bool) (entity.ID, bool) {
	if p == merge.Ours {
		return idrange.Next(r.list, r.mine, 0, free)
	}
	in, ok := idrange.Of(r.list, id)
	if !ok {
		return 0, false
	}
	return idrange.Next([]idrange.Range{{From: in.From, To: in.To, Keys: in.Keys}}, in.Keys, id, free)
}
