package worldform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// files are a world's, by name.
type files map[string]string

func postType(changes ...string) string {
	text := "name = \"Post\"\nrevision = 2\n\n[[fields]]\nname = \"parent\"\nkind = \"ref\"\ndirect = true\n" +
		"\n[[fields]]\nname = \"code\"\nkind = \"u16\"\n\n[[fields]]\nname = \"path\"\nkind = \"array\"\nof = \"u8\"\n" +
		"\n[[fields]]\nname = \"lit\"\nkind = \"bool\"\n\n[[fields]]\nname = \"glow\"\nkind = \"u8\"\nsave_when = \"lit\"\n"
	return strings.NewReplacer(changes...).Replace(text)
}

func drawTypes(t *rapid.T, w files) {
	w["types/Lamp.toml"] = rapid.SampledFrom([]string{
		lampType, lampType, lampType, "# lamps\n" + lampType, strings.Replace(lampType, "u32", "u64", 1),
		strings.Replace(lampType, "u32", "string", 1), lampType + "unique = true\n",
		lampType + "\n[[fields]]\nname = \"more\"\nkind = \"u8\"\n", "<<<<<<< ours\n",
	}).Draw(t, "Lamp")
	w["types/Post.toml"] = rapid.SampledFrom([]string{
		postType(), postType(), postType("u16", "u32"), postType(`"u16"`, "\"u16\"\nunique = true"), postType("revision = 2", "revision = 1"),
	}).Draw(t, "Post")
	if rapid.IntRange(0, 5).Draw(t, "undeclared") == 0 {
		delete(w, "types/Post.toml")
	}
}

// drawText returns a text of the entity: canonical or not, whole or broken.
func drawText(t *rapid.T, id int) string {
	n := func(what string, most int) int { return rapid.IntRange(0, most).Draw(t, what) }
	name := fmt.Sprint(id)
	post := fmt.Sprintf("Post\n2\n%d\n; parent\n    %d\n; code\n    %d\n; path\n    [\n    %d\n    %d\n    ]\n; lit\n    true\n; glow\n    %d\n",
		id, n("parent", 9), n("code", 2), n("a", 2), n("b", 2), n("glow", 2))
	switch n("kind", 16) {
	case 0:
		return "Lamp\n1\n" + name + "\n; radius\n    much"
	case 1:
		return strings.ReplaceAll(lamp(name, "3"), "\n", "\r\n")
	case 2:
		return lamp("77", "3")
	case 3:
		return "Lamp\n1\n" + name + "\n; radius\n<<<<<<< ours\n    3\n=======\n    5\n>>>>>>> theirs\n"
	case 4:
		return "Ghost\n1\n" + name + "\n; radius\n    3\n"
	case 5:
		return strings.Replace(lamp(name, "4"), "\n1\n", "\n3\n", 1)
	case 6:
		return lamp(name, "4") + "; odd\n    1\n"
	case 7:
		return strings.Replace(post, "true", "false", 1)
	case 8, 9, 10:
		return lamp(name, fmt.Sprint(n("radius", 2)))
	}
	return post
}

const maxDrawn = 9 // entities

// place returns where the text of an entity lies, or should not.
func place(t *rapid.T, id int) string {
	if rapid.IntRange(0, 7).Draw(t, "shard") == 0 {
		return fmt.Sprintf("entities/%d/%d.entity_text", id, id)
	}
	return fmt.Sprintf("entities/%d.entity_text", id)
}

func drawFiles(t *rapid.T) files {
	w := files{"world.toml": "id = \"6fa459ea-ee8a-4ca4-894e-db77e160355e\"\n"}
	drawTypes(t, w)
	for id := 1; id <= maxDrawn; id++ {
		if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
			w[place(t, id)] = drawText(t, id)
		}
	}
	return w
}

func drawEdited(t *rapid.T, base files) files {
	w := maps.Clone(base)
	if rapid.IntRange(0, 3).Draw(t, "types") == 0 {
		drawTypes(t, w)
	}
	if rapid.IntRange(0, 5).Draw(t, "layout") == 0 {
		w["world.toml"] = base["world.toml"] + rapid.SampledFrom([]string{"shard = \"none\"\n", "shard = \"last-digit\"\n"}).Draw(t, "shard")
	}
	for range rapid.IntRange(0, 4).Draw(t, "edits") {
		id := rapid.IntRange(1, maxDrawn).Draw(t, "id")
		name := place(t, id)
		switch rapid.IntRange(0, 4).Draw(t, "op") {
		case 0:
			delete(w, name)
		case 1: // it is moved, or lies there twice
			other := place(t, id)
			if text, there := w[other]; there {
				w[name] = text
			}
		default:
			w[name] = drawText(t, id)
		}
	}
	return w
}

// commit makes a branch of a repository hold the files, and nothing else.
func commit(t *rapid.T, dir, branch string, w files) {
	var in strings.Builder
	fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter a <a@b> 1 +0000\ndata 0\n\ndeleteall\n", branch)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(w[name]), w[name])
	}
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(in.String())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// inForm returns the name of what a branch holds, or of the same world in another
// form.
func inForm(t *rapid.T, dir, top, branch string, types *entity.Types) string {
	name := "git:" + branch
	form := rapid.SampledFrom([]string{"git", "git", "git", "pack", "jsonl", "plain"}).Draw(t, "form of "+branch)
	if form == "git" {
		return name
	}
	w, err := worldform.Open(name, worldform.Options{Dir: dir, Types: types})
	require.NoError(t, err)
	path := filepath.Join(top, fmt.Sprintf("%s-%d.%s", branch, rapid.Uint64().Draw(t, "file"), form))
	require.NoError(t, worldform.Create(path, w, worldform.Options{Plain: true}))
	return path
}

// asIn is as commands compare worlds: what cannot be read is as another has it.
func asIn(w *worldform.World, other entity.Source) entity.Source {
	instead := make(map[entity.ID]*entity.Entity)
	for _, id := range w.Unread() {
		instead[id], _ = other.Get(id)
	}
	if len(instead) == 0 {
		return w.Source
	}
	return entity.NewOverlay(w.Source, instead)
}

func requireSameWorld(t *rapid.T, want, got *worldform.World) {
	require.Equal(t, export2(t, want), export2(t, got))
	require.Equal(t, want.Source.Len(), got.Source.Len())
	require.Equal(t, want.Findings, got.Findings)
	require.Equal(t, want.Texts, got.Texts)
	require.Equal(t, want.ID, got.ID)
}

// export2 is export, of which each entity is looked up, too.
func export2(t *rapid.T, w *worldform.World) string {
	var b bytes.Buffer
	require.NoError(t, changeset.Format(&b, entity.Diff(entity.NewWorld(w.ID, w.Types), w.Source)))
	for e := range w.Source.All() {
		one, ok := w.Source.Get(e.ID)
		require.True(t, ok)
		require.True(t, one.Same(e))
	}
	return b.String()
}

func diff(t *rapid.T, a, b *worldform.World) string {
	from := asIn(a, b.Source)
	var out bytes.Buffer
	require.NoError(t, changeset.Format(&out, entity.Diff(from, asIn(b, from))))
	return out.String()
}

// merged returns all that a merge says.
func merged(t *rapid.T, base, ours, theirs *worldform.World) string {
	from := asIn(base, ours.Source)
	result, err := merge.Worlds(merge.Side{Types: base.Types, Entities: from},
		merge.Side{Types: ours.Types, Entities: asIn(ours, from)}, merge.Side{Types: theirs.Types, Entities: asIn(theirs, from)}, merge.Options{})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.NewEncoder(&out).Encode(result.Report()))
	out.WriteString(export2(t, &worldform.World{Types: result.Types, Source: result}))
	marked, err := json.Marshal(result.Marked())
	require.NoError(t, err)
	return out.String() + string(marked)
}

// openAll opens worlds in the order in which a merge does, alike or each on its own.
func openAll(t *rapid.T, names [3]string, dir string, alike bool) (base, ours, theirs *worldform.World) {
	var worlds [3]*worldform.World
	opened := worldform.AtHand(dir)
	var types *entity.Types
	for _, i := range []int{1, 0, 2} {
		o := worldform.Options{Dir: dir, Types: types}
		if alike {
			o.Like, o.First = opened, i == 1
		}
		w, err := worldform.Open(names[i], o)
		require.NoError(t, err)
		worlds[i], opened = w, append(opened, w)
		if types == nil || types.Len() == 0 {
			types = w.Types
		}
	}
	return worlds[0], worlds[1], worlds[2]
}

// Whatever the forms, worlds that are opened alongside each other are those that are
// opened each on its own, and compare and merge to the same.
func TestWorldsOpenedAlikeAreThoseOpenedAlone(t *testing.T) {
	defer entitytest.Checks("20")() // each makes a repository of three branches
	dir := t.TempDir()
	gitInit(t, dir)
	rapid.Check(t, func(rt *rapid.T) {
		top := t.TempDir()
		base := drawFiles(rt)
		names := [3]string{"base", "ours", "theirs"}
		for i, branch := range names {
			w := base
			if i > 0 {
				w = drawEdited(rt, base)
			}
			commit(rt, dir, branch, w)
			names[i] = inForm(rt, dir, top, branch, nil)
		}
		drawPack(rt, dir, names)
		a, b, c := openAll(rt, names, dir, false)
		x, y, z := openAll(rt, names, dir, true)
		requireSameWorld(rt, a, x)
		requireSameWorld(rt, b, y)
		requireSameWorld(rt, c, z)
		require.Equal(rt, merged(rt, a, b, c), merged(rt, x, y, z))
		requirePair(rt, names[0], names[1], dir)
		requirePair(rt, names[1], names[2], dir)
	})
}

// drawPack has one of the worlds, or none, lie in a directory as its pack.
func drawPack(t *rapid.T, dir string, names [3]string) {
	path := filepath.Join(dir, "world.pack")
	require.NoError(t, os.RemoveAll(path))
	if i := rapid.IntRange(0, 3).Draw(t, "pack"); i < len(names) {
		w, err := worldform.Open(names[i], worldform.Options{Dir: dir})
		require.NoError(t, err)
		require.NoError(t, worldform.Create(path, w, worldform.Options{}))
	}
}

// requirePair compares two worlds as a pair and each on its own. The types are the first's,
// or the second's where the first is plain files without any.
func requirePair(t *rapid.T, first, second, dir string) {
	open := func(name string, types *entity.Types) *worldform.World {
		w, err := worldform.Open(name, worldform.Options{Dir: dir, Types: types})
		require.NoError(t, err)
		return w
	}
	var types *entity.Types
	if lacksTypes(first) && !lacksTypes(second) {
		types = open(second, nil).Types
	}
	a := open(first, types)
	b := open(second, a.Types)
	x, y, err := worldform.OpenPair(first, second, worldform.Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, diff(t, a, b), diff(t, x, y))
	require.Equal(t, export2(t, a), export2(t, x))
	require.Equal(t, export2(t, b), export2(t, y))
}

// lacksTypes reports whether a name is that of plain files without types.
func lacksTypes(name string) bool {
	types, _ := filepath.Glob(filepath.Join(name, "types", "*.toml"))
	return strings.HasSuffix(name, ".plain") && len(types) == 0
}

// Of two revisions of git only what differs is read, until the rest is asked for.
func TestOfTwoRevisionsOnlyWhatDiffersIsRead(t *testing.T) {
	dir := t.TempDir()
	gitInit(t, dir)
	write(t, dir, map[string]string{
		"types/Lamp.toml": lampType, "entities/1.entity_text": lamp("1", "3"), "entities/2.entity_text": lamp("2", "3"),
		"entities/15.entity_text": lamp("15", "3"),
	})
	gitCommit(t, dir)
	lost := run(t, dir, "git", "rev-parse", "HEAD:entities/1.entity_text")
	write(t, dir, map[string]string{"entities/2.entity_text": lamp("2", "4"), "entities/5/15.entity_text": lamp("15", "3")})
	require.NoError(t, os.Remove(filepath.Join(dir, "entities/15.entity_text")))
	gitCommit(t, dir)
	require.NoError(t, os.Remove(filepath.Join(dir, ".git/objects", lost[:2], lost[2:])))
	a, b, err := worldform.OpenPair("git:HEAD~1", "git:HEAD", worldform.Options{Dir: dir})
	require.NoError(t, err)
	set := entity.Diff(a.Source, b.Source)
	require.Len(t, set, 1)
	require.Equal(t, entity.ID(2), set[0].ID)
	require.NoError(t, a.Source.(interface{ Err() error }).Err())
	a.Source.Get(1)
	require.ErrorContains(t, a.Source.(interface{ Err() error }).Err(), "lacks its contents")
}

// A revision is not read where a world that was opened before has its texts.
func TestARevisionIsReadWhereItIsNew(t *testing.T) {
	dir := t.TempDir()
	gitInit(t, dir)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "w"), 0o777))
	require.NoError(t, worldform.Create(filepath.Join(dir, "w"), sample(), worldform.Options{Plain: true}))
	gitCommit(t, dir)
	pack := filepath.Join(dir, "x.pack")
	require.NoError(t, worldform.Create(pack, sample(), worldform.Options{}))
	lost := run(t, dir, "git", "rev-parse", "HEAD:w/entities/1003.entity_text")
	require.NoError(t, os.Remove(filepath.Join(dir, ".git/objects", lost[:2], lost[2:])))
	o := worldform.Options{Dir: filepath.Join(dir, "w")}
	first := open(t, pack, o)
	o.Like = []*worldform.World{first}
	second := open(t, "git:HEAD", o)
	require.Empty(t, entity.Diff(first.Source, second.Source))
	_, _, err := worldform.OpenPair("git:HEAD", pack, o)
	require.NoError(t, err)
}

// What the pack of a world directory has as git does is not read: git need not even have it.
func TestThePackAtHandSparesReadingARevision(t *testing.T) {
	dir := t.TempDir()
	gitInit(t, dir)
	write(t, dir, map[string]string{"world.toml": "id = \"6fa459ea-ee8a-4ca4-894e-db77e160355e\"\n", "types/Lamp.toml": lampType,
		"entities/1.entity_text": lamp("1", "2"), "entities/2.entity_text": lamp("2", "3")})
	gitCommit(t, dir)
	whole := open(t, "git:HEAD", worldform.Options{Dir: dir})
	pack := filepath.Join(dir, "world.pack")
	require.NoError(t, worldform.Create(pack, whole, worldform.Options{}))
	write(t, dir, map[string]string{"entities/2.entity_text": lamp("2", "4")})
	gitCommit(t, dir)
	whole = open(t, "git:HEAD", worldform.Options{Dir: dir})
	object := strings.TrimSpace(run(t, dir, "git", "rev-parse", "HEAD:entities/1.entity_text"))
	require.NoError(t, os.Remove(filepath.Join(dir, ".git/objects", object[:2], object[2:])))
	moved := filepath.Join(t.TempDir(), "moved") // from where nothing was read in this process
	require.NoError(t, os.Rename(dir, moved))
	dir, pack = moved, filepath.Join(moved, "world.pack")

	spared := open(t, "git:HEAD", worldform.Options{Dir: dir, Like: worldform.AtHand(dir), First: true})
	require.Equal(t, export(t, whole), export(t, spared))
	require.NoError(t, os.WriteFile(pack, []byte("damaged"), 0o600))
	_, err := worldform.Open("git:HEAD", worldform.Options{Dir: dir, Like: worldform.AtHand(dir), First: true})
	require.ErrorContains(t, err, "the repository lacks its contents")
}
