package test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A person has edited a file that svn has in conflict, and a marker is there still: what was
// typed stands, and svn's texts of the sides stay beside it until the conflict is settled.
func TestResolveLeavesWhatIsHalfSettledInSVN(t *testing.T) {
	t.Parallel()
	markers := map[int]string{6555: "<<<<<<< ", 6001: "=======", 6005: ">>>>>>> "}
	for _, install := range []bool{false, true} {
		for _, marked := range someOf(t, []string{"by svn", "by resolve"}, install) {
			t.Run(fmt.Sprintf("install %t, marked %s", install, marked), func(t *testing.T) {
				team := newSVNTeam(t, "plain")
				b := team.ann
				if install {
					b.run("worldfs", "vcs", "install", "--yes")
				}
				for id := range markers {
					team.bob.set(id, "position.x = 6")
				}
				team.bob.svnCommit("Bob")
				mine := make(map[int]string)
				for id := range markers {
					b.set(id, "position.x = 8")
				}
				b.run("worldfs", "sync")
				for id := range markers {
					mine[id] = b.read(config.entityPath(fmt.Sprint(id)))
				}
				b.svnUpdate()
				if marked == "by resolve" {
					require.Contains(t, b.left(), "3 left to settle")
				}
				typed := make(map[int]string)
				for id, left := range markers {
					name := config.entityPath(fmt.Sprint(id))
					typed[id] = byHand(markerLine.ReplaceAllStringFunc(b.read(name), func(line string) string {
						if strings.HasPrefix(line, left) {
							return line
						}
						return ""
					}))
					require.Contains(t, typed[id], left)
					b.write(name, typed[id])
				}
				beside := b.besideConflicts()
				require.Len(t, beside, 9)
				for range 2 {
					out, code := b.try("worldfs", "resolve")
					require.Equal(t, 1, code, out)
					require.Contains(t, out, "left as it is")
					for id, text := range typed {
						require.Contains(t, out, config.entityPath(fmt.Sprint(id)))
						require.Equal(t, text, b.read(config.entityPath(fmt.Sprint(id))))
					}
					require.Equal(t, beside, b.besideConflicts())
				}
				for id, text := range mine {
					b.write(config.entityPath(fmt.Sprint(id)), byHand(text))
				}
				require.Contains(t, b.run("worldfs", "resolve"), "next: svn commit")
				require.Empty(t, b.besideConflicts())
				fresh := team.fresh()
				for id := range markers {
					require.Contains(t, fresh.read(config.entityPath(fmt.Sprint(id))), "edited by hand")
				}
			})
		}
	}
}

var markerLine = regexp.MustCompile(`(?m)^(<<<<<<< .*|\|\|\|\|\|\|\| .*|=======|>>>>>>> .*)\n`)

// byHand returns a text with another name in it.
func byHand(text string) string { return nameLine.ReplaceAllString(text, `${1}"edited by hand"`) }

// besideConflicts returns what svn has put beside files in conflict.
func (b *bench) besideConflicts() (beside []string) {
	b.Helper()
	for _, name := range b.names("entities") {
		if !strings.HasSuffix(name, ".entity_text") {
			text, err := os.ReadFile(b.path("entities/" + name))
			require.NoError(b, err)
			beside = append(beside, name+"\n"+string(text))
		}
	}
	return beside
}
