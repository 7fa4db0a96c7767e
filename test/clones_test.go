package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What people who work on one world in parallel do, at random: each in a working copy of
// their own, offline for long, in whatever order, by the commands that they type. A model
// (clonesmodel_test.go) knows each edit and what its author had seen of others', so that
// after every operation, and not only at the end, no edit is missing that was not listed
// as a conflict or superseded by one that knew it.
//
// WORLDFS_CLONES_ROUNDS says how many worlds, WORLDFS_CLONES_STEPS how much is done in
// each, WORLDFS_CLONES_SEED makes it other.

// step is what one of the people does next.
type step struct {
	who, what int
	choices   uint64
}

// kind is something that people do, and how often they do it.
type kind struct {
	often int
	do    func(*clone)
}

// perform has the people do n things at random.
func (t *team) perform(seed, n int, kinds []kind) {
	t.Helper()
	for i, s := range program(seed, n, len(t.clones), kinds) {
		t.random = rand.New(rand.NewPCG(s.choices, uint64(i)))
		t.clones[s.who].note("# step %d", i)
		kinds[s.what].do(t.clones[s.who])
	}
	t.random = rand.New(rand.NewPCG(uint64(seed), 0))
}

// program returns steps at random.
func program(seed, n, people int, kinds []kind) []step {
	var whats []int
	for what, kind := range kinds {
		whats = append(whats, slices.Repeat([]int{what}, kind.often)...)
	}
	one := rapid.Custom(func(t *rapid.T) step {
		return step{
			who:     rapid.IntRange(0, people-1).Draw(t, "who"),
			what:    rapid.SampledFrom(whats).Draw(t, "what"),
			choices: rapid.Uint64().Draw(t, "choices"),
		}
	})
	return rapid.SliceOfN(one, n, n).Example(seed)
}

// atRandom runs a test for each of the seeds.
func atRandom(t *testing.T, steps int, f func(t *testing.T, seed, steps int)) {
	first, rounds := number(t, "WORLDFS_CLONES_SEED", 1), number(t, "WORLDFS_CLONES_ROUNDS", 1)
	steps = number(t, "WORLDFS_CLONES_STEPS", steps)
	for seed := first; seed < first+rounds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("WORLDFS_CLONES_SEED=%d WORLDFS_CLONES_STEPS=%d", seed, steps)
			f(t, seed, steps)
		})
	}
}

// team is the people, and the model of what they did.
type team struct {
	*bench
	*model
	clones []*clone
	random *rand.Rand // of the step
	log    []string   // what was done
	made   int        // entities
	git    bool
}

// clone is one person's working copy.
type clone struct {
	*bench
	team      *team
	name      string
	known     set  // events that its world has come of
	dirty     set  // those that are not committed yet
	installed bool // worldfs vcs install was run
}

// teamTypes have a field for each rule of merging that designers meet every day.
func teamTypes() string {
	common := `{"name":"key","kind":"string"},{"name":"label","kind":"string"},{"name":"parent","kind":"ref","direct":true},` +
		`{"name":"position","kind":"vec3"},{"name":"height","kind":"f32"}`
	refs := `,{"name":"link","kind":"ref","optional":true},{"name":"links","kind":"set","of":"ref"},{"name":"tags","kind":"set","of":"string"}`
	parts := `,{"name":"parts","kind":"array","key":"id","of":{"kind":"struct","fields":[{"name":"id","kind":"u8"},{"name":"weight","kind":"f32"}]}}`
	typ := func(name, fields string) string {
		return `{"type":{"name":"` + name + `","revision":1,"fields":[` + fields + "]}}\n"
	}
	return typ("Node", common+refs+parts) + typ("Lamp", common+refs) + typ("Rock", common)
}

// teamWorld is where all begin: 45 entities in a shallow tree.
func teamWorld() string {
	var out strings.Builder
	out.WriteString(teamTypes())
	for i := range 45 {
		id, typ := 1000+i, []string{"Node", "Lamp", "Rock"}[i%3]
		fields := map[string]any{"key": fmt.Sprint("k", id), "label": fmt.Sprint("first ", id), "position": []int{i, i, i}, "height": i, "parent": 0}
		if i >= 6 {
			fields["parent"] = 1000 + i%6
		}
		if typ != "Rock" {
			fields["links"], fields["tags"] = []int{1000 + (i*7+1)%45}, []string{"old"}
		}
		if typ == "Node" {
			fields["parts"] = []map[string]int{{"id": 1, "weight": 1}, {"id": 2, "weight": 2}}
		}
		out.WriteString(entityLine(id, typ, fields))
	}
	return out.String()
}

func entityLine(id int, typ string, fields map[string]any) string {
	line, err := json.Marshal(map[string]any{"entity": map[string]any{"id": id, "type": typ, "revision": 1, "fields": fields}})
	if err != nil {
		panic(err) // it is made here
	}
	return string(line) + "\n"
}

// newTeam makes the world in w.
func newTeam(t *testing.T, tools ...string) *team {
	if config["plain"] == "false" {
		t.Skip("version control has no entities while the world is not mounted")
	}
	team := &team{bench: newBench(t, tools...), model: newModel()}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(team.log, "\n"))
		}
	})
	return team
}

// world fills a world directory.
func (t *team) world(b *bench) {
	b.run("worldfs", "init", ".")
	b.write("world.jsonl", teamWorld())
	b.run("worldfs", "import", "world.jsonl")
	b.run("rm", "world.jsonl")
	var ranges strings.Builder
	for i := range 4 { // the others have none
		fmt.Fprintf(&ranges, "%d %d P%d #P%d\n", 20000+100*i, 20100+100*i, i, i)
	}
	b.write("id_ranges", ranges.String())
	b.run("worldfs", "sync")
}

// clone adds a person with a working copy in a directory.
func (t *team) clone(b *bench, name string) *clone {
	own := b.as(name).role(name)
	c := &clone{bench: own, team: t, name: name, known: set{}, dirty: set{}}
	t.clones = append(t.clones, c)
	return c
}

func (c *clone) try(name string, args ...string) (string, int) {
	c.Helper()
	out, code := c.bench.try(name, args...)
	c.note("%s %s%s", name, quoted(args), map[bool]string{true: "", false: fmt.Sprint("   # ", code)}[code == 0])
	return out, code
}

func (c *clone) run(name string, args ...string) string {
	c.Helper()
	out, code := c.try(name, args...)
	require.Zero(c, code, "%s %s\n%s", name, strings.Join(args, " "), out)
	return out
}

func (c *clone) note(format string, args ...any) {
	c.team.log = append(c.team.log, c.name+": "+fmt.Sprintf(format, args...))
}

func quoted(args []string) string {
	var out []string
	for _, arg := range args {
		if strings.ContainsAny(arg, " '\"=") {
			arg = "'" + arg + "'"
		}
		out = append(out, arg)
	}
	return strings.Join(out, " ")
}

// summary is what resolve prints.
type summary struct {
	Operation string
	Done      bool
	Left      []struct {
		ID          int
		Type        string
		Field, Path string
		Why         string
		Mine        json.RawMessage // null: deleted
	}
	Repairs []string
	NewIDs  []string `json:"new_ids"`
	Stands  []string
	Unread  []string
	Next    string
	Lost    []json.RawMessage
}

// resolve runs worldfs resolve.
func (c *clone) resolve(args ...string) (s summary, code int) {
	c.Helper()
	out, code := c.try("worldfs", append([]string{"resolve", "--json"}, args...)...)
	if code <= 1 {
		require.NoError(c, json.NewDecoder(strings.NewReader(out)).Decode(&s), out)
		require.Empty(c, s.Unread, out)
		if c.team.git { // of what svn merged line by line it is not known who edited it
			require.Empty(c, s.Stands, out)
		}
		require.Empty(c, s.Lost, out)
		require.Equal(c, len(s.Left) > 0, code == 1, out)
	}
	return s, code
}

// settle has worldfs resolve what an operation left, and takes a side, or another, in what
// is left to people. It returns what was listed meanwhile, and the command that goes on.
func (c *clone) settle(l *listing) (next string) {
	c.Helper()
	s, code := c.resolve()
	for round := 0; ; round++ {
		require.LessOrEqual(c, code, 1)
		require.Less(c, round, 100, "it is never settled")
		l.add(c, s)
		if len(s.Left) == 0 {
			return s.Next
		}
		args := c.choice(s)
		if s, code = c.resolve(args...); code == 2 { // there may be no base
			args[1] = "mine"
			s, code = c.resolve(args...)
		}
		if args[1] == "base" {
			l.base = true
		}
	}
}

// choice takes a side, or the base, in one or in all of what is left.
func (c *clone) choice(s summary) (args []string) {
	args = []string{"--take", []string{"mine", "shared", "base"}[c.team.random.IntN(3)]}
	one := s.Left[c.team.random.IntN(len(s.Left))]
	switch c.team.random.IntN(3) {
	case 0:
		args = append(args, strconv.Itoa(one.ID))
	case 1:
		if one.Field != "" {
			args = append(args, strconv.Itoa(one.ID), "--field", one.Field)
		}
	}
	return args
}

// requireAllHere fails unless the world is well, and what the model says that it is.
func (c *clone) requireAllHere() *scene {
	c.Helper()
	w := c.scene()
	c.require(c.bench, w, c.known)
	out, code := c.try("worldfs", "check")
	require.Zero(c, code, out)
	return w
}

// require is the model's.
func (c *clone) require(b *bench, w *scene, known set) {
	b.Helper()
	if missing := c.team.missing(w, known); len(missing) > 0 {
		require.Fail(b, "lost edits", "%s: %s", c.name, strings.Join(missing, "\n"))
	}
}

// union adds others.
func (s set) union(others set) { maps.Copy(s, others) }
