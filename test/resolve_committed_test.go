package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// edits that meet in two entities, and in each in one field.
func (b *bench) meetTwice() {
	b.Helper()
	b.diverge(func(b *bench) { b.set(6555, "map_size = 50"); b.set(6005, "position.x = 50") },
		func(b *bench) { b.set(6555, "map_size = 51"); b.set(6005, "position.x = 51") })
}

// requireNoMarker fails where a conflict is marked in a file of the world.
func (b *bench) requireNoMarker() {
	b.Helper()
	out, _ := b.try("sh", "-c", "grep -rlE '^(<<<<<<<|=======|>>>>>>>)' entities types id_ranges world.toml")
	require.Empty(b, out)
}

// A merge that was committed with the markers of its conflicts is settled as any other,
// with or without a look at it before.
func TestResolveAMergeThatWasCommittedWithItsMarkers(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct {
		place, operation string
		driver, listed   bool
		take             [][]string
		size, x          string // what comes of it
	}{
		{"plain", "merge", true, false, [][]string{{"--take", "mine"}}, "51", "51.0"},
		{"plain", "merge", false, false, [][]string{{"--take", "shared"}}, "50", "50.0"},
		{"plain", "merge", true, false, [][]string{{"--take", "base"}}, "512", "45.4"},
		{"mounted", "merge", true, false, [][]string{{"--take", "base"}}, "512", "45.4"},
		{"cover", "merge", false, true, [][]string{{"--take", "base", "6005"}, {"--take", "mine"}}, "51", "45.4"},
		{"plain", "merge", true, false, [][]string{{"--take", "mine", "6555"}, {"--take", "shared"}}, "51", "50.0"},
		{"plain", "merge", true, false, [][]string{{"--set", "6555", "map_size = 7"}, {"--take", "base"}}, "7", "45.4"},
		{"mounted", "merge", false, true, [][]string{{"--set", "6555", "map_size = 7"}, {"--take", "mine"}}, "7", "51.0"},
		{"linked", "rebase", true, false, [][]string{{"--take", "mine"}}, "51", "51.0"},
		{"below", "rebase", false, true, [][]string{{"--take", "base", "Door"}, {"--take", "shared"}}, "512", "50.0"},
	}) {
		name := strings.Join([]string{c.place, c.operation, strings.Join(c.take[0], " ")}, " ")
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, c.place)
			if c.driver {
				b.run("worldfs", "vcs", "install")
			}
			b.meetTwice()
			o := operations[c.operation]
			_, code := b.try(o.begin[0], o.begin[1:]...)
			require.NotZero(t, code)
			b.run("git", "add", "-A")
			if c.operation == "rebase" {
				b.run("git", "-c", "core.hooksPath=/dev/null", "rebase", "--continue")
			} else {
				b.run("git", "commit", "-n", "-q", "-m", "with its markers")
			}
			if c.listed {
				out := b.left()
				require.Contains(t, out, `Door 6555 "bunker door" map_size: yours 51`)
				require.Contains(t, out, "2 left to settle")
			}
			for _, take := range c.take[:len(c.take)-1] {
				require.Contains(t, b.left(take...), "1 left to settle")
			}
			require.Contains(t, b.run("worldfs", append([]string{"resolve"}, c.take[len(c.take)-1]...)...), "next: git commit")
			b.requireNoMarker()
			require.Contains(t, b.read(config.entityPath("6555")), "; map_size\n    "+c.size+"\n")
			require.Contains(t, b.read(config.entityPath("6005")), "; position\n    "+c.x)
			b.run("worldfs", "check")
			b.requireNoMore()
			b.run("git", "commit", "-q", "-a", "-m", "settled")
			require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
			require.Empty(t, b.run("git", "status", "--porcelain"))
		})
	}
}

// Where more was committed since, or what git did was no merge of two, the markers are all
// that is known: what they hold is settled.
func TestResolveMarkersThatGitKnowsNothingOf(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct {
		name, place string
		do          []string
	}{
		{"more was committed since", "plain", []string{"git merge bob; git add -A; git commit -n -q -m marked; touch more; git add more; git commit -q -m more"}},
		{"another merge came since", "mounted", []string{"git merge bob; git add -A; git commit -n -q -m marked",
			"git checkout -q -b other HEAD~ && touch more && git add more && git commit -q -m more && git checkout -q ann && git merge -q -m again other"}},
		{"a commit was picked", "cover", []string{"git cherry-pick bob; git add -A; git commit -n -q -m marked"}},
		{"a stash was popped", "below", []string{"git reset -q --soft HEAD~ && git stash -q && git merge -q bob && git stash pop; git add -A; git commit -n -q -m marked; git stash drop -q"}},
		{"from another clone", "plain", []string{"git merge bob; git add -A; git commit -n -q -m marked; git clone -q . ../another"}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			b := resolveWorld(t, c.place)
			b.meetTwice()
			for _, do := range c.do {
				b.try("sh", "-c", do)
			}
			if strings.HasSuffix(c.do[0], "another") {
				b = b.cd("../another")
			}
			require.Empty(t, b.run("git", "status", "--porcelain"))
			out, code := b.try("worldfs", "check")
			require.Equal(t, 1, code, out)
			out = b.left()
			require.Contains(t, out, `Door 6555 "bunker door" map_size: yours 51 / shared 50`)
			require.Contains(t, out, "2 left to settle")
			require.Empty(t, b.run("git", "status", "--porcelain"))
			out, code = b.try("worldfs", "resolve", "--take", "base")
			require.Equal(t, 2, code, out)
			require.Contains(t, out, "what both sides had before is not known any more")
			require.Contains(t, b.left("--take", "shared", "6005"), "1 left to settle")
			require.Contains(t, b.run("worldfs", "resolve", "--set", "6555", "map_size = map_size + 1"), "next: git commit -a")
			b.requireNoMarker()
			require.Contains(t, b.read(config.entityPath("6555")), "; map_size\n    52\n")
			require.Contains(t, b.read(config.entityPath("6005")), "; position\n    50.0")
			b.run("worldfs", "check")
			out = b.run("worldfs", "resolve")
			require.NotContains(t, out, "written")
			b.run("git", "commit", "-q", "-a", "-m", "settled")
		})
	}
}

// Declarations and settings, too; and no command can open the world before.
func TestResolveMarkersInSettings(t *testing.T) {
	b := resolveWorld(t, "plain")
	edit := func(line, setting, value string) func(b *bench) {
		return func(b *bench) {
			b.run("sh", "-c", "echo '"+line+"' >>id_ranges; echo '"+setting+"' >>world.toml; sed -i 's/default = 0.04/default = "+value+"/' types/Cable.toml")
		}
	}
	b.diverge(edit("158000 161000 Bob #Bob", "history_days = 20", "0.05"), edit("161000 164000 Ann #Ann", `log_level = "warn"`, "0.06"))
	b.try("git", "merge", "bob")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-n", "-q", "-m", "marked")
	b.run("git", "commit", "-q", "--allow-empty", "-m", "more")
	out, code := b.try("worldfs", "status")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "worldfs resolve")
	out = b.left()
	require.Contains(t, out, "Cable declaration: yours as HEAD has it / shared as bob has it")
	require.Contains(t, out, "2 files written")
	for _, has := range []string{"158000 161000 Bob", "161000 164000 Ann"} {
		require.Equal(t, 1, strings.Count(b.read("id_ranges"), has))
	}
	for _, has := range []string{"\nhistory_days = 20\n", "\nlog_level = \"warn\"\n", "\n# log_level = \"info\"\n"} {
		require.Equal(t, 1, strings.Count(b.read("world.toml"), has), has)
	}
	require.Contains(t, b.run("worldfs", "resolve", "--take", "shared", "Cable"), "next: git commit -a")
	b.requireNoMarker()
	require.Contains(t, b.read("types/Cable.toml"), "default = 0.05")
	b.run("worldfs", "check")
}

// A file of which a side does not parse, or that one side deleted, is left as it is.
func TestResolveMarkersThatSayTooLittle(t *testing.T) {
	b := resolveWorld(t, "plain")
	door, lamp := config.entityPath("6555"), config.entityPath("6005")
	text := b.read(door)
	b.write(door, strings.Replace(text, "; map_size\n", "<<<<<<< HEAD\n; map_size\n=======\n; motion\n    sideways\n>>>>>>> bob\n", 1))
	b.write(lamp, b.read(lamp)+"<<<<<<< yours: deleted\n=======\n>>>>>>> shared\n")
	b.run("git", "commit", "-n", "-q", "-a", "-m", "marked")
	for range 2 {
		out := b.left("--take", "shared")
		require.Contains(t, out, door)
		require.Contains(t, out, "does not parse")
		require.Contains(t, out, lamp)
		require.Contains(t, out, "take them out to keep it, or remove the file")
		require.Empty(t, b.run("git", "status", "--porcelain"))
	}
	b.write(door, text)
	b.run("git", "rm", "-q", lamp)
	require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
}
