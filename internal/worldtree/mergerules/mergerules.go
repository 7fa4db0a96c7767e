// Package mergerules reads how a world has its merges done: the policy and the rules of
// world.toml, and the ranges of id_ranges.
package mergerules

import (
	"slices"

	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/machine"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

// Read returns how a world's directory has its merges done: the policy
// and the rules of world.toml, and the ranges of id_ranges. The side that is
// not shared is this machine's; it is a program's where the machine's role is one of
// merge.programs, or has a disposable range. IDs in an overlap of ranges are nobody's.
// Where the ranges do not parse the last ones that did count; where none are known that is
// an error, with options that go on without them.
func Read(dir *worlddir.Dir) (merge.Options, error) {
	var o merge.Options
	settings := dir.Settings.Merge
	if settings.Policy != "" {
		o.Policy, _ = merge.ParsePolicy(settings.Policy) // the settings were checked when they were read
	}
	if len(settings.Rules) > 0 {
		o.Rules = func(typ, field string) (merge.Policy, bool) { return rule(settings.Rules, typ, field) }
	}
	o.Bulk = settings.Bulk
	role := dir.Settings.Role
	if slices.Contains(settings.Programs, role) {
		o.Program = merge.Ours
	}
	file, err := rangefile.Read(dir)
	if err != nil {
		return o, err
	}
	list := idrange.Settled(file.Ranges)
	o.Ranges = merge.Ranges{List: rangesOf(list), Keys: keys(role), Party: merge.Ours}
	if slices.ContainsFunc(list, func(r idrange.Range) bool { return r.Disposable && slices.Contains(r.Keys, role) }) {
		o.Program = merge.Ours
	}
	if file.Wrong != nil && !file.Kept {
		return o, file.Wrong
	}
	return o, nil
}

// keys returns what id_ranges can call this machine, in a role or in none ("").
func keys(role string) []string {
	mine := machine.This.Keys()
	if role != "" {
		mine = append(mine, idrange.Normal(role))
	}
	return mine
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

// rangesOf returns the ranges as merging has them.
func rangesOf(list []idrange.Range) []merge.Range {
	ranges := make([]merge.Range, len(list))
	for i, r := range list {
		ranges[i] = merge.Range{From: r.From, To: r.To, Owners: r.Owners(), Disposable: r.Disposable}
	}
	return ranges
}
