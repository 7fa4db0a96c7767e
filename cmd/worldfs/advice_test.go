package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// TestTheCommandsThatMendAreCalls has the program read each command that findings name, as
// far as it can without doing it.
func TestTheCommandsThatMendAreCalls(t *testing.T) {
	others := []string{"$EDITOR", "mv", "cp", "rm", "chmod", "df", "git"}
	asked := 0
	for _, code := range advice.Codes() {
		for _, f := range []entity.Finding{
			{Code: code}, {Code: code, ID: 6555, Line: 12}, {Code: code, ID: 6555, Other: 6001},
			{Code: code, ID: 6555, File: "6555.entity_text.mine"}, {Code: code, File: "types/Door.toml"},
		} {
			mend := advice.Give(layout.None, []entity.Finding{f})[0].Mend
			words := strings.Fields(mend)
			if len(words) == 0 {
				continue
			}
			if words[0] != "worldfs" {
				require.Contains(t, others, words[0], "%s: %s", code, mend)
				continue
			}
			asked++
			requireCall(t, words[1:])
		}
	}
	require.Greater(t, asked, 50)
	for _, call := range []string{"undo 6001", "restore 5e866ea729fd", "mount", "vcs sync", "vcs install", "unpack"} {
		requireCall(t, strings.Fields(call)) // these are named by what knows more than a code
	}
}

// requireCall requires that the program has such a command, which takes these flags and
// arguments.
func requireCall(t *testing.T, args []string) {
	t.Helper()
	root, _ := newRoot()
	cmd, rest, err := root.Find(args)
	require.NoError(t, err, args)
	require.True(t, cmd.Runnable() && cmd != root, "%v is no command", args)
	require.NoError(t, cmd.ParseFlags(rest), args)
	require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), args)
}
