package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/realworld"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
)

const shipTOML = "\n[ship]\nids = \"dense\"\nby_type = true\nnames = false\n"

// ship makes a ship build and returns its pack, and its map without what is known of the
// revision alone.
func (b *bench) ship(args ...string) (pack, ids string) {
	b.Helper()
	b.run("worldfs", append([]string{"pack", "--ship", "-o", "../out.pack", "--allow-loss"}, args...)...)
	m, err := ship.ReadMap(b.path("../out.pack.map"))
	require.NoError(b, err)
	m.Revision, m.Modified = "", false
	return b.read("../out.pack"), string(ship.AppendMap(nil, m))
}

// One world gives one build, wherever it lies and in whatever form.
func TestAShipBuildIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	b := newBench(t, "git")
	b.run("worldfs", "demo", "--entities", "300", "w")
	w := b.cd("w")
	w.write("world.toml", w.read("world.toml")+shipTOML)
	w.run("worldfs", "unpack")
	w.run("git", "init", "-q")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-qm", "The world")
	commit := strings.TrimSpace(w.run("git", "rev-parse", "HEAD"))
	pack, ids := w.ship()
	whole := w.read("../out.pack.map")
	require.Contains(t, whole, fmt.Sprintf(`"revision":"git:%s"`, commit))
	require.NotContains(t, whole, `"modified"`)
	same := func(how string, w *bench, args ...string) {
		t.Helper()
		p, i := w.ship(args...)
		require.True(t, pack == p, "%s: the packs differ", how)
		require.Equal(t, ids, i, how)
	}
	same("of a revision", w, "--from", "git:HEAD")
	require.Equal(t, whole, w.read("../out.pack.map"))
	w.mount()
	same("mounted", w)
	require.Equal(t, whole, w.read("../out.pack.map"))
	w.run("worldfs", "unmount")
	w.run("worldfs", "mount", "--cover", ".")
	same("covered", w)
	require.Equal(t, whole, w.read("../out.pack.map"))
	w.run("worldfs", "unmount")

	b.run("git", "clone", "-q", "w", "clone")
	same("in a clone", b.cd("clone"))
	w.run("git", "worktree", "add", "-q", "../linked")
	same("in a linked working tree", b.cd("linked"))
	require.Equal(t, whole, w.read("../out.pack.map"))

	// Imported piece by piece, the last first, into shards.
	w.run("worldfs", "export", "-o", "../all.jsonl")
	lines := strings.Split(strings.TrimSpace(b.read("all.jsonl")), "\n")
	types := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, `{"entity":`) })
	b.run("cp", "-r", "w/types", "types")
	b.run("mkdir", "pieces")
	b.run("cp", "w/world.toml", "pieces")
	b.run("cp", "-r", "types", "pieces/types")
	pieces := b.cd("pieces")
	pieces.run("worldfs", "sync")
	entities := lines[types:]
	slices.Reverse(entities)
	half := append(slices.Clone(lines[:types]), entities[:len(entities)/2]...)
	b.write("half.jsonl", strings.Join(half, "\n")+"\n")
	pieces.run("worldfs", "import", "../half.jsonl")
	pieces.run("worldfs", "import", "../all.jsonl")
	if !slices.Contains(os.Environ(), "WORLDFS_TEST_CONFIG=sharded") {
		pieces.run("worldfs", "shard", "last-digit")
	}
	same("in shards", pieces)

	// An edit is in the map's head, and in no revision.
	w.mount()
	name := w.names("entities")[0]
	w.write("entities/"+name, strings.Replace(w.read("entities/"+name), " : ", "1 : ", 1))
	w.run("worldfs", "pack", "--ship", "-o", "../out.pack")
	require.Contains(t, w.read("../out.pack.map"), `"modified":true`)
}

// Every real world ships and comes back, refs included, and the next build keeps its IDs.
func TestRealWorldsShip(t *testing.T) {
	t.Parallel()
	for _, path := range realworld.Worlds(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := newBench(t)
			b.run("worldfs", "init", "w")
			w := b.cd("w")
			w.run("worldfs", "import", path)
			w.run("worldfs", "pack", "--ship", "--by-type", "-o", "../one.pack")
			last, err := ship.Open(b.path("one.pack"))
			require.NoError(t, err)
			back, err := last.InEditor()
			require.NoError(t, err)
			editor, err := ship.Open(b.path("w/world.pack")) // of the editor's IDs
			require.NoError(t, err)
			require.Equal(t, editor.Pack.Len(), back.Len())
			dangling := 0
			for e := range editor.Pack.All() {
				n, ok := back.Get(e.ID)
				require.True(t, ok)
				e.Refs(func(_ string, _ bool, to entity.ID) bool {
					if !editor.Pack.Has(to) {
						dangling++
					}
					return true
				})
				require.True(t, dangling > 0 || e.Equal(n), "%s", e)
			}
			require.Zero(t, dangling, "these worlds have no ref that leads nowhere, so nothing may differ")

			again := filepath.Join(b.dir, "two.pack")
			w.run("worldfs", "pack", "--ship", "--ids-from", "../one.pack.map", "-o", again)
			require.True(t, b.read("one.pack") == b.read("two.pack"), "nothing is new, so it is the same build")
		})
	}
}

// shippable is a world in which nothing stops a ship build.
const shippable = `{"type":{"name":"Door","revision":72,"fields":[{"name":"old","kind":"u8","until":72},{"name":"name","kind":"string"},{"name":"parent","kind":"ref","direct":true},{"name":"number","kind":"u32","unique":true},{"name":"parts","kind":"array","key":"k","of":{"kind":"struct","fields":[{"name":"k","kind":"u8"}]}}]}}
{"entity":{"id":6555,"type":"Door","revision":72,"fields":{"name":"bunker door","number":1}}}
{"entity":{"id":6556,"type":"Door","revision":72,"fields":{"name":"other door","parent":6555,"number":2}}}
{"entity":{"id":6557,"type":"Door","revision":72,"fields":{"name":"third door","number":3}}}
`

func (b *bench) imports(entities ...string) {
	b.write("more.jsonl", strings.Join(entities, "\n")+"\n")
	b.run("worldfs", "import", "more.jsonl")
}

// stopping has for each code of a finding that stops a ship build how a world comes to it.
var stopping = map[string]func(*bench){
	entity.CodeBroken: func(b *bench) { b.write(b.door(6555), "broken\n") },
	entity.CodeConflict: func(b *bench) {
		b.write(b.door(6555), strings.Replace(b.read(b.door(6555)), "    \"bunker door\"\n",
			"<<<<<<< ours\n    \"bunker door\"\n=======\n    \"bunk\"\n>>>>>>> theirs\n", 1))
	},
	entity.CodeIDDiffers: func(b *bench) {
		b.write(b.door(6557), strings.Replace(b.read(b.door(6557)), "\n6557\n", "\n6599\n", 1))
	},
	entity.CodeTypeUnknown: func(b *bench) {
		b.write(b.door(6557), "Nothing\n1\n6557\n; x\n    1\n")
	},
	entity.CodeRevisionNewer: func(b *bench) { b.imports(`{"entity":{"id":7000,"type":"Door","revision":73,"fields":{"number":9}}}`) },
	entity.CodeKeyTwice: func(b *bench) {
		b.imports(`{"entity":{"id":7000,"type":"Door","revision":72,"fields":{"number":9,"parts":[{"k":1},{"k":1}]}}}`)
	},
	entity.CodeRefDangling: func(b *bench) {
		b.imports(`{"entity":{"id":7000,"type":"Door","revision":72,"fields":{"number":9,"parent":7001}}}`)
	},
	entity.CodeRefCycle: func(b *bench) {
		b.imports(`{"entity":{"id":7000,"type":"Door","revision":72,"fields":{"number":9,"parent":7000}}}`)
	},
	entity.CodeNotUnique: func(b *bench) { b.imports(`{"entity":{"id":7000,"type":"Door","revision":72,"fields":{"number":1}}}`) },
	entity.CodeTypeFile:  func(b *bench) { b.write("types/Door.toml", "<<<<<<< ours\n") },
	entity.CodeCondition: func(b *bench) {
		b.write("types/Door.toml", strings.Replace(b.read("types/Door.toml"), "unique = true\n", "unique = true\nsave_when = \"parent.number == 1\"\n", 1))
	},
	entity.CodeExpression: func(b *bench) {
		b.imports(`{"type":{"name":"Lamp","revision":1,"fields":[{"name":"sway","kind":"expr","vars":["t"]}]}}`,
			`{"entity":{"id":7000,"type":"Lamp","revision":1,"fields":{"sway":"sin(t"}}}`)
	},
	entity.CodeUpgrade: func(b *bench) {
		b.imports(`{"entity":{"id":7000,"type":"Door","revision":71,"fields":{"number":9,"old":5}}}`)
	},
	entity.CodeUnreadable: func(b *bench) { b.unreadable(b.door(6557)) },
	entity.CodeFormatNewer: func(b *bench) {
		b.write("world.toml", "format = 99\n"+b.read("world.toml"))
	},
	entity.CodeGreatLoss: func(b *bench) {
		for _, name := range b.names("entities") {
			require.NoError(b, os.Remove(b.path("entities/"+name)))
		}
	},
	entity.CodeRangesFile: func(b *bench) { b.write("id_ranges", "no range\n") },
}

// going has the codes of findings with which a world ships.
var going = []string{
	entity.CodeComputed, entity.CodeFloatEdited, entity.CodeFieldMissing, entity.CodeFieldTwice, entity.CodeFieldUnknown, entity.CodeFieldNotSaved,
	entity.CodeSetUnordered, entity.CodeNotCanonical, entity.CodeSaveOld, entity.CodeBaseUnknown, entity.CodeMisplaced, entity.CodeSaveTorn, entity.CodePackRefused,
	entity.CodeConflictFiles, entity.CodeHistory, entity.CodeFormatUnset, entity.CodeSaveLoss, entity.CodeRangesGone, entity.CodeRangesOverlap, entity.CodeRangeUnknown,
	entity.CodeIDOutside, entity.CodeIDForeign, entity.CodeRoleShared, entity.CodeFileName, entity.CodeConflictRest, entity.CodeNoEntities,
	entity.CodeNameUnknown, entity.CodePoseStale, entity.CodePoseDerived, entity.CodeMountCrashed, entity.CodeVCSSetup, entity.CodeVCSSparse, entity.CodeVCSUnmerged, entity.CodeVCSUntold, entity.CodeDisk,
}

// door returns the file of an entity.
func (b *bench) door(id entity.ID) string {
	for _, name := range b.names("entities") {
		if filepath.Base(name) == id.String()+".entity_text" {
			return "entities/" + name
		}
	}
	b.Fatalf("there is no file of %d", id)
	return ""
}

// unreadable puts something in a file's place that cannot be read, not by root either.
func (b *bench) unreadable(name string) {
	require.NoError(b, os.Remove(b.path(name)))
	require.NoError(b, os.Symlink("nowhere", b.path(name)))
}

// A code that is new has to be sorted into one of the two.
func TestEveryFindingShipsOrStopsAShipBuild(t *testing.T) {
	t.Parallel()
	for _, code := range advice.Codes() {
		_, stops := stopping[code]
		require.NotEqual(t, stops, slices.Contains(going, code), "%s: does a world with it ship?", code)
		require.Equal(t, stops, entity.Blocks(code) || code == entity.CodeRefDangling, code)
	}
}

func TestEachFindingThatMustNotShipRefuses(t *testing.T) {
	t.Parallel()
	for code, wrong := range stopping {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.env = append(b.env, "WORLDFS_PLAIN=true")
			b.run("worldfs", "init", "w")
			b = b.cd("w")
			b.write("world.jsonl", shippable)
			b.run("worldfs", "import", "world.jsonl")
			b.run("worldfs", "unpack")
			b.run("worldfs", "pack", "--ship", "--renumber", "-o", "out.pack")
			pack, ids := b.read("out.pack"), b.read("out.pack.map")
			wrong(b)
			for _, args := range [][]string{nil, {"--renumber"}, {"--ids-from", "out.pack.map"}} {
				said, status := b.try("worldfs", append([]string{"pack", "--ship", "--json", "-o", "out.pack"}, args...)...)
				require.Equal(t, 1, status, said)
				line, _, _ := strings.Cut(said, "\n")
				var answer struct {
					Path     string
					Findings []entity.Finding
				}
				require.NoError(t, json.Unmarshal([]byte(line), &answer), said)
				require.Empty(t, answer.Path)
				require.True(t, slices.ContainsFunc(answer.Findings, func(f entity.Finding) bool { return f.Code == code && f.Blocks }), said)
				require.Equal(t, pack, b.read("out.pack"))
				require.Equal(t, ids, b.read("out.pack.map"))
			}
			said, status := b.try("worldfs", "check")
			require.Equal(t, 1, status, said)
		})
	}
}

// What stops only the build, and not the editor's world, is found by check as well.
func TestCheckFindsWhatTheBuildWouldRefuse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("worldfs", "init", "w")
	b = b.cd("w")
	b.write("world.jsonl", `{"type":{"name":"Marker","revision":1,"editor_only":true,"fields":[{"name":"x","kind":"u8"}]}}
{"type":{"name":"Door","revision":1,"fields":[{"name":"parent","kind":"ref","direct":true}]}}
{"entity":{"id":1,"type":"Door","revision":1,"fields":{"parent":2}}}
{"entity":{"id":2,"type":"Marker","revision":1}}
`)
	b.run("worldfs", "import", "world.jsonl")
	require.Contains(t, b.read("world.toml"), "format = 4\n")
	for range 2 {
		said, status := b.try("worldfs", "check")
		require.Equal(t, 1, status, said)
		require.Contains(t, said, "Door 1, field parent: it follows entity 2, whose type is editor_only and does not ship")
		said, status = b.try("worldfs", "pack", "--ship")
		require.Equal(t, 1, status, said)
		require.NoFileExists(t, b.path("ship.pack"))
		if !b.mounted() {
			b.mount()
		}
	}
	b.write(config.entityPath("1"), "Door\n1\n1\n; parent\n    0\n")
	b.run("worldfs", "check")
	b.run("worldfs", "pack", "--ship")

	// The settings and the types count as they are now.
	b.write("world.toml", b.read("world.toml")+"\n[ship]\nids = \"dense\"\n")
	b.write("types/Marker.toml", strings.Replace(b.read("types/Marker.toml"), "editor_only = true\n", "", 1))
	require.Contains(t, b.run("worldfs", "pack", "--ship"), "2 entities")
	require.Contains(t, b.read("ship.pack.map"), `"ids":"dense"`)
}

// What a person asks for is made with the modes that any program's output has.
func TestTheUmaskTakesFromTheModesOfOutputs(t *testing.T) {
	b := resolveWorld(t, "plain")
	for umask, mode := range map[string]string{"002": "-rw-rw-r--", "027": "-rw-r-----", "077": "-rw-------"} {
		out := b.run("sh", "-ec", "umask "+umask+`
			mkdir ../$1
			"$2" pack --ship -o ../$1/ship.pack
			"$2" pack -o ../$1/all.pack
			"$2" export -o ../$1/all.jsonl
			ls -l ../$1`, "sh", umask, binary)
		require.Equal(t, 4, strings.Count(out, "\n"+mode), "umask %s: %s", umask, out)
	}
}

// A build that is killed leaves the last one, or the new one: each file is whole, and says
// of which build it is.
func TestAKilledShipBuildLeavesAWholeOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "400", "w")
	b = b.cd("w")
	b.run("worldfs", "pack", "--ship", "-o", "../out.pack")
	builds := map[string]bool{}
	remember := func() {
		m, err := ship.ReadMap(b.path("../out.pack.map"))
		require.NoError(t, err)
		builds[m.BuildID()] = true
	}
	remember()
	b.run("worldfs", "pack", "--ship", "--renumber", "-o", "../other.pack")
	other, err := ship.ReadMap(b.path("../other.pack.map"))
	require.NoError(t, err)
	builds[other.BuildID()] = true
	for i := range 24 {
		kind := []string{"--renumber", "--renumber=false"}[i%2]
		cmd := b.command(binary, "pack", "--ship", kind, "-o", "../out.pack")
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(i) * 6 * time.Millisecond)
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait() // it may have ended before
		m, err := ship.ReadMap(b.path("../out.pack.map"))
		require.NoError(t, err)
		require.True(t, builds[m.BuildID()])
		last, err := ship.Open(b.path("../out.pack"))
		if err != nil {
			require.ErrorIs(t, err, ship.ErrOtherBuild) // killed between the two
			continue
		}
		require.NoError(t, last.Pack.Check())
		require.True(t, builds[last.Map.BuildID()])
	}
	b.run("worldfs", "pack", "--ship", "--renumber", "-o", "../out.pack")
	left, err := filepath.Glob(b.path("../.out.pack*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
