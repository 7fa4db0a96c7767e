// Package complete has shells complete what commands take: the IDs of entities, types,
// fields and roles of the world, files, and words of which there are few.
//
// What an argument or a flag's value is, its name in the help says: ID in "show ID", T in
// "--type T". So a new command is completed without more, as far as its help uses the names
// of the others. What a command completes itself stays so; a name that is not known here is
// left to the shell, which offers files.
//
// An offer is made of the published pack and of small files; no daemon is asked, nothing is
// written, and what cannot be read offers nothing. At most maxOffers are made. It costs what
// reading the pack does: a third of a second with 300,000 entities.
package complete

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// maxOffers is how many words a shell is offered.
const maxOffers = 200

// All has a command and all below it complete what they take.
func All(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, ok := cmd.GetFlagCompletionFunc(f.Name); ok || f.Value.Type() == "bool" {
			return
		}
		if offer := ofFlag(f); offer != nil {
			// It can only fail for a flag that is not there, or is registered already.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, offer)
		}
	})
	if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = ofArguments(parameters(cmd))
	}
	for _, c := range cmd.Commands() {
		All(c)
	}
}

// offer is what cobra calls to complete a word.
type offer = cobra.CompletionFunc

// byName are the offers for what is called so in help.
var byName = map[string]offer{
	"ID": ids, "IDS": listOf(ids), "T": types, "TYPE": types, "TYPES": listOf(types), "FIELDS": listOf(fields), "ROLE": roles,
	"DIR": directories, "SIDE": words("mine", "shared", "base"), "HOW": nothing,
	"EXPR": nothing, "FIELD=EXPR": nothing, "FIELD=VALUE": nothing, "TEXT": nothing, "NEW-ID": nothing, "HASH": nothing,
	"N": nothing, "NUMBER": nothing, "R": nothing, "TIME": nothing, "USER": nothing, "POSITION": nothing, "REVISION": nothing,
	"X,Y,Z": nothing, "COMMAND": nothing, "int": nothing, "uint": nothing, "float": nothing, "X,Y,Z,RADIUS": nothing, "ID|X,Y,Z": ids,
}

// byFlag are those of flags whose help lists the words that they take.
var byFlag = map[string]offer{
	"log-level": words("debug", "info", "warn", "error"),
	"policy":    words("leave", "shared", "mine"),
	"prefer":    words("ours", "theirs"),
	"shape":     words("entities", "cover"),
}

func ofFlag(f *pflag.Flag) offer {
	if offer, ok := byFlag[f.Name]; ok {
		return offer
	}
	name, _ := pflag.UnquoteUsage(f)
	return byName[name]
}

// ofArguments completes a command's arguments. Where any of what it takes is left to the
// shell, all of that place is.
func ofArguments(takes []parameter) offer {
	return func(cmd *cobra.Command, args []string, typed string) (offers []cobra.Completion, _ cobra.ShellCompDirective) {
		at := len(args)
		if i := slices.IndexFunc(takes, func(p parameter) bool { return p.repeats }); i >= 0 {
			at = min(at, i)
		}
		if at >= len(takes) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all := cobra.ShellCompDirectiveDefault
		for _, name := range takes[at].names {
			offer, ok := byName[name]
			if !ok {
				return nil, cobra.ShellCompDirectiveDefault
			}
			more, directive := offer(cmd, args, typed)
			offers, all = append(offers, more...), all|directive
		}
		return without(offers, args), all
	}
}

// without leaves out what stands in the call already.
func without(offers []cobra.Completion, args []string) []cobra.Completion {
	return slices.DeleteFunc(offers, func(offer cobra.Completion) bool {
		word, _, _ := strings.Cut(offer, "\t")
		return slices.Contains(args, word)
	})
}
