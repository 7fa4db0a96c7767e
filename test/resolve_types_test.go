package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A person's edits of declarations that are committed with a merge stand, as those of entities
// do: a call of resolve after it takes none back.
func TestTypesEditedInAMergeStand(t *testing.T) {
	t.Parallel()
	field := func(name, file string) string {
		return fmt.Sprintf(`printf '\n[[fields]]\nname = "%s"\nkind = "u32"\noptional = true\n' >>types/%s.toml`, name, file)
	}
	sides := map[string][2]string{ // what Bob and Ann do to types
		"none": {"true", "true"},
		"bob":  {field("bobs", "Sound") + "; sed -i 's/default = 0.04/default = 0.05/' types/Cable.toml", "true"},
		"ann":  {"true", field("anns", "Sound") + "; sed -i 's/default = 0.04/default = 0.05/' types/Cable.toml"},
		"both": {field("bobs", "Sound") + "; sed -i 's/default = 0.04/default = 0.05/' types/Cable.toml", field("anns", "Sound")},
	}
	edits := strings.Join([]string{ // what the person does in the merge
		field("merged", "Door"),
		"sed -i 's/default = 0.0[45]/default = 0.09/' types/Cable.toml",
		"sed -i 's/bobs/persons/' types/Sound.toml",
		"rm types/Unused.toml",
		`printf 'name = "New"\nrevision = 1\n' >types/New.toml`,
	}, "; ")
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
			b.diverge(func(b *bench) { b.set(6005, "position.x = 50"); b.run("sh", "-c", sides[c.types][0]) },
				func(b *bench) { b.set(6005, "position.x = 51"); b.run("sh", "-c", sides[c.types][1]) })
			o := operations[c.operation]
			_, code := b.try(o.begin[0], o.begin[1:]...)
			require.NotZero(t, code)
			if !c.late {
				b.run("sh", "-c", edits)
			}
			b.run("worldfs", "resolve", "--take", "mine")
			if c.late {
				b.run("sh", "-c", edits)
			}
			b.run("worldfs", "sync")
			types := b.declarations()
			require.Contains(t, types, "merged")
			require.Contains(t, types, "0.09")
			require.NotContains(t, types, "Unused")
			require.Contains(t, types, "New")
			if c.types == "both" || c.types == "bob" {
				require.Contains(t, types, "persons")
				require.NotContains(t, types, "bobs")
			}
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

// declarations returns all that is in types/.
func (b *bench) declarations() string {
	b.Helper()
	return b.run("sh", "-c", "for f in types/*.toml; do echo \"== $f\"; cat $f; done")
}
