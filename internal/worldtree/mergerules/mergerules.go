// Package mergerules reads how a world has its merges done: the policy and the rules of
// world.toml, and the ranges of id_ranges.
package mergerules

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

// Read returns how a world's directory has its merges done: the policy
// and the rules of world.toml, and the ranges of id_ranges. The side that is
// not shared is this machine's; it is a program's where the machine's role is one of
// merge.programs, or has a disposable range. Ranges that do not parse are an error, with
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
	o.Bulk = settings.Bulk
	role := dir.Settings.Role
	if slices.Contains(settings.Programs, role) {
		o.Program = merge.Ours
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
	o.Ranges = merge.Ranges{List: rangesOf(list), Keys: idrange.Mine(role), Party: merge.Ours}
	if slices.ContainsFunc(list, func(r idrange.Range) bool { return r.Disposable && slices.Contains(r.Keys, role) }) {
		o.Program = merge.Ours
	}
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

// rangesOf returns the ranges as merging has them.
func rangesOf(list []idrange.Range) []merge.Range {
	ranges := make([]merge.Range, len(list))
	for i, r := range list {
		ranges[i] = merge.Range{From: r.From, To: r.To, Owners: r.Owners(), Disposable: r.Disposable}
	}
	return ranges
}
