package test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
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
	file := "entities/" + id + ".entity_text"
	text := fmt.Sprintf("Lamp\n1\n%s\n; watts\n    %d\n", id, watts)
	if !b.shown(id) {
		if random.IntN(2) == 0 {
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
	name := id + ".entity_text"
	want, code := b.try("worldfs", "show", id)
	got, catCode := b.try("cat", "entities/"+name)
	size, _ := b.try("stat", "-c", "%s", "entities/"+name)
	listed := strings.Contains("\n"+b.run("ls", "entities"), "\n"+name+"\n")
	switch {
	case code != 0 && (catCode == 0 || listed):
		return fmt.Sprintf("the world does not have it; cat prints %q, listed: %t", got, listed)
	case code == 0 && (got != want || !listed || strings.TrimSpace(size) != strconv.Itoa(len(want))):
		return fmt.Sprintf("the world has %q; cat prints %q, its size is %q, listed: %t", want, got, size, listed)
	}
	return ""
}
