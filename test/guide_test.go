package test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
)

// guidePages are the pages of the guide. Each command in them is typed by a test, in their
// order and as they stand there, and what is shown below one is what it prints.
var guidePages = []string{"guide.md", "day.md", "git.md", "svn.md", "merging.md", "running.md"}

// guideParts are what types the commands of a part, by its page and heading.
var guideParts = map[string]func(p *page){
	"guide.md: Begin":                       guideBegin,
	"guide.md: Find":                        guideFind,
	"guide.md: Make":                        guideMake,
	"guide.md: Change":                      guideChange,
	"guide.md: Delete and renumber":         guideDelete,
	"guide.md: See what changed":            guideChanged,
	"guide.md: Undo":                        guideUndo,
	"guide.md: See what is wrong":           guideWrong,
	"guide.md: A save went wrong":           guideSave,
	"guide.md: IDs":                         guideIDs,
	"guide.md: Working with others, in git": guideWorkingInGit,
	"guide.md: Working with others, in svn": guideWorkingInSVN,
	"guide.md: Something went wrong":        guideSomethingWentWrong,
	"guide.md: For the engine programmer":   guideEngine,
	"guide.md: For the build machine":       guideBuild,

	"git.md: The same tree, mounted or not":                   guideSameTree,
	"git.md: After a merge: worldfs resolve":                  guideAfterAMerge,
	"git.md: What a merge has cost":                           guideCost,
	"git.md: Set up a clone: worldfs vcs install":             guideClone,
	"git.md: git inside entities/":                            guideInside,
	"git.md: How fast":                                        guideFast,
	"git.md: What git and svn are told":                       guideTold,
	"svn.md: After svn update: worldfs resolve":               guideAfterAnUpdate,
	"svn.md: Set up a working copy: worldfs vcs install":      guideWorkingCopy,
	"svn.md: TortoiseSVN and other clients that run no hooks": guideTortoise,
	"merging.md: Two worlds that were made of one":            guideMerging,
	"merging.md: JSON documents":                              guideJSON,
	"running.md: A very large world":                          guideLarge,
}

// TestGuide types every command of the guide. REWRITE=1 has the pages show what is printed now.
func TestGuide(t *testing.T) {
	t.Parallel()
	for _, name := range guidePages {
		for heading, part := range readParts(t, name) {
			if len(part.commands) == 0 || name == "day.md" {
				continue
			}
			key := name + ": " + heading
			t.Run(key, func(t *testing.T) {
				do := guideParts[key]
				require.NotNil(t, do, "no test types the commands of this part")
				do(newPage(t, name, heading, part))
			})
		}
	}
	for key := range guideParts {
		name, heading, _ := strings.Cut(key, ": ")
		require.Contains(t, readParts(t, name), heading, "a test is of a part that the guide does not have")
	}
}

// part is what is under a heading of the second level, the title's for what is before the first.
type part struct {
	commands []typed
	files    []string // what stands in blocks that are no commands
}

// typed is a command of the guide. In a block of a session what it prints follows.
type typed struct {
	person  string // that types it, before the prompt: "" for the reader
	command string
	shows   string
	block   int // which session of the part it is in, from 1; 0 for a command that stands alone
}

// readParts returns the parts of a page, by their headings.
func readParts(t *testing.T, name string) map[string]*part {
	data, err := os.ReadFile(filepath.Join("../docs", name))
	require.NoError(t, err)
	parts := make(map[string]*part)
	for _, text := range splitParts(string(data)) {
		heading, _, _ := strings.Cut(text, "\n")
		heading = strings.TrimLeft(heading, "# ")
		require.NotContains(t, parts, heading)
		parts[heading] = parsePart(text)
	}
	return parts
}

// splitParts cuts a page before each heading of the second level.
func splitParts(text string) (parts []string) {
	for {
		at := strings.Index(text[1:], "\n## ")
		if at < 0 {
			return append(parts, text)
		}
		parts, text = append(parts, text[:at+2]), text[at+2:]
	}
}

var (
	inBackticks = regexp.MustCompile("`[^`]+`")
	atPrompt    = regexp.MustCompile(`^([a-z]*)\$ (.*)`)
)

// parsePart finds the commands of a part: those of sessions, behind a prompt; what is indented,
// up to the remark behind it; and what stands in backticks in the column "command" of a table.
func parsePart(text string) *part {
	p := new(part)
	column, fence, block := -1, "", 0
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		at := atPrompt.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case strings.HasPrefix(line, "```"):
			if fence != "" {
				fence = ""
			} else if fence = strings.TrimSpace(line); fence == "```console" {
				block++
			} else {
				p.files = append(p.files, strings.TrimPrefix(fence, "```")+"\n")
			}
		case fence == "```console" && at != nil:
			p.commands = append(p.commands, typed{person: at[1], command: at[2], block: block})
		case fence == "```console":
			p.commands[len(p.commands)-1].shows += line
		case fence != "":
			p.files[len(p.files)-1] += line
		case strings.HasPrefix(line, "    "):
			command, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			p.commands = append(p.commands, typed{command: command})
		case len(cells) == 1:
			column = -1
		case column < 0:
			column = slices.Index(cells, " command ")
			if column < 0 {
				column = len(cells) // of a table without any
			}
		case column < len(cells):
			for _, command := range inBackticks.FindAllString(cells[column], -1) {
				p.commands = append(p.commands, typed{command: strings.Trim(command, "`")})
			}
		}
	}
	return p
}

// page is a part of the guide. A test types each of its commands.
type page struct {
	*testing.T
	name, heading string
	left          []typed
	printed       []typed           // what was typed in sessions, with what it printed
	words         map[string]string // what is typed for a word in capitals, such as NUMBER
}

// newPage returns a part of the guide, whose commands must all be typed when the test ends.
func newPage(t *testing.T, name, heading string, part *part) *page {
	p := &page{T: t, name: name, heading: heading, left: part.commands}
	t.Cleanup(func() {
		if t.Failed() || t.Skipped() {
			return
		}
		require.Empty(t, p.left, "no test types these commands of the guide")
		if os.Getenv("REWRITE") != "" {
			p.rewrite()
		}
	})
	return p
}

// types runs the page's next command, which must succeed, and returns what it printed.
func (p *page) types(b *bench, command string) string {
	p.Helper()
	return p.typesTo(b, 0, command)
}

// typesTo runs the page's next command, which must end with an exit status.
func (p *page) typesTo(b *bench, status int, command string) string {
	p.Helper()
	p.next(command)
	for word, is := range p.words {
		command = strings.ReplaceAll(command, word, is)
	}
	out, code := b.types(command)
	require.Equal(p, status, code, "%s\n%s", command, out)
	return out
}

var entityFile = regexp.MustCompile(`entities/([0-9]+|\*)\.entity_text`)

// types runs a command as a person in a shell does, and returns all that it shows.
func (b *bench) types(command string) (shown string, status int) {
	typed := *b
	typed.env = append(slices.Clone(b.env), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	command = entityFile.ReplaceAllStringFunc(command, func(name string) string {
		return config.entityPath(entityFile.FindStringSubmatch(name)[1])
	})
	return typed.try("sh", "-c", "exec 2>&1; "+command)
}

// next has a command be the page's next.
func (p *page) next(command string) {
	p.Helper()
	require.NotEmpty(p, p.left, "the guide has no %q there", command)
	require.Equal(p, p.left[0].command, command, "the guide's next command")
	p.left = p.left[1:]
}

// session types the commands of the next session. What each prints must be what the page shows:
// times, hashes and the like aside. people are those before whose prompts commands stand, but
// for the reader.
func (p *page) session(reader *bench, people map[string]*bench) {
	p.Helper()
	require.NotEmpty(p, p.left, "the guide has no more sessions there")
	block := p.left[0].block
	require.NotZero(p, block, "the guide has no session there, but %q", p.left[0].command)
	for len(p.left) > 0 && p.left[0].block == block {
		c := p.left[0]
		p.left = p.left[1:]
		b := reader
		if c.person != "" {
			b = people[c.person]
			require.NotNil(p, b, "who is %s?", c.person)
		}
		out, status := b.types(c.command)
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		if status != 0 {
			out += fmt.Sprintf("[exit status %d]\n", status)
		}
		out = masked(b, out)
		if os.Getenv("REWRITE") == "" {
			require.Equal(p, masked(b, c.shows), out, "what is shown below: %s", c.command)
		}
		c.shows = out
		p.printed = append(p.printed, c)
	}
}

// masks are what is different each time, and what the guide shows for it.
var masks = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "2026-03-04 14:30:12"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "2026-03-04T14:30:12Z"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d\b`), "2026-03-04 14:30"},
	{regexp.MustCompile(`(?m)\b(\d+ (second|minute)s? ago|now$)`), "1 minute ago"},
	{regexp.MustCompile(`(\([A-Z][a-z]+, )[^()]*\)`), "${1}14:30)"},
	{regexp.MustCompile(`(?m)^[0-9a-f]{12}  `), "9ebe7e5c0a1b  "},
	{regexp.MustCompile(`(?m)^edits     .*$`), "edits     0 entities not published yet"},
	{regexp.MustCompile(`(?m)^mount     .* \((entities|cover) shape\)`), "mount     ~/island/entities (entities shape)"},
	{regexp.MustCompile(`mounted at ~/island `), "mounted at ~/island/entities "},
	{regexp.MustCompile(`\bprocess \d+`), "process 4711"},
	{regexp.MustCompile(`\b1[0-9]{15}\b`), "1772634612000000"}, // a change set
	{regexp.MustCompile(`\b([0-9a-f]{40}|[0-9a-f]{64})\b`), "9ebe7e5c9ebe7e5c9ebe7e5c9ebe7e5c9ebe7e5c"},
	{regexp.MustCompile(`\b(hash |pack |restore )[0-9a-f]{12}\b`), "${1}9ebe7e5c0a1b"},
	{regexp.MustCompile(`, build [0-9a-f]{16}\b`), ", build 9ebe7e5c0a1b1c2d"},
	{regexp.MustCompile(`(?m)^[0-9a-f]{7} `), "5a1c0de "}, // a commit's
	{regexp.MustCompile(`(\[[a-z]+ )[0-9a-f]{7}\]`), "${1}5a1c0de]"},
	{regexp.MustCompile(`entities/[0-9-]+/([0-9]+\.entity_text)`), "entities/$1"},
	{regexp.MustCompile(`\b[\d.]+ [kM]B\b`), "1.4 MB"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

// masked returns what a command has shown with what is different each time made the same.
func masked(b *bench, text string) string {
	for _, path := range []string{b.root + "/w", b.root + "/ann"} {
		text = strings.ReplaceAll(text, path, "~/island")
	}
	text = strings.ReplaceAll(text, b.root, "~")
	text = regexp.MustCompile(`\bby `+regexp.QuoteMeta(userName(b))+`\b`).ReplaceAllString(text, "by ann")
	for _, m := range masks {
		text = m.what.ReplaceAllString(text, m.as)
	}
	return text
}

// userName returns the name of the user that runs the tests.
func userName(b *bench) string { return strings.TrimSpace(b.run("id", "-un")) }

var rewriting sync.Mutex

// rewrite has the page show what was printed.
func (p *page) rewrite() {
	rewriting.Lock()
	defer rewriting.Unlock()
	file := filepath.Join("../docs", p.name)
	data, err := os.ReadFile(file)
	require.NoError(p, err)
	parts := splitParts(string(data))
	for i, text := range parts {
		if strings.HasPrefix(strings.TrimLeft(text, "# "), p.heading+"\n") {
			parts[i] = p.rewritten(text)
		}
	}
	require.NoError(p, os.WriteFile(file, []byte(strings.Join(parts, "")), 0o644))
}

var sessions = regexp.MustCompile("(?ms)^```console\n.*?^```$")

func (p *page) rewritten(text string) string {
	block := 0
	return sessions.ReplaceAllStringFunc(text, func(string) string {
		block++
		out := "```console\n"
		for _, c := range p.printed {
			if c.block == block {
				out += c.person + "$ " + c.command + "\n" + c.shows
			}
		}
		return out + "```"
	})
}

func TestPartsOfTheGuide(t *testing.T) {
	text := "# Guide\nText with `code`.\n\n    git init   a remark\n    worldfs mount\n\n" +
		"```console\n$ worldfs ls\none\ntwo\nbob$ worldfs status\n```\n" +
		"| to | command | |\n|---|---|---|\n| `x` | `a`, then `b c` | `y` |\n\n| no | `z` |\n|---|---|\n| no | `z` |\n" +
		"```toml\nplain = true\n```\n"
	p := parsePart(text)
	require.Equal(t, []typed{{command: "git init"}, {command: "worldfs mount"},
		{command: "worldfs ls", shows: "one\ntwo\n", block: 1}, {person: "bob", command: "worldfs status", block: 1},
		{command: "a"}, {command: "b c"}}, p.commands)
	require.Equal(t, []string{"toml\nplain = true\n"}, p.files)
	require.Equal(t, []string{text, "## Two\n"}, splitParts(text+"## Two\n"))
	done := page{heading: "Guide", printed: []typed{{command: "worldfs ls", shows: "three\n", block: 1}}}
	require.Contains(t, done.rewritten(text), "```console\n$ worldfs ls\nthree\n```\n|")
}

// What the guide shows of files is read as such files are.
func TestFilesOfTheGuide(t *testing.T) {
	for _, name := range guidePages {
		for heading, part := range readParts(t, name) {
			for _, file := range part.files {
				kind, text, _ := strings.Cut(file, "\n")
				switch kind {
				case "toml":
					require.NoError(t, toml.Unmarshal([]byte(text), &map[string]any{}), "%s: %s", name, heading)
				case "text", "entity", "fstab":
				default:
					t.Errorf("%s: %s: what is in a block of %q?", name, heading, kind)
				}
			}
		}
	}
}

var (
	links   = regexp.MustCompile(`\]\(([^)]*)\)`)
	anchors = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noMark  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchorsOf returns the anchors that a page has for its headings.
func anchorsOf(text string) map[string]bool {
	found := make(map[string]bool)
	for _, h := range anchors.FindAllStringSubmatch(text, -1) {
		found[strings.ReplaceAll(noMark.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return found
}

// Each link from one page to another leads somewhere.
func TestLinksOfTheDocuments(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md") {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, link := range links.FindAllStringSubmatch(string(data), -1) {
			target, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := file
			if target != "" {
				to = filepath.Join(filepath.Dir(file), target)
			}
			there, err := os.ReadFile(to)
			if info, statErr := os.Stat(to); statErr == nil && info.IsDir() {
				continue
			}
			if !strings.Contains(target, "/") && err == nil || target == "" || strings.HasPrefix(target, "docs/") {
				require.NoError(t, err, "%s links to %s", file, link[1])
			}
			if err == nil && anchor != "" && strings.HasSuffix(to, ".md") {
				require.True(t, anchorsOf(string(there))[anchor], "%s links to %s, which has no such heading", file, link[1])
			}
		}
	}
}
