package complete

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestParameters(t *testing.T) {
	one := func(names ...string) parameter { return parameter{names: names} }
	many := func(names ...string) parameter { return parameter{names, true} }
	for use, want := range map[string][]parameter{
		"ls":                            nil,
		"show ID":                       {one("ID")},
		"fmt [ID...]":                   {many("ID")},
		"rm ID…":                        {many("ID")},
		"mv ID NEW-ID":                  {one("ID"), one("NEW-ID")},
		"diff [A [B]]":                  {one("A"), one("B")},
		"edit ID | TEXT":                {one("ID", "TEXT")},
		"apply FILE | -":                {one("FILE")},
		"import FILE.jsonl[.gz] | -":    {one("FILE")},
		"export [-o FILE]":              nil,
		"merge BASE OURS -o OUT":        {one("BASE"), one("OURS")},
		"pack [--ship] [-o FILE] WORLD": {one("WORLD")},
		"set --where EXPR FIELD=EXPR…":  {many("FIELD=EXPR")},
		"resolve [--take SIDE [ID | TYPE]… | --set ID FIELD=VALUE… | --ship]": {many("ID", "TYPE"), many("FIELD=VALUE")},
	} {
		cmd := &cobra.Command{Use: use}
		cmd.Flags().StringP("output", "o", "", "")
		cmd.Flags().Bool("ship", false, "")
		for _, name := range []string{"where", "take", "set"} {
			cmd.Flags().String(name, "", "")
		}
		require.Equal(t, want, parameters(cmd), use)
	}
}

func TestOffersStandOnOneLine(t *testing.T) {
	require.Equal(t, "7\tDoor a  b [2J", described("7", "Door a\n\tb\x1b[2J"))
	require.Equal(t, []cobra.Completion{"Door", "Old Door"}, begin([]string{"Old Door", "Door", "Door", "two\nlines"}, ""))
}
