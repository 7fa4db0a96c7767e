package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whichever way git is told to write a conflict, our side's value is loaded
// meanwhile and the finding names the line: mounted, and packed from plain files.
func TestMarkersThatGitLeaves(t *testing.T) {
	t.Parallel()
	for style, base := range map[string]string{
		"merge":  "",
		"diff3":  "||||||| HASH\n    \"bunker door\"\n",
		"zdiff3": "||||||| HASH\n    \"bunker door\"\n",
	} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			s := newSide(t, true, "git", "sed")
			s.cd("w").mount()
			for _, step := range lines(conflict) {
				s.requireStep(step)
			}
			s.requireStep("! git -c merge.conflictStyle=" + style + " merge -q side")
			require.Contains(t, s.run("sed", `s/^\(||||||| \)[0-9a-f]*$/\1HASH/`, "w/"+config.entityPath("6555")),
				"; entity_name\n<<<<<<< HEAD\n    \"oak door\"\n"+base+"=======\n    \"steel door\"\n>>>>>>> side\n; targets\n")

			s.requireConflict("w")
			s.run("cp", "-a", "w", "copy")
			s.run("rm", "-rf", "copy/.worldfs", "copy/world.pack", "copy/entities/NOT-MOUNTED.txt")
			s.cd("copy").run("worldfs", "pack")
			s.requireConflict("copy")

			s.requireStep("git checkout -q --theirs @6555")
			s.requireClean(true)
			require.Contains(t, s.cd("w").run("worldfs", "find", "steel"), `Door 6555 "steel door"`)
		})
	}
}

// requireConflict requires that the one finding is the conflict in Door 6555, of
// which our side's name is loaded.
func (s side) requireConflict(dir string) {
	s.Helper()
	b := s.cd(dir)
	out, code := b.try("worldfs", "check")
	require.Equal(s, 1, code)
	require.Contains(s, out, `Door 6555 "oak door", line 14, field entity_name: two people changed this; the first side's value is loaded`)
	require.Contains(s, b.run("worldfs", "find", "oak"), "entity_name: oak door\n")
	require.Empty(s, b.run("worldfs", "find", "steel"))
}
