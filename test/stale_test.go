package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// TestNoProcessSeesAnythingStale changes a mounted world by commands and by
// tools on its files, from several processes at a time. After each change other
// processes see the file, its size and the listing as the world knows them.
func TestNoProcessSeesAnythingStale(t *testing.T) {
	const sides, own, steps = 3, 4, 8
	b := newBench(t, "sed", "cat", "ls", "stat", "sh")
	b.run("worldfs", "init", "world")
	b = b.cd("world")
	b.write("in.jsonl", `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"watts","kind":"u32"}]}}`+"\n"+lampLine(1, 60))
	b.run("worldfs", "import", "in.jsonl")
	b.mount()
	var group sync.WaitGroup
	for side := range sides {
		random := rand.New(rand.NewPCG(11, uint64(side)))
		group.Go(func() {
			for step := range steps {
				id := strconv.Itoa(100 + side*own + random.IntN(own))
				did := b.changeSomehow(random, id, fmt.Sprintf("%d-%d", side, step))
				if wrong := b.staleIn(id); wrong != "" {
					t.Errorf("after %s of %s: %s", did, id, wrong)
				}
			}
		})
	}
	group.Wait()
	require.Empty(t, b.run("worldfs", "check"))
}

func lampLine(id, watts int) string {
	return fmt.Sprintf(`{"entity":{"id":%d,"type":"Lamp","revision":1,"fields":{"watts":%d}}}`+"\n", id, watts)
}

// changeSomehow changes an entity, creates it or deletes it, and says how.
func (b *bench) changeSomehow(random *rand.Rand, id, step string) (what string) {
	n, err := strconv.Atoi(id)
	require.NoError(b, err)
	watts := random.IntN(100000)
	file := config.entityPath(id)
	text := fmt.Sprintf("Lamp\n1\n%s\n; watts\n    %d\n", id, watts)
	if !b.shown(id) {
		if random.IntN(2) == 0 {
			require.NoError(b, os.MkdirAll(filepath.Dir(b.path(file)), 0o755)) // the first of a shard
			b.write(file, text)
			return "creating the file"
		}
		b.write(step+".jsonl", lampLine(n, watts))
		b.run("worldfs", "import", step+".jsonl")
		return "importing"
	}
	switch random.IntN(6) {
	case 0:
		b.run("worldfs", "set", "--where", "id == "+id, fmt.Sprintf("watts = %d", watts))
		return "set"
	case 1:
		b.run("sed", "-i", fmt.Sprintf("s/^    .*/    %d/", watts), file)
		return "sed -i"
	case 2:
		b.run("sh", "-c", `mv "$1" "$1~" && cat "$1~" > "$1" && echo >> "$1" && rm "$1~"`, "sh", file)
		return "moving away and writing anew"
	case 3:
		b.run("rm", file)
		return "rm"
	case 4:
		b.try("worldfs", "undo", id) // what was changed since may stand
		return "undo"
	}
	b.write(step+".jsonl", lampLine(n, watts))
	b.run("worldfs", "import", step+".jsonl")
	return "importing"
}

// shown tells whether the world has the entity.
func (b *bench) shown(id string) bool {
	_, code := b.try("worldfs", "show", id)
	return code == 0
}

// staleIn compares what processes see of an entity's file with what the world
// has, and says what differs.
func (b *bench) staleIn(id string) string {
	name := config.entityPath(id)
	want, code := b.try("worldfs", "show", id)
	got, catCode := b.try("cat", name)
	size, _ := b.try("stat", "-c", "%s", name)
	listed := strings.Contains("\n"+b.run("ls", path.Dir(name)), "\n"+path.Base(name)+"\n")
	switch {
	case code != 0 && (catCode == 0 || listed):
		return fmt.Sprintf("the world does not have it; cat prints %q, listed: %t", got, listed)
	case code == 0 && (got != want || !listed || strings.TrimSpace(size) != strconv.Itoa(len(want))):
		return fmt.Sprintf("the world has %q; cat prints %q, its size is %q, listed: %t", want, got, size, listed)
	}
	return ""
}

// TestSavesAndUnmountsLeaveNothingStale has an engine save, and the world be
// unmounted and mounted again, while files are written, imported and read.
// Each entity counts up, so whoever began to read after a change must find it,
// or a later one, if anything.
func TestSavesAndUnmountsLeaveNothingStale(t *testing.T) {
	const own, steps, remounts = 2, 4, 2
	b := newBench(t)
	b.run("worldfs", "init", "world")
	b = b.cd("world")
	lines := `{"type":{"name":"Lamp","revision":1,"fields":[{"name":"watts","kind":"u32"}]}}` + "\n"
	c := &counts{bench: b, of: make([]atomic.Uint32, 3*own)}
	for i := range c.of {
		lines += lampLine(i+1, 0)
	}
	b.write("in.jsonl", lines)
	b.run("worldfs", "import", "in.jsonl")
	b.mount()
	var group, readers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for i := 0; !stopped(done); i = (i + 1) % len(c.of) {
				c.look(i)
				time.Sleep(time.Millisecond)
			}
		})
	}
	for side, change := range []func(i int, n uint32){c.write, c.imports, c.save} {
		group.Go(func() {
			for step := range steps {
				c.change(side*own+step%own, uint32(step+1), change)
			}
		})
	}
	group.Go(func() {
		for range remounts {
			c.remount()
		}
	})
	group.Wait()
	close(done)
	readers.Wait()
	for i := range c.of {
		require.Equal(t, c.of[i].Load(), c.shown(i))
	}
}

// counts are lamps whose watts go up by one with each change.
type counts struct {
	*bench
	mounted sync.RWMutex    // locked for reading by who needs the mount
	of      []atomic.Uint32 // what each lamp has at least
}

func (c *counts) file(i int) string { return config.entityPath(strconv.Itoa(i + 1)) }

// shown returns what a lamp's file says, 0 if it cannot be told at the moment.
func (c *counts) shown(i int) uint32 {
	text, err := os.ReadFile(filepath.Join(c.dir, c.file(i)))
	_, value, whole := strings.Cut(string(text), "; watts\n")
	if err != nil || !whole || !strings.HasSuffix(value, "\n") {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

func (c *counts) look(i int) {
	least := c.of[i].Load()
	if n := c.shown(i); n != 0 && n < least {
		c.Errorf("%s says %d after it has said %d", c.file(i), n, least)
	}
}

func (c *counts) change(i int, n uint32, how func(int, uint32)) {
	c.mounted.RLock()
	defer c.mounted.RUnlock()
	how(i, n)
	c.of[i].Store(n)
	c.look(i)
}

func (c *counts) write(i int, n uint32) {
	c.bench.write(c.file(i), fmt.Sprintf("Lamp\n1\n%d\n; watts\n    %d\n", i+1, n))
}

func (c *counts) imports(i int, n uint32) {
	name := fmt.Sprintf("%d-%d.jsonl", i, n)
	c.bench.write(name, lampLine(i+1, int(n)))
	c.run("worldfs", "import", name)
}

// save is an engine's, and has been taken in when it returns.
func (c *counts) save(i int, n uint32) {
	e := c.engine()
	lamp, ok := e.world.Get(entity.ID(i + 1))
	require.True(c, ok)
	lamp = lamp.Clone()
	lamp.Values[0] = entity.NewUint(entity.KindU32, uint64(n))
	e.world.Put(lamp)
	e.replace(true)
	c.eventually(func() bool { return c.shown(i) == n })
}

// remount unmounts while others read, as soon as none of them is in the way.
func (c *counts) remount() {
	c.mounted.Lock()
	defer c.mounted.Unlock()
	c.eventually(func() bool {
		_, code := c.try("worldfs", "unmount")
		return code == 0
	})
	c.run("worldfs", "mount")
}
