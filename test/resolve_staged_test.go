package test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a person does after git has brought two sides together, or in the middle of that,
// stands, staged or not.
func TestResolveLeavesWhatIsDoneSince(t *testing.T) {
	t.Parallel()
	for op, together := range inTurn(t, map[string]func(b *bench){
		"merge":       func(b *bench) { b.try("git", "merge", "-q", "-m", "merged", "bob") },
		"rebase":      func(b *bench) { b.try("git", "rebase", "-q", "bob") },
		"cherry-pick": func(b *bench) { b.try("git", "cherry-pick", "bob") },
		"stash": func(b *bench) {
			b.run("git", "reset", "-q", "--soft", "HEAD~1")
			b.run("git", "stash", "-q")
			b.run("git", "merge", "-q", "--ff-only", "bob")
			b.try("git", "stash", "pop", "-q")
		},
	}) {
		for _, stopped := range []bool{false, true} {
			hows := []string{"added", "added, and edited again"}
			if op == "merge" {
				hows = append(hows, "not added", "resolved before, and added")
			}
			for _, how := range someOf(t, hows, op, stopped) {
				t.Run(fmt.Sprintf("%s, stopped %t, %s", op, stopped, how), func(t *testing.T) {
					b := resolveWorld(t, "plain")
					partForDoneSince(b, stopped)
					if stopped != (how == "added") {
						b.run("worldfs", "vcs", "install")
					}
					together(b)
					if how == "resolved before, and added" {
						b.try("worldfs", "resolve")
					}
					b.doSince(how)
					want := b.world()
					for range 2 {
						b.try("worldfs", "resolve")
						require.Equal(t, want, b.world())
					}
				})
			}
		}
	}
}

// partForDoneSince has two people edit the world in each way.
func partForDoneSince(b *bench, conflict bool) {
	b.diverge(
		func(b *bench) {
			b.set(10000, "position.x = 1")
			b.declare("Sound", "bobs")
			b.set(6005, "group_id = 1003")
			b.copyOf("158004", "Bob's other")
			b.copyOf("158001", "Bob's door")
			b.run("rm", config.entityPath("10001"))
			b.byHand(10003)
			b.byHand(6007)
			if conflict {
				b.set(6555, "position.x = 7")
			}
		},
		func(b *bench) {
			b.set(6005, "position.x = 7")
			b.set(6007, "group_id = 1003")
			b.copyOf("158002", "Ann's door")
			b.copyOf("158003", "Ann's other")
			b.set(6555, "position.x = 8")
		})
}

// doSince does what a person may do once they came together.
func (b *bench) doSince(how string) {
	b.Helper()
	for id, what := range map[int]string{10000: "position.x = 21", 1002: "position.x = 22", 6005: "position.x = 23", 158001: "map_size = 24", 158002: "map_size = 25"} {
		b.set(id, what)
	}
	for _, id := range []int{10003, 6007} {
		b.editText(id, "by hand")
	}
	b.copyOf("158009", "a new door")
	for _, typ := range []string{"Sound", "Door", "Lamp"} {
		b.declare(typ, "more")
	}
	b.run("rm", config.entityPath("6001"), config.entityPath("158003"), config.entityPath("158004"))
	if how != "not added" {
		b.run("git", "add", "--", ":(glob)entities/**/1*", ":(glob)entities/**/60*", "types")
	}
	if how == "added, and edited again" {
		for _, id := range []int{10000, 1002, 6005, 158001, 158002, 158009} {
			b.set(id, fmt.Sprintf("entity_name = 'again %d'", id))
		}
	}
}

// world returns what all files say, but those with conflicts.
func (b *bench) world() string {
	b.Helper()
	return b.run("sh", "-c", "grep -r . entities --include='1*' --include='60*' | sort; grep -r . types | sort")
}

// declare gives a type one more field.
func (b *bench) declare(typ, field string) {
	b.Helper()
	name := "types/" + typ + ".toml"
	b.write(name, b.read(name)+fmt.Sprintf("\n[[fields]]\nname = %q\nkind = \"u32\"\noptional = true\n", field))
}

// So it does with svn.
func TestResolveAnUpdateLeavesWhatIsDoneSince(t *testing.T) {
	t.Parallel()
	for _, how := range someOf(t, []string{"not told", "told", "resolved before"}) {
		t.Run(how, func(t *testing.T) {
			team := newSVNTeam(t, "plain")
			b := team.bob
			b.set(10000, "position.x = 1")
			b.declare("Sound", "bobs")
			b.set(6005, "group_id = 1003")
			b.set(6555, "position.x = 7")
			b.copyOf("158001", "Bob's door")
			b.copyOf("158004", "Bob's other")
			b.run("rm", config.entityPath("10001"))
			b.svnCommit("Bob")
			b = team.ann
			b.set(6555, "position.x = 8")
			b.set(6005, "position.x = 7")
			b.copyOf("158002", "Ann's door")
			b.copyOf("158003", "Ann's other")
			b.run("svn", "add", "-q", config.entityPath("158002"), config.entityPath("158003"))
			b.svnUpdate()
			if how == "resolved before" {
				b.left()
			}
			for id, what := range map[int]string{10000: "position.x = 21", 1002: "position.x = 22", 6005: "position.x = 23", 158001: "map_size = 24", 158002: "map_size = 25"} {
				b.set(id, what)
			}
			b.write(config.entityPath("158009"), strings.Replace(b.read(config.entityPath("158002")), "\n158002\n", "\n158009\n", 1)) // 6555 may be marked
			for _, typ := range []string{"Sound", "Door", "Lamp"} {
				b.declare(typ, "more")
			}
			gone := []string{config.entityPath("158003"), config.entityPath("158004")}
			if how == "not told" {
				b.run("rm", gone...)
			} else {
				b.run("svn", append([]string{"delete", "-q", "--force"}, gone...)...)
				b.run("svn", "add", "-q", config.entityPath("158009"))
			}
			want := b.world()
			for range 2 {
				b.left()
				require.Equal(t, want, b.world())
			}
			b.run("worldfs", "resolve", "--take", "mine")
			require.Equal(t, want, b.world())
		})
	}
}

// byHand has an entity's position be typed by a person, in another form than worldfs writes.
func (b *bench) byHand(id int) {
	b.Helper()
	name := config.entityPath(fmt.Sprint(id))
	text := b.read(name)
	typed := regexp.MustCompile(`(; position\n)    .*\n`).ReplaceAllString(text, "${1}  4.50\n")
	require.NotEqual(b, text, typed)
	b.write(name, typed)
}

// A person has edited a file in conflict, and a marker is there still: what was typed stands.
func TestResolveLeavesWhatIsHalfSettled(t *testing.T) {
	t.Parallel()
	for _, install := range []bool{false, true} {
		for _, marked := range someOf(t, []string{"by git", "by resolve"}, install) {
			for _, left := range someOf(t, []string{"<<<<<<< ", "=======", ">>>>>>> "}, install, marked) {
				t.Run(fmt.Sprintf("install %t, marked %s, %s", install, marked, left), func(t *testing.T) {
					b := resolveWorld(t, "plain")
					b.diverge(
						func(b *bench) { b.set(6555, "position.x = 6") },
						func(b *bench) { b.set(6555, "position.x = 8") })
					if install {
						b.run("worldfs", "vcs", "install")
					}
					b.try("git", "merge", "-q", "bob")
					if marked == "by resolve" {
						b.try("worldfs", "resolve")
					}
					name := config.entityPath("6555")
					text := regexp.MustCompile(`(?m)^(<<<<<<< .*|=======|>>>>>>> .*)\n`).ReplaceAllStringFunc(b.read(name), func(line string) string {
						if strings.HasPrefix(line, left) {
							return line
						}
						return ""
					})
					text = regexp.MustCompile(`(; travel\n)    .*\n`).ReplaceAllString(text, "${1}    123\n")
					require.Contains(t, text, left)
					b.write(name, text)
					for range 2 {
						out, code := b.try("worldfs", "resolve")
						require.Equal(t, 1, code, out)
						require.Contains(t, out, "left as it is")
						require.Equal(t, text, b.read(name))
					}
				})
			}
		}
	}
}

// A file that a person removes, since the other side deleted its entity, stays settled.
func TestResolveKeepsARemovedFile(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"rm", "git rm -q"} {
		t.Run(how, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			panel := config.entityPath("6001")
			b.diverge(
				func(b *bench) { b.run("rm", panel) },
				func(b *bench) { b.set(6001, "position.x = 1") })
			b.try("git", "merge", "-q", "bob")
			require.Contains(t, b.run("git", "status", "--porcelain"), "UD "+panel)
			b.run("sh", "-c", how+" "+panel)
			for range 2 {
				require.NotContains(t, b.run("worldfs", "resolve"), "left to settle")
				require.NoFileExists(t, b.path(panel))
			}
			b.run("git", "commit", "-q", "--no-edit")
			require.NotContains(t, b.run("git", "ls-files"), panel)
		})
	}
}

// What a person has edited of a file that one side alone changed, and committed with the merge,
// stays when resolve is called after the commit.
func TestResolveAfterAMergeWasCommittedWithAnEdit(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.differ()
	b.run("git", "checkout", "-q", "bob")
	b.set(6005, "position.x = position.x + 1")
	b.commit("Bob")
	moved := b.valueOf("6005", "position")
	b.run("git", "checkout", "-q", "ann")
	b.try("git", "merge", "-q", "bob")
	b.run("worldfs", "resolve", "--take", "mine")
	b.set(6005, `entity_name = "lamp"`)
	b.run("rm", config.entityPath("1002")) // which Bob alone moved
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "merged")
	b.requireNoMore()
	require.Equal(t, `"lamp"`, b.valueOf("6005", "entity_name"))
	require.Equal(t, moved, b.valueOf("6005", "position"))
	require.NoFileExists(t, b.path(config.entityPath("1002")))
}
