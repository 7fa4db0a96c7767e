package svnsetup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAConfigSaysOfTheHelpers(t *testing.T) {
	require.Equal(t, map[string]string{"diff3-cmd": "/a b", "editor-cmd": "vi", "diff-cmd": "x=y"}, helpersOf(
		"[helpers]\r\n# merge-tool-cmd = no\r\nDIFF3-CMD=/a b\r\n[other]\ndiff3-cmd = no\n[Helpers]\neditor-cmd : vi\n merge-tool-cmd = goes on\ndiff-cmd = x=y"))
	require.Empty(t, helpersOf("diff3-cmd = before any section\n[help"))
}

func TestCallsOfDiff3(t *testing.T) {
	require.Equal(t, Diff3{Mine: "m", Older: "o", Yours: "y"}, ParseDiff3([]string{"-E", "-m", "-L", ".mine", "-L", ".r1", "-L", ".r2", "m", "o", "y"}))
	require.Equal(t, Diff3{Mine: "-L", Older: ".working", Yours: "y", Merge: true}, ParseDiff3([]string{"-L", ".working", "-L", ".working", "y"}))
	require.Equal(t, Diff3{Mine: ".working", Older: "o", Yours: "y", Merge: true}, ParseDiff3([]string{"-L", ".working", "o", "y"}))
}

func TestScriptsAreReadAsTheyAreWritten(t *testing.T) {
	s := &Setup{config: t.TempDir()}
	worlds := []string{"/a'b/c", "/PROGRAM", "/x=WORLDS"}
	require.NoError(t, s.writeScript(diff3Script, "/it's/w", worlds))
	require.Equal(t, "/it's/w", s.programOf(diff3Script))
	require.Equal(t, worlds, s.worlds())
	require.True(t, s.hasScript(diff3Script))
	require.False(t, s.hasScript(mergeScript))
}
