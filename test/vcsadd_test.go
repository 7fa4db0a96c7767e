package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVCSAddTakesNothingLocalAlong(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "svn"} {
		for _, place := range someOf(t, []string{"plain", "mounted", "below"}) {
			t.Run(tool+" "+place, func(t *testing.T) {
				b := vcsWorld(t, tool, place)
				require.Empty(t, b.states(tool))
				has := b.run(tool, map[string][]string{"git": {"ls-files"}, "svn": {"list", "-R"}}[tool]...)
				for _, name := range []string{"world.toml", "id_ranges", "types/Door.toml", b.file(6555)} {
					require.Contains(t, has, name+"\n")
				}
				for _, name := range []string{".worldfs", "world.pack"} {
					require.NotContains(t, has, name)
				}
				require.Contains(t, b.run("worldfs", "vcs", "add"), tool+" has it all")
			})
		}
	}
}

// Where svn add or git add has taken .worldfs along, the way out is named, and works,
// committed or not.
func TestVCSAddSaysHowToGetLocalFilesOut(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "svn"} {
		for _, committed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, committed: %v", tool, committed), func(t *testing.T) {
				b := vcsWorld(t, tool, "plain")
				if tool == "git" {
					b.run("git", "add", "--force", ".worldfs", "world.pack")
				} else {
					b.run("svn", "add", "-q", "--no-ignore", "--force", ".worldfs", "world.pack")
				}
				if committed {
					b.commitAll(tool)
				}
				out, code := b.try("worldfs", "status")
				require.Equal(t, 3, code)
				require.Contains(t, out, "worldfs vcs add says how to get it out")
				out, code = b.try("worldfs", "vcs", "add")
				require.Equal(t, 1, code, out)
				_, way, _ := strings.Cut(out, "\n\n    ")
				way, _, _ = strings.Cut(way, "\n")
				require.Contains(t, way, ".worldfs world.pack")
				b.run("sh", "-c", way)
				require.Contains(t, b.run("worldfs", "vcs", "add"), "has it all")
				b.run("worldfs", "check")
				require.FileExists(t, b.path("world.pack"))
			})
		}
	}
}

func TestVCSSyncNeedsAWorldThatWasAdded(t *testing.T) {
	b := newBench(t, "git", "svn", "svnadmin")
	b.run("worldfs", "demo", "--entities", "20", "w")
	b = b.cd("w")
	out, code := b.try("worldfs", "vcs", "sync")
	require.Equal(t, 3, code)
	require.Contains(t, out, "no working copy of git or svn")
	_, code = b.try("worldfs", "vcs", "add")
	require.Equal(t, 3, code)
	b.run("git", "init", "-q")
	out, code = b.try("worldfs", "vcs", "sync")
	require.Equal(t, 3, code)
	require.Contains(t, out, "worldfs vcs add")
	b.run("rm", "-r", ".git")
	b.run("svnadmin", "create", "../repository")
	b.run("svn", "checkout", "-q", "--force", "file://"+b.path("../repository"), "..")
	out, code = b.try("worldfs", "vcs", "sync")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "worldfs vcs add")
}
