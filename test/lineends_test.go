package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where git is set up, it writes the world's files as worldfs does, whatever core.autocrlf and
// a committed .gitattributes say; what it has written otherwise before is clean.
func TestGitEndsLinesAsWorldfsDoes(t *testing.T) {
	t.Parallel()
	for _, committed := range []bool{false, true} {
		t.Run(map[bool]string{false: "autocrlf", true: "attributes"}[committed], func(t *testing.T) {
			b := resolveWorld(t, "plain")
			if committed {
				b.write(".gitattributes", "*.entity_text text eol=crlf\n")
				b.commit("attributes")
			} else {
				b.run("git", "config", "core.autocrlf", "true")
			}
			again := func() {
				b.run("rm", "-r", "entities")
				b.run("git", "checkout", "-q", "entities")
			}
			again()
			require.Contains(t, b.read(config.entityPath("6555")), "\r\n")
			require.Contains(t, b.run("worldfs", "status"), "the text is not as worldfs writes it")

			b.run("worldfs", "vcs", "install")
			b.run("sh", "-c", "touch entities/*")
			require.Empty(t, b.run("git", "status", "--porcelain"))
			again()
			require.NotContains(t, b.read(config.entityPath("6555")), "\r")
			require.NotContains(t, b.run("worldfs", "status"), "the text is not as worldfs writes it")
			require.Empty(t, b.run("git", "status", "--porcelain"))
		})
	}
}
