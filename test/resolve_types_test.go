package test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A person's edits of declarations that are committed with a merge stand, as those of entities
// do: a call of resolve after it takes none back.
func TestTypesEditedInAMergeStand(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct {
		place, operation, types string
		driver, late            bool // the person edits after resolve
	}{
		{"plain", "merge", "none", false, false},
		{"plain", "merge", "bob", true, true},
		{"mounted", "merge", "both", true, false},
		{"cover", "merge", "ann", false, true},
		{"linked", "merge", "both", false, true},
		{"plain", "rebase", "both", false, false},
		{"mounted", "rebase", "bob", true, true},
		{"cover", "rebase", "ann", true, false},
		{"plain", "cherry-pick", "both", true, true},
		{"below", "squash", "bob", false, false},
	}) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			b := resolveWorld(t, c.place)
			b.write("types/Unused.toml", "name = \"Unused\"\nrevision = 1\n")
			b.commit("base")
			if c.driver {
				b.run("worldfs", "vcs", "install")
			}
			b.diverge(func(b *bench) { b.set(6005, "position.x = 50"); b.run("sh", "-c", typesOf[c.types][0]) },
				func(b *bench) { b.set(6005, "position.x = 51"); b.run("sh", "-c", typesOf[c.types][1]) })
			o := operations[c.operation]
			_, code := b.try(o.begin[0], o.begin[1:]...)
			require.NotZero(t, code)
			if !c.late {
				b.run("sh", "-c", editsOfTypes)
			}
			b.run("worldfs", "resolve", "--take", "mine")
			if c.late {
				b.run("sh", "-c", editsOfTypes)
			}
			b.run("worldfs", "sync")
			types := b.requireEditedTypes(c.types == "both" || c.types == "bob")
			b.run("git", "add", "-A")
			b.run(o.goOn[0], o.goOn[1:]...)
			for range 2 {
				out, code := b.try("worldfs", "resolve")
				require.Zero(t, code, out)
				require.NotContains(t, out, "written")
				require.Equal(t, types, b.declarations())
				require.Empty(t, b.run("git", "status", "--porcelain"))
			}
			b.run("worldfs", "check")
		})
	}
}

// The same of an update and a merge of svn's, before they are committed.
func TestTypesEditedInSVNStand(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct {
		operation, types string
		driver, late     bool
	}{
		{"merge", "bob", false, true},
		{"merge", "both", true, true},
		{"merge", "ann", false, false},
		{"merge", "bob", true, false},
		{"update", "bob", false, true},
		{"update", "bob", true, false},
		{"update", "both", false, true},
	}) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			team := svnTeamOf(t, "plain", (*bench).takeDown, func(b *bench) { b.write("types/Unused.toml", "name = \"Unused\"\nrevision = 1\n") })
			b, bob := team.ann, team.bob
			if c.driver {
				b.run("worldfs", "vcs", "install")
			}
			branch := strings.TrimSuffix(team.url, "trunk") + "branch"
			if c.operation == "merge" {
				bob.run("svn", "copy", "-q", "-m", "branch", team.url, branch)
				bob.run("svn", "switch", "-q", branch)
			}
			bob.set(6005, "position.x = 50")
			bob.run("sh", "-c", typesOf[c.types][0])
			bob.svnCommit("Bob")
			b.set(6005, "position.x = 51")
			b.run("sh", "-c", typesOf[c.types][1])
			if c.operation == "merge" {
				b.svnCommit("Ann")
				b.run("svn", "update", "-q")
				b.run("svn", "merge", "-q", "--accept", "postpone", branch)
			} else {
				b.run("svn", "update", "-q", "--accept", "postpone")
			}
			if !c.late {
				b.run("sh", "-c", editsOfTypes)
			}
			b.run("worldfs", "resolve", "--take", "mine")
			if c.late {
				b.run("sh", "-c", editsOfTypes)
			}
			types := b.requireEditedTypes(c.types != "ann")
			for range 2 {
				b.run("worldfs", "resolve")
				require.Equal(t, types, b.declarations())
			}
			b.run("worldfs", "vcs", "sync")
			b.run("svn", "add", "-q", "--force", "types")
			b.run("svn", "rm", "-q", "--force", "types/Unused.toml")
			b.svnCommit("Ann")
			b.try("worldfs", "resolve")
			require.Equal(t, types, b.declarations())
			b.run("worldfs", "check")
		})
	}
}

func addField(name, typ string) string {
	return fmt.Sprintf(`printf '\n[[fields]]\nname = "%s"\nkind = "u32"\noptional = true\n' >>types/%s.toml`, name, typ)
}

// typesOf is what Bob and Ann do to declarations.
var typesOf = map[string][2]string{
	"none": {"true", "true"},
	"bob":  {addField("bobs", "Sound") + "; sed -i 's/default = 0.04/default = 0.05/' types/Cable.toml", "true"},
	"ann":  {"true", addField("anns", "Sound") + "; sed -i 's/default = 0.04/default = 0.05/' types/Cable.toml"},
	"both": {addField("bobs", "Sound") + "; sed -i 's/default = 0.04/default = 0.05/' types/Cable.toml", addField("anns", "Sound")},
}

// editsOfTypes is what a person does to declarations in the merge of those.
var editsOfTypes = strings.Join([]string{
	addField("merged", "Door"),
	"sed -i 's/default = 0.0[45]/default = 0.09/' types/Cable.toml",
	"sed -i 's/bobs/persons/' types/Sound.toml",
	"rm types/Unused.toml",
	`printf 'name = "New"\nrevision = 1\n' >types/New.toml`,
}, "; ")

// requireEditedTypes fails where editsOfTypes are not in types/, and returns what is there.
func (b *bench) requireEditedTypes(bobs bool) string {
	b.Helper()
	types := b.declarations()
	require.Contains(b, types, "merged")
	require.Contains(b, types, "0.09")
	require.NotContains(b, types, "Unused")
	require.Contains(b, types, "New")
	if bobs {
		require.Contains(b, types, "persons")
		require.NotContains(b, types, "bobs")
	}
	return types
}

// declarations returns all that is in types/.
func (b *bench) declarations() string {
	b.Helper()
	return b.run("sh", "-c", "for f in types/*.toml; do echo \"== $f\"; cat $f; done")
}

// Markers in a declaration that no merge of now is about stay: what they hold is nowhere else.
func TestMarkersOfAnotherMergeStay(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.diverge(func(b *bench) { b.set(6005, "position.x = 50") }, func(b *bench) { b.set(6005, "position.x = 51") })
	b.run("sh", "-c", `sed -i 's/default = 0.04/<<<<<<< yours\n&\n=======\ndefault = 0.05\n>>>>>>> shared/' types/Cable.toml`)
	_, code := b.try("git", "merge", "bob")
	require.NotZero(t, code)
	marked := b.read("types/Cable.toml")
	out := b.left("--take", "mine")
	require.Contains(t, out, "marked besides: Cable declaration: yours as yours has it / shared as shared has it")
	require.Contains(t, out, "worldfs resolve --take mine|shared Cable")
	require.NotContains(t, out, "next:")
	require.Contains(t, b.read(config.entityPath("6005")), "; position\n    51.0")
	require.Equal(t, marked, b.read("types/Cable.toml"))
	b.run("worldfs", "resolve", "--take", "shared", "Cable")
	require.Contains(t, b.read("types/Cable.toml"), "default = 0.05")
	b.requireNoMarker()
	require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
}

// What is chosen about a declaration comes, whatever brought the conflict.
func TestDeclarationsInConflictAreChosen(t *testing.T) {
	t.Parallel()
	const deletes, changes = "rm types/Unused.toml", `printf '[[fields]]\nname = "used"\nkind = "u32"\n' >>types/Unused.toml`
	values := map[string]string{"mine": "0.09", "shared": "0.05"}
	for _, c := range someOf(t, []struct {
		place, operation, take string
		annDeletes             bool
	}{
		{"plain", "pull", "mine", false},
		{"mounted", "pull", "shared", false},
		{"cover", "pull", "shared", true},
		{"plain", "pull", "mine", true},
		{"mounted", "pull of commits", "mine", true},
		{"plain", "pull of commits", "shared", true},
		{"linked", "pull of commits", "mine", false},
		{"plain", "merge", "mine", false},
		{"mounted", "merge", "shared", true},
		{"cover", "rebase", "mine", false},
		{"plain", "rebase", "mine", true},
		{"mounted", "rebase", "shared", false},
	}) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			w := newShared(t, c.place, 60)
			b := w.ann
			b.write("types/Unused.toml", "name = \"Unused\"\nrevision = 1\n")
			b.commit("base")
			b.run("git", "push", "-q", "origin", "HEAD")
			w.bob.run("git", "pull", "-q")
			anns, bobs := changes, deletes
			if c.annDeletes {
				anns, bobs = deletes, changes
			}
			w.bob.run("sh", "-c", "sed -i 's/default = 0.04/default = 0.05/' types/Cable.toml; "+bobs)
			w.publish()
			b.run("sh", "-c", "sed -i 's/default = 0.04/default = 0.09/' types/Cable.toml; "+anns)
			if c.operation != "pull" {
				b.commit("Ann")
			}
			switch c.operation {
			case "merge", "rebase":
				b.run("git", "fetch", "-q")
				b.try("git", c.operation, "origin/"+b.branch())
				out := b.left()
				require.Contains(t, out, "Cable thickness: default: yours 0.09 / shared 0.05")
			default:
				require.Len(t, b.pull(1).Left, 2)
			}
			out, code := b.try("worldfs", "resolve")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "2 left to settle")
			did := []string{"yours changed it / shared took it away", "yours took it away / shared changed it"}
			require.Contains(t, out, "Unused declaration: "+did[map[bool]int{true: 1}[c.annDeletes]])
			require.Contains(t, b.left("--take", c.take, "Cable"), "1 left to settle")
			b.run("worldfs", "resolve", "--take", c.take)
			b.requireNoMarker()
			require.Contains(t, b.read("types/Cable.toml"), "default = "+values[c.take])
			_, err := os.Stat(b.path("types/Unused.toml"))
			deleted := c.take == "mine" && c.annDeletes || c.take == "shared" && !c.annDeletes
			require.Equal(t, deleted, err != nil, "Unused is declared or not")
			if !deleted {
				require.Contains(t, b.read("types/Unused.toml"), `name = "used"`)
			}
			types := b.declarations()
			out, _ = b.try("worldfs", "resolve")
			require.NotContains(t, out, "left to settle")
			require.Equal(t, types, b.declarations())
			b.run("worldfs", "check")
			b.run("git", "add", "-A")
			if c.operation == "rebase" {
				b.run("git", "-c", "core.editor=true", "rebase", "--continue")
			} else {
				b.try("git", "commit", "-q", "-m", "merged") // there is nothing where what was shared stands
			}
			b.try("worldfs", "resolve")
			require.Equal(t, types, b.declarations())
			require.Empty(t, b.dirty())
		})
	}
}

// A field got a successor on one side, and its value was edited on the other: both values are
// in the file, as the new field's, and a person who keeps the lines of the other side has it.
func TestASideOfAnEarlierRevisionIsMarkedWithItsValue(t *testing.T) {
	for _, driver := range []bool{false, true} {
		t.Run(fmt.Sprint("driver: ", driver), func(t *testing.T) {
			b := resolveWorld(t, "plain")
			if driver {
				b.run("worldfs", "vcs", "install")
			}
			b.diverge(func(b *bench) { b.set(6005, "radius = 8") }, func(b *bench) {
				declared := strings.Replace(b.read("types/Lamp.toml"), "revision = 57", "revision = 58", 1)
				b.write("types/Lamp.toml", strings.Replace(declared, "name = \"radius\"\nkind = \"f32\"\n",
					"name = \"radius\"\nkind = \"f32\"\nuntil = 58\nsuccessor = \"reach\"\n\n[[fields]]\nname = \"reach\"\nkind = \"f32\"\nsince = 58\n", 1))
				b.run("worldfs", "fmt", "--upgrade", "6005")
				b.set(6005, "reach = 10")
			})
			b.try("git", "merge", "-q", "bob")
			require.Contains(t, b.left(), "reach: yours 10")
			b.run("sed", "-i", "/^<<<<<<< /,/^=======/d; /^>>>>>>> /d", config.entityPath("6005"))
			require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
			require.Equal(t, "8.000000 : 41000000", b.valueOf("6005", "reach"))
		})
	}
}

// types/ that is emptied, or deleted, while a merge has stopped takes nothing from the merge:
// status says that no file declares the types, resolve writes them as merged, and what both
// sides changed is there.
func TestTypesGoneAmidAStoppedMerge(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places) {
		for how, command := range map[string]string{"emptied": "rm types/*.toml", "deleted": "rm -r types"} {
			t.Run(place+" "+how, func(t *testing.T) {
				b := resolveWorld(t, place)
				b.diverge(func(b *bench) {
					b.set(6555, "position.x = 50", "map_size = 99")
					b.set(6005, "radius = 7")
					b.declare("Sound", "bobs")
				}, func(b *bench) {
					b.set(6555, "position.x = 46", "travel = 3")
					b.set(6005, "position.y = 8")
				})
				out, code := b.try("git", "merge", "bob")
				require.Equal(t, 1, code, out)
				b.run("sh", "-c", command)
				require.Contains(t, b.run("worldfs", "status"), "no .toml file in types/ declares ")
				require.Contains(t, b.left(), `Door 6555 "bunker door" position: yours 46, 108.07968`)
				require.NotContains(t, b.run("worldfs", "status"), "no .toml file in types/ declares ")
				b.run("worldfs", "resolve", "--take", "mine")
				b.run("git", "commit", "-q", "-m", "merged")
				require.Empty(t, b.run("git", "status", "--porcelain"))
				require.Contains(t, b.read("types/Sound.toml"), "bobs")
				door, lamp := b.run("worldfs", "show", "6555"), b.run("worldfs", "show", "6005")
				for _, has := range []string{"    46.0", "    99\n", "    3.0"} {
					require.Contains(t, door, has)
				}
				require.Contains(t, lamp, "    7.0")
				require.Contains(t, lamp, "    8.0")
				b.run("worldfs", "check")
			})
		}
	}
}
