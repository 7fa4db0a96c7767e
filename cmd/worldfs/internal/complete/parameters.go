package complete

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// parameter is what a command takes at one place.
type parameter struct {
	names   []string // what it can be: ID, or ID and TYPE
	repeats bool     // and as many more of it as there are
}

// parameters returns what a command takes besides flags, in order, as its line of use says:
//
//	resolve [--take SIDE [ID | TYPE]… | -i]    ID or TYPE, repeated
func parameters(cmd *cobra.Command) (all []parameter) {
	words := strings.Fields(strings.NewReplacer("[", " ", "]", "", ".jsonl[.gz]", "").Replace(cmd.Use))
	for i, or := 1, false; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "|":
			or = len(all) > 0
			continue
		case strings.HasPrefix(word, "-"):
			if f := lookup(cmd, word); f != nil && f.NoOptDefVal == "" {
				i++ // its value
			}
		default:
			name := strings.TrimSuffix(strings.TrimSuffix(word, "…"), "...")
			if !or {
				all = append(all, parameter{})
			}
			last := &all[len(all)-1]
			last.names = append(last.names, name)
			last.repeats = name != word
		}
		or = false
	}
	return all
}

// lookup returns the flag that is written so, nil if there is none.
func lookup(cmd *cobra.Command, written string) *pflag.Flag {
	name := strings.TrimLeft(written, "-")
	if len(name) == 1 {
		return cmd.Flags().ShorthandLookup(name)
	}
	return cmd.Flags().Lookup(name)
}
