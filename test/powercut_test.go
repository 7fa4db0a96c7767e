package test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// The power fails: at some moment while a world is mounted, edited, published,
// saved by its engine, unmounted and brought back after a kill. Whatever the disk
// has then (see image), the next command brings back all that was synced, each
// entity whole, and nothing older.
//
// WORLDFS_POWER_CUTS says how often, "all" for each moment there is;
// WORLDFS_CRASH_SEED makes it other.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	for _, kind := range someOf(t, []powerKind{
		{name: "entities", shape: "entities", plain: true, cuts: 40},
		{name: "cover", shape: "cover", plain: true, cuts: 40},
		{name: "shards", shape: "entities", plain: true, shard: "last-digit", cuts: 15},
		{name: "pack only", shape: "entities", cuts: 15},
	}) {
		if config.cover() && kind.shape != "cover" || config["shard"] != "" && kind.shard != "" {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			seed := number(t, "WORLDFS_CRASH_SEED", 1)
			t.Logf("WORLDFS_CRASH_SEED=%d", seed)
			p := newPowerCut(t, kind)
			p.scenario()
			random := rand.New(rand.NewPCG(uint64(seed), 0))
			p.cutAll(p.moments(random), random)
		})
	}
}

// powerKind is how a world is set up.
type powerKind struct {
	name, shape string
	plain       bool
	shard       string // "": as all tests are run
	cuts        int    // how many there are, unless it is said otherwise
}

// entityPath is settings.entityPath in such a world.
func (k powerKind) entityPath(id string) string {
	s := maps.Clone(config)
	if k.shard != "" {
		s["shard"] = k.shard
	}
	return s.entityPath(id)
}

// powerCut is a world on a disk that records.
type powerCut struct {
	outside
	kind   powerKind
	j      *journal
	disk   string // where the world's disk is mounted
	places []string
	files  map[string]*loadFile
	marks  []powerMark
}

// powerMark says what the world is expected to be.
type powerMark struct {
	at      int        // that many operations had been done
	name    string     // of a file in entities/
	may     *powerText // it may be this from now on
	durable bool       // it is what it may have been last
}

// powerText is what a file may be.
type powerText struct {
	text string
	part bool // only a part of the file
	gone bool // it is not there
}

func newPowerCut(t *testing.T, kind powerKind) *powerCut {
	b := newBench(t)
	b.env = append(b.env, fmt.Sprintf("WORLDFS_PLAIN=%v", kind.plain))
	require.NoError(t, os.Mkdir(b.path("under"), 0o755))
	b.run("worldfs", "demo", "--entities", "16", "under/w")
	if kind.shard != "" {
		b.run("worldfs", "-C", "under/w", "shard", kind.shard)
	}
	b.cd("under/w").run("worldfs", "status")
	disk := b.path("disk")
	p := &powerCut{outside: outside{b.cd("disk/w"), kind.shape}, kind: kind, disk: disk, files: make(map[string]*loadFile)}
	entities, done := p.plainly(b.cd("under/w"))
	defer done()
	for _, name := range p.entityNames(entities) {
		text := entities.read(name)
		p.marks = append(p.marks, powerMark{name: name, may: &powerText{text: text}, durable: true})
		if strings.Contains(text, "\n; entity_name\n") {
			p.places = append(p.places, name)
			p.files[name] = &loadFile{Path: p.path(name), Template: text}
		}
	}
	p.j = recordingDisk(b, b.path("under"), disk)
	p.Cleanup(func() {
		if p.mounted() {
			p.worldfs("unmount")
		}
	})
	return p
}

// plainly returns a bench in which the entities of a world that is not mounted are
// plain files, until done is called.
func (p *powerCut) plainly(b *bench) (there *bench, done func()) {
	if p.kind.plain {
		return b, func() {}
	}
	dir, err := os.MkdirTemp(p.root, "plain")
	require.NoError(p, err)
	there = b.at(dir)
	b.cd("..").run("worldfs", "-C", b.dir, "unpack", "--to", there.path("entities"))
	return there, func() { _ = os.RemoveAll(dir) }
}

// entityNames returns the files of entities in a world.
func (p *powerCut) entityNames(b *bench) (names []string) {
	found, err := filepath.Glob(b.path(p.kind.entityPath("*")))
	require.NoError(p, err)
	for _, path := range found {
		name, err := filepath.Rel(b.dir, path)
		require.NoError(p, err)
		names = append(names, name)
	}
	return names
}

// scenario is what happens to the world.
func (p *powerCut) scenario() {
	a, b, c, d, e, f := p.places[0], p.places[1], p.places[2], p.places[3], p.places[4], p.places[5]
	p.must("mount")
	p.overwrite(a, true)
	p.replace(b, true)
	p.overwrite(c, false)
	p.create("7654321", a)
	p.remove(d)
	p.backUp(e)
	p.must("sync")
	p.allDurable()
	p.engineSaves(f)
	p.overwrite(a, true)
	p.must("sync")
	p.allDurable()
	p.replace(b, false)
	p.engineSavesInPlace(f)
	p.overwrite(c, true)
	p.must("unmount")
	p.allDurable()

	if p.kind.plain {
		p.editPlain(a)
	}
	p.must("mount")
	p.allDurable() // what a plain file had was durable; the rest did not change
	p.replace(b, true)
	p.overwrite(c, false)
	p.kill()
	p.must("status")
	if p.kind.plain {
		p.replacePlain(b)
	}
	p.must("mount")
	p.overwrite(c, true)
	p.must("unmount")
	p.allDurable()
}

// may notes that a file may be this from now on.
func (p *powerCut) may(name string, text powerText) {
	p.marks = append(p.marks, powerMark{at: p.j.now(), name: name, may: &text})
}

// durable notes that a file is what it may have been last.
func (p *powerCut) durable(name string) {
	p.marks = append(p.marks, powerMark{at: p.j.now(), name: name, durable: true})
}

func (p *powerCut) allDurable() {
	names := make(map[string]bool)
	for _, m := range p.marks {
		names[m.name] = true
	}
	for name := range names {
		p.durable(name)
	}
}

// next returns a file's next text, which it may have from now on.
func (p *powerCut) next(name string) string {
	f := p.files[name]
	f.Last++
	text := f.text(f.Last)
	p.may(name, powerText{text: text})
	return text
}

func (p *powerCut) overwrite(name string, sync bool) {
	flags := os.O_WRONLY
	if p.files[name].Last == 0 { // the first text is not as long, and between the two there would be a third
		p.replace(name, sync)
		return
	}
	require.NoError(p, putAt(p.path(name), flags, p.next(name), sync))
	if sync {
		p.durable(name)
	}
}

func (p *powerCut) replace(name string, sync bool) {
	temp := p.path(name + ".new")
	text := p.next(name)
	require.NoError(p, putAt(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, text, sync))
	require.NoError(p, os.Rename(temp, p.path(name)))
	if sync {
		p.syncDir(name)
		p.durable(name)
	}
}

func (p *powerCut) syncDir(name string) {
	dir, err := os.Open(filepath.Dir(p.path(name)))
	require.NoError(p, err)
	require.NoError(p, dir.Sync())
	require.NoError(p, dir.Close())
}

// create makes an entity like another one.
func (p *powerCut) create(id, like string) {
	name := p.kind.entityPath(id)
	text := strings.Split(p.files[like].Template, "\n")
	text[2] = id
	p.files[name] = &loadFile{Path: p.path(name), Template: strings.Join(text, "\n")}
	p.may(name, powerText{gone: true})
	p.replace(name, true)
}

func (p *powerCut) remove(name string) {
	p.may(name, powerText{gone: true})
	require.NoError(p, os.Remove(p.path(name)))
	p.syncDir(name)
	p.durable(name)
}

// backUp renames an entity to a backup, makes it anew, and then puts the backup
// back in its place.
func (p *powerCut) backUp(name string) {
	backup := name + "~"
	old := p.files[name].text(0)
	p.may(backup, powerText{gone: true})
	p.may(backup, powerText{text: old})
	p.may(name, powerText{gone: true})
	require.NoError(p, os.Rename(p.path(name), p.path(backup)))
	p.syncDir(name)
	p.durable(backup)
	p.durable(name)
	p.replace(name, true)
	p.may(name, powerText{text: old})
	p.may(backup, powerText{gone: true})
	require.NoError(p, os.Rename(p.path(backup), p.path(name)))
	p.syncDir(name)
	p.durable(name)
	p.durable(backup)
}

// engineSaves has an engine save a pack, durably, and waits until it has come.
func (p *powerCut) engineSaves(name string) {
	p.engineSavesBy(name, func(data string) {
		require.NoError(p, putAt(p.path("world.pack.tmp"), os.O_CREATE|os.O_WRONLY, data, true))
		require.NoError(p, os.Rename(p.path("world.pack.tmp"), p.path("world.pack")))
		p.syncDir("world.pack")
	})
}

// engineSavesInPlace is engineSaves of an engine that writes over what it loaded.
func (p *powerCut) engineSavesInPlace(name string) {
	p.engineSavesBy(name, func(data string) {
		require.NoError(p, putAt(p.path("world.pack"), os.O_WRONLY|os.O_TRUNC, data, true))
	})
}

func (p *powerCut) engineSavesBy(name string, save func(data string)) {
	e := loadEngine(p, p.dir)
	f := p.files[name]
	f.Last++
	called := fmt.Sprint("save ", f.Last)
	id, err := entity.ParseID(strings.TrimSuffix(filepath.Base(name), layout.Suffix))
	require.NoError(p, err)
	e.name(id, called)
	part := fmt.Sprintf("; entity_name\n    %q\n", called)
	p.may(name, powerText{text: part, part: true})
	save(string(e.encode(true)))
	p.durable(name)
	p.eventually(func() bool { return strings.Contains(p.read(name), part) })
}

// editPlain and replacePlain edit a plain file, durably.
func (p *powerCut) editPlain(name string) {
	require.NoError(p, putAt(p.path(name), os.O_WRONLY, p.next(name), true))
	p.durable(name)
}

func (p *powerCut) replacePlain(name string) { p.replace(name, true) }

// may returns what a file may be after a cut.
func (p *powerCut) mayBe(name string, at int) (may []powerText) {
	for _, m := range p.marks {
		switch {
		case m.name != name || m.at > at:
		case m.may != nil && !m.durable:
			may = append(may, *m.may)
		case m.may != nil:
			may = []powerText{*m.may}
		default:
			may = may[len(may)-1:]
		}
	}
	return may
}

// moments returns the moments of the cuts.
func (p *powerCut) moments(random *rand.Rand) (at []int) {
	all := os.Getenv("WORLDFS_POWER_CUTS") == "all"
	for i := range p.j.ops {
		if op := &p.j.ops[i]; all || op.op == opFsync || op.changesNames() {
			at = append(at, i, i+1)
		}
	}
	at = slices.Compact(at)
	p.Logf("%d operations, %d of them worth a cut before or after", len(p.j.ops), len(at))
	if all {
		return at
	}
	random.Shuffle(len(at), func(i, k int) { at[i], at[k] = at[k], at[i] })
	return at[:min(len(at), number(p.T, "WORLDFS_POWER_CUTS", p.kind.cuts))]
}

// cutAll cuts the power at each of the moments, two at a time.
func (p *powerCut) cutAll(at []int, random *rand.Rand) {
	type job struct {
		n      int
		random *rand.Rand
	}
	jobs := make(chan job)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for j := range jobs {
				p.cutAt(j.n, j.random)
			}
		})
	}
	for _, n := range at {
		jobs <- job{n, rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))}
	}
	close(jobs)
	workers.Wait()
}

// cutAt cuts the power after n operations, has some command find the world, and
// looks at everything.
func (p *powerCut) cutAt(n int, random *rand.Rand) {
	img := p.j.powerCut(n, random)
	dir := filepath.Join(p.root, fmt.Sprint("cut", n))
	if !assert.NoErrorf(p, img.write(dir), "cut at %d", n) {
		return
	}
	after := outside{p.at(filepath.Join(dir, "w")), p.shape}
	commands := []string{"status", "check", "sync", "pack", "ls", "mount", "unmount"}
	command := commands[random.IntN(len(commands))]
	what := fmt.Sprintf("power cut after %d operations, %s; then worldfs %s", n, img.how, command)
	if err := p.lookAfter(after, n, command); err != nil {
		p.Errorf("%s: %v\nthe last operations were\n%s", what, err, p.j.tell(n, 40, img))
		return
	}
	_ = os.RemoveAll(dir)
}

func (p *powerCut) lookAfter(after outside, n int, command string) error {
	out, code := after.restoring(command)
	if code > 1 && command != "unmount" {
		return fmt.Errorf("exit status %d: %s", code, out)
	}
	if command == "mount" {
		if err := p.verify(after, n, "mounted"); err != nil {
			return err
		}
		if out, code := after.worldfs("unmount"); code != 0 {
			return fmt.Errorf("unmount: exit status %d: %s", code, out)
		}
	}
	for _, args := range [][]string{{"check"}, {"sync"}, {"diff", "--exit-code", after.path("world.pack"), after.dir}} {
		if out, code := after.restoring(args...); code != 0 {
			return fmt.Errorf("worldfs %s: exit status %d: %s", args[0], code, out)
		}
	}
	return p.verify(after, n, "unmounted")
}

// restoring runs a command, once more after worldfs restore if the pack was cut off
// while it was written over, as the message says.
func (o outside) restoring(args ...string) (out string, code int) {
	out, code = o.worldfs(args...)
	if !strings.Contains(out, "worldfs restore brings the last good one back") {
		return out, code
	}
	if out, code := o.worldfs("restore"); code != 0 {
		return out, code
	}
	return o.worldfs(args...)
}

// verify compares what there is with what there may be.
func (p *powerCut) verify(after outside, n int, when string) error {
	names := make(map[string]bool)
	for _, m := range p.marks {
		names[m.name] = true
	}
	entities, done := after.bench, func() {}
	if when == "unmounted" {
		entities, done = p.plainly(entities)
	}
	defer done()
	for _, name := range p.entityNames(entities) {
		names[name] = true
	}
	for name := range names {
		from := entities
		if !strings.HasSuffix(name, layout.Suffix) {
			from = after.bench
		}
		data, err := os.ReadFile(from.path(name))
		gone := os.IsNotExist(err)
		if err != nil && !gone {
			return err
		}
		may := p.mayBe(name, n)
		if len(may) == 0 {
			may = []powerText{{gone: true}} // it was made later
		}
		is := slices.ContainsFunc(may, func(t powerText) bool {
			return t.gone == gone && (t.text == string(data) || t.part && strings.Contains(string(data), t.text))
		})
		if !is {
			return fmt.Errorf("%s, %s (gone: %v):\n%s\nis none of the %d texts that it may be:\n%+v", when, name, gone, data, len(may), may)
		}
	}
	return nil
}
