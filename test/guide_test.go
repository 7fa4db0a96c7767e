package test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// page is a part of docs/guide.md. A test types each of its commands, in their order and as
// they stand there.
type page struct {
	*testing.T
	left []string
}

// guidePage returns the part of the guide with a heading.
func guidePage(t *testing.T, heading string) *page {
	data, err := os.ReadFile("../docs/guide.md")
	require.NoError(t, err)
	_, part, ok := strings.Cut(string(data), "\n## "+heading+"\n")
	require.True(t, ok, "the guide has no part %q", heading)
	part, _, _ = strings.Cut(part, "\n## ")
	p := &page{T: t, left: commandsOf(part)}
	t.Cleanup(func() {
		if !t.Failed() && !t.Skipped() {
			require.Empty(t, p.left, "no test types these commands of the guide")
		}
	})
	return p
}

var inBackticks = regexp.MustCompile("`[^`]+`")

// commandsOf returns the commands of a part of the guide: what is indented, up to the
// remark behind it, and what stands in backticks in the column "command" of a table.
func commandsOf(part string) (commands []string) {
	column := -1
	for line := range strings.Lines(part) {
		cells := strings.Split(line, "|")
		switch {
		case strings.HasPrefix(line, "    "):
			command, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			commands = append(commands, command)
		case len(cells) == 1:
			column = -1
		case column < 0:
			column = slices.Index(cells, " command ")
			if column < 0 {
				column = len(cells) // of a table without any
			}
		case column < len(cells):
			for _, command := range inBackticks.FindAllString(cells[column], -1) {
				commands = append(commands, strings.Trim(command, "`"))
			}
		}
	}
	return commands
}

var entityFile = regexp.MustCompile(`entities/([0-9]+)\.entity_text`)

// types runs the page's next command, which must succeed, and returns what it printed.
func (p *page) types(b *bench, command string) string {
	p.Helper()
	return p.typesTo(b, 0, command)
}

// typesTo runs the page's next command, which must end with an exit status.
func (p *page) typesTo(b *bench, status int, command string) string {
	p.Helper()
	p.next(command)
	typed := *b
	typed.env = append(slices.Clone(b.env), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	command = entityFile.ReplaceAllStringFunc(command, func(name string) string {
		return config.entityPath(entityFile.FindStringSubmatch(name)[1])
	})
	out, code := typed.try("sh", "-c", "exec 2>&1; "+command)
	require.Equal(p, status, code, "%s\n%s", command, out)
	return out
}

// next has a command be the page's next.
func (p *page) next(command string) {
	p.Helper()
	require.NotEmpty(p, p.left, "the guide has no %q there", command)
	require.Equal(p, p.left[0], command, "the guide's next command")
	p.left = p.left[1:]
}

func TestCommandsOfTheGuide(t *testing.T) {
	require.Equal(t, []string{"git init", "worldfs mount", "a", "b c"}, commandsOf(
		"Text with `code`.\n\n    git init   a remark\n    worldfs mount\n\n| to | command | |\n|---|---|---|\n| `x` | `a`, then `b c` | `y` |\n\n| no | `z` |\n|---|---|\n| no | `z` |\n"))
}
