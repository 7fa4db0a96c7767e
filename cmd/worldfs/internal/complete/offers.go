package complete

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
)

// nothing is the offer for what only a person knows.
func nothing(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func directories(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// words is the offer of a few that are always the same.
func words(all ...string) offer {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return begin(all, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// listOf is the offer for the last element of a list with commas.
func listOf(one offer) offer {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(typed, ',') + 1
		offers, directive := one(cmd, args, typed[at:])
		offers = without(offers, strings.Split(typed[:at], ","))
		for i := range offers {
			offers[i] = typed[:at] + offers[i]
		}
		return offers, directive
	}
}

// ids offers the IDs that begin as typed, with the entities' types and names.
func ids(cmd *cobra.Command, _ []string, typed string) (offers []cobra.Completion, _ cobra.ShellCompDirective) {
	if _, err := entity.ParseID(typed); err != nil && typed != "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	w := openWorld(cmd)
	for id, description := range w.entities(typed) {
		offers = append(offers, described(id.String(), description))
		if len(offers) == maxOffers {
			break
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// types offers the types that begin as typed.
func types(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	for _, t := range openWorld(cmd).types().All() {
		names = append(names, t.Name)
	}
	return begin(names, typed), cobra.ShellCompDirectiveNoFileComp
}

// fields offers the names of fields of any type that begin as typed.
func fields(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	for _, t := range openWorld(cmd).types().All() {
		for _, f := range t.Fields {
			names = append(names, f.Name)
		}
	}
	return begin(names, typed), cobra.ShellCompDirectiveNoFileComp
}

// roles offers the owners of the ranges in id_ranges that begin as typed.
func roles(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	w := openWorld(cmd)
	if w.dir == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	// Not by package rangefile, which keeps what it has read.
	data, err := disk.ReadFile(w.dir.RangesPath(), idrange.MaxSize)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	ranges, _ := idrange.Parse(data, w.dir.RangesPath())
	for _, r := range ranges {
		names = append(names, r.Keys...)
	}
	return begin(names, typed), cobra.ShellCompDirectiveNoFileComp
}

// begin returns those of the names that begin as typed, in order and each once.
func begin(names []string, typed string) (offers []cobra.Completion) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !strings.HasPrefix(name, typed) || strings.ContainsFunc(name, unicode.IsControl)
	})
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxOffers)]
}

// described is an offer with what a shell shows beside it, on one line.
func described(word, description string) cobra.Completion {
	description = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, description)
	return cobra.CompletionWithDesc(word, strings.TrimSpace(description))
}
