package merge

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// scene is base, ours and theirs, made by hand.
type scene struct {
	t                  *testing.T
	types              *entity.Types
	base, ours, theirs *entity.World
}

func newScene(t *testing.T) *scene {
	types := sceneTypes()
	w := func() *entity.World { return entity.NewWorld(entity.GUID{}, types) }
	return &scene{t, types, w(), w(), w()}
}

// all puts a node into all three worlds.
func (s *scene) all(id, parent entity.ID) {
	for _, w := range []*entity.World{s.base, s.ours, s.theirs} {
		s.put(w, id, map[string]entity.Value{"parent": entity.NewRef(parent)})
	}
}

// put makes a node, or changes fields of one.
func (s *scene) put(w *entity.World, id entity.ID, values map[string]entity.Value) {
	e, ok := w.Get(id)
	if ok {
		e = e.Clone()
	} else {
		e = entity.New(id, s.types.Get("Node").Current())
	}
	for name, v := range values {
		i := e.Layout.Index(name)
		require.GreaterOrEqual(s.t, i, 0)
		e.Values[i] = v
	}
	w.Put(e)
}

func (s *scene) merge(o Options) *Result {
	r := merged(s.t, s.base, s.ours, s.theirs, o)
	for e := range r.All() {
		require.NoError(s.t, e.Validate())
	}
	return r
}

func named(name string) map[string]entity.Value {
	return map[string]entity.Value{"name": entity.NewString(name)}
}

func to(field string, id entity.ID) map[string]entity.Value {
	return map[string]entity.Value{field: entity.NewRef(id)}
}

func parentOf(t *testing.T, r *Result, id entity.ID) entity.ID {
	e, ok := r.Get(id)
	require.True(t, ok, "there is no %d", id)
	return e.Value("parent").Ref()
}

func kinds(r *Result) (out []string) {
	for _, c := range r.Conflicts {
		out = append(out, string(c.Kind)+" "+c.ID.String())
	}
	for _, c := range r.Repairs {
		out = append(out, string(c.Kind)+" "+c.ID.String())
	}
	return out
}

func TestDeletionAboveWhatIsMade(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 1)
	s.all(3, 2)
	s.all(4, 2)
	for _, id := range []entity.ID{2, 3, 4} {
		s.theirs.Delete(id)
	}
	s.put(s.ours, 9, to("parent", 3))

	r := s.merge(Options{})
	require.Equal(t, []string{"deleted-above 2", "deleted-above 3"}, kinds(r))
	require.Equal(t, entity.ID(9), r.Conflicts[0].Below)
	require.Equal(t, entity.ID(3), parentOf(t, r, 9))
	_, stays := r.Get(4)
	require.False(t, stays, "nothing that stays follows it")

	r = s.merge(Options{Policy: Shared})
	require.Equal(t, []string{"deleted-above 3", "moved-up 9"}, kinds(r))
	require.Equal(t, entity.ID(1), parentOf(t, r, 9))
	require.Equal(t, 2, r.Len())
}

func TestDeletionAboveWhatChanged(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 1)
	s.theirs.Delete(1)
	s.theirs.Delete(2)
	s.put(s.ours, 2, named("mine"))
	r := s.merge(Options{})
	require.Equal(t, []string{"deleted-above 1", "deleted 2"}, kinds(r))
	require.Equal(t, 2, r.Len())
	require.Zero(t, s.merge(Options{Policy: Shared}).Len())
	require.Equal(t, 2, s.merge(Options{Policy: Mine}).Len())
}

// A file taken away leaves those that follow the entity with a ref to nothing.
func TestDeletionThatLeavesChildrenBehind(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 1)
	s.all(3, 2)
	s.all(4, 3)
	s.theirs.Delete(2)
	require.Empty(t, kinds(s.merge(Options{})))
	s.put(s.ours, 4, named("mine"))
	r := s.merge(Options{})
	require.Equal(t, []string{"deleted-above 2"}, kinds(r))
	require.Equal(t, 4, r.Len())
	s.put(s.ours, 3, named("mine"))
	r = s.merge(Options{Policy: Shared})
	require.Equal(t, []string{"deleted-above 2", "moved-up 3"}, kinds(r))
	require.Equal(t, entity.ID(1), parentOf(t, r, 3))
}

func TestWhatMovedOutIsNoConflict(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 1)
	s.theirs.Delete(1)
	s.put(s.theirs, 2, to("parent", 0))
	s.put(s.ours, 2, named("mine"))
	r := s.merge(Options{})
	require.Empty(t, kinds(r))
	require.Equal(t, 1, r.Len())
}

func TestNoiseDoesNotHoldADeletionUp(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.theirs.Delete(1)
	s.put(s.ours, 1, map[string]entity.Value{"cached": entity.F32Of(4)})
	r := s.merge(Options{})
	require.Empty(t, kinds(r))
	require.Zero(t, r.Len())
}

func TestNoiseIsNoConflict(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	lit := map[string]entity.Value{"glow": entity.F32Of(1), "lit": entity.NewBool(true), "cached": entity.F32Of(1), "code": {}}
	s.put(s.ours, 1, lit)
	s.put(s.theirs, 1, map[string]entity.Value{"glow": entity.F32Of(2), "cached": entity.F32Of(2)})
	r := s.merge(Options{})
	require.Empty(t, kinds(r))
	e, _ := r.Get(1)
	require.Equal(t, entity.F32Of(2), e.Value("glow"), "theirs is no noise")
}

func TestRefToWhatIsDeleted(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 0)
	s.all(3, 0)
	s.theirs.Delete(1)
	ids := entity.NewList(entity.KindSet, []entity.Value{entity.NewRef(1), entity.NewRef(3)})
	s.put(s.ours, 2, map[string]entity.Value{"link": entity.NewRef(1), "links": ids})
	r := s.merge(Options{})
	require.Equal(t, []string{"ref-cleared 2", "ref-cleared 2"}, kinds(r))
	e, _ := r.Get(2)
	require.True(t, e.Value("link").IsNull())
	require.Equal(t, []entity.Value{entity.NewRef(3)}, e.Value("links").Items())
}

func TestCircleOfParents(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 1)
	s.all(3, 1)
	s.put(s.ours, 2, to("parent", 3))
	s.put(s.theirs, 3, to("parent", 2))
	r := s.merge(Options{})
	require.Equal(t, []string{"cycle-cut 2"}, kinds(r))
	require.Equal(t, entity.ID(1), parentOf(t, r, 2), "it hangs where it hung")
	require.Equal(t, entity.ID(2), parentOf(t, r, 3))
}

// Direct refs alone make a circle that does not load: nobody's edit is taken back
// for the sake of one that an indirect ref closes.
func TestCircleWithAnIndirectEdge(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 0)
	s.put(s.ours, 1, to("parent", 2))
	s.put(s.theirs, 2, to("link", 1))
	r := s.merge(Options{})
	require.Empty(t, kinds(r))
	require.Equal(t, entity.ID(2), parentOf(t, r, 1))
	e, _ := r.Get(2)
	require.Equal(t, entity.ID(1), e.Value("link").Ref())
	for _, f := range entity.Check(r) {
		require.NotEqual(t, entity.CodeRefCycle, f.Code)
	}
}

func TestRefsToEachOtherAreNoCircle(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 0)
	s.put(s.ours, 1, to("link", 2))
	s.put(s.theirs, 2, to("link", 1))
	require.Empty(t, kinds(s.merge(Options{})))
}

// ranges gives 1 to 99 to Bob, 100 to 199 to Ann, on whose machine is merged, and 200 to
// 299 to a program.
var ranges = Ranges{List: []Range{
	{From: 1, To: 100, Owners: []string{"Bob"}},
	{From: 100, To: 200, Owners: []string{"Ann"}},
	{From: 200, To: 300, Owners: []string{"Clusters"}, Disposable: true},
}, Keys: []string{"Ann"}, Party: Ours}

func TestDisposableRange(t *testing.T) {
	s := newScene(t)
	s.all(200, 0)
	s.all(201, 0)
	s.all(10, 0)
	s.ours.Delete(200)
	s.put(s.ours, 202, nil)
	s.put(s.ours, 10, to("link", 202))
	s.put(s.theirs, 201, named("shared"))
	r := s.merge(Options{Ranges: ranges})
	require.Equal(t, []string{"ref-cleared 10"}, kinds(r))
	_, there := r.Get(200)
	require.True(t, there, "the shared side has it")
	_, there = r.Get(202)
	require.False(t, there)

	s = newScene(t)
	s.all(200, 0)
	s.ours.Delete(200)
	require.Zero(t, s.merge(Options{Ranges: ranges}).Len(), "only ours did anything there")
}

// TestDisposableRangeRefersToWhatIsDeleted has ours delete an entity and what refers to it
// in a disposable range: that is there again.
func TestDisposableRangeRefersToWhatIsDeleted(t *testing.T) {
	s := newScene(t)
	for _, id := range []entity.ID{1, 200, 201, 202} {
		s.all(id, 0)
	}
	for _, w := range []*entity.World{s.base, s.ours, s.theirs} {
		s.put(w, 200, to("link", 1))
		s.put(w, 201, to("link", 1))
	}
	s.ours.Delete(1)
	s.ours.Delete(200)
	s.put(s.ours, 201, to("link", 0))
	s.put(s.theirs, 202, named("shared"))
	require.Equal(t, []string{"ref-cleared 200", "ref-cleared 201"}, kinds(s.merge(Options{Ranges: ranges})))
}

// TestDeclarationIsNoChangeOfADisposableRange has theirs declare a field, which all
// entities of the type have then.
func TestDeclarationIsNoChangeOfADisposableRange(t *testing.T) {
	plain, wide := lamp(1, field("size", scalar(entity.KindU32))), lamp(1, field("size", scalar(entity.KindU32)), field("width", scalar(entity.KindU32)))
	world := func(typ *entity.Type, size uint64) *entity.World {
		w := worldOf(typ, 1)
		e := entity.New(200, typ.Current())
		e.Values[0] = u32(size)
		w.Put(e)
		return w
	}
	r := merged(t, world(plain, 1), world(plain, 2), world(wide, 1), Options{Ranges: ranges})
	e, _ := r.Get(200)
	require.Equal(t, uint64(2), e.Value("size").Uint())
}

func TestRules(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.put(s.ours, 1, map[string]entity.Value{"name": entity.NewString("mine"), "position": entity.VecOf(entity.KindVec3, 1)})
	s.put(s.theirs, 1, map[string]entity.Value{"name": entity.NewString("shared"), "position": entity.VecOf(entity.KindVec3, 2)})
	o := Options{Rules: func(typ, field string) (Policy, bool) { return Shared, typ == "Node" && field == "position" }}
	r := s.merge(o)
	require.Equal(t, Counts{Ours: 1, Theirs: 1, Both: 1, Left: 1, Decided: 1}, r.Counts)
	e, _ := r.Get(1)
	require.Equal(t, "mine", e.Name())
	require.Equal(t, entity.VecOf(entity.KindVec3, 2), e.Value("position"))
	require.Equal(t, Theirs, r.Conflicts[1].Stands)
	require.Contains(t, r.Conflicts[1].By, "by the rule for Node position shared")
	o.Shared = Ours
	e, _ = s.merge(o).Get(1)
	require.Equal(t, entity.VecOf(entity.KindVec3, 1), e.Value("position"))
}

func TestReport(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.all(2, 0)
	s.put(s.ours, 1, named("mine"))
	s.put(s.theirs, 1, named("shared"))
	s.theirs.Delete(2)
	s.put(s.ours, 3, nil)
	r := s.merge(Options{})
	var b strings.Builder
	_, err := r.Report().WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, strings.TrimLeft(`
conflict: Node 1, name: base "", yours "mine", shared "shared": both changed the same lines (left to people, yours stands meanwhile)
Node 1 "mine": changed by both: name
Node 2: deleted by shared
Node 3: created by yours
yours changed 2, shared 2, both 1 (0 of them alike); 1 conflicts left, 0 decided; 0 repairs; 0 new IDs
`, "\n"), b.String())
	data, err := json.Marshal(r.Report())
	require.NoError(t, err)
	require.JSONEq(t, `{"counts":{"ours":2,"theirs":2,"both":1,"alike":0,"left":1,"decided":0,"repairs":0,"renumbered":0},
		"conflicts":[{"kind":"property","id":1,"type":"Node","field":"name","path":"name","base":"","ours":"mine","theirs":"shared","stands":"ours","left":true,"by":"left to people","why":"both changed the same lines"}],
		"repairs":[],"renumbered":[],"discarded":[],
		"entities":[{"id":1,"type":"Node","name":"mine","what":"changed","by":"both","fields":["name"]},
			{"id":2,"type":"Node","what":"deleted","by":"theirs"},{"id":3,"type":"Node","what":"created","by":"ours"}]}`, string(data))
}

// TestOutcomesSayWhatHappened has one side delete what the other changed or put
// something under.
func TestOutcomesSayWhatHappened(t *testing.T) {
	s := newScene(t)
	for id := entity.ID(1); id <= 5; id++ {
		s.all(id, 0)
	}
	s.theirs.Delete(1)
	s.put(s.ours, 1, named("mine"))
	s.ours.Delete(2)
	s.put(s.theirs, 9, to("parent", 2))
	s.ours.Delete(3)
	s.theirs.Delete(3)
	s.put(s.ours, 4, named("mine"))
	s.put(s.theirs, 4, named("shared"))
	outcomes := func(o Options) (out []string) {
		for _, outcome := range s.merge(o).Outcomes() {
			out = append(out, outcome.String())
		}
		return out
	}
	require.Equal(t, []string{
		`Node 1 "mine": changed by yours: name, although shared deleted it`,
		"Node 2: kept by shared, although yours deleted it",
		"Node 3: deleted by both",
		`Node 4 "mine": changed by both: name`,
		"Node 9: created by shared",
	}, outcomes(Options{}))
	require.Equal(t, []string{
		"Node 1: deleted by shared",
		"Node 2: kept by shared, although yours deleted it",
		"Node 3: deleted by both",
		`Node 4 "shared": changed by both: name`,
		"Node 9: created by shared",
	}, outcomes(Options{Policy: Shared}))
	require.Equal(t, []string{
		`Node 1 "mine": changed by yours: name, although shared deleted it`,
		"Node 2: deleted by yours",
		"Node 3: deleted by both",
		`Node 4 "mine": changed by both: name`,
		"Node 9: created by shared",
	}, outcomes(Options{Policy: Mine}))
}

// damaged is a source that could not be read.
type damaged struct{ *entity.World }

var errDamaged = errors.New("damaged")

func (damaged) Err() error { return errDamaged }

func TestDamagedSource(t *testing.T) {
	s := newScene(t)
	_, err := Worlds(Of(s.base), Of(s.ours), Side{s.types, damaged{s.theirs}}, Options{})
	require.ErrorIs(t, err, errDamaged)
	require.ErrorContains(t, err, "read theirs")
}

func TestOutcomesWithoutTypes(t *testing.T) {
	typ := entity.UnknownType("Gone")
	world := func(lines string) *entity.World {
		w := &entity.World{}
		w.Put(&entity.Entity{ID: 1, Layout: typ.Layout(3), Unknown: []entity.Raw{{Name: "a", Lines: lines}, {Name: "b"}}})
		return w
	}
	r := merged(t, world("    1"), world("    2"), world("    1"), Options{})
	require.Equal(t, []Outcome{{ID: 1, Type: "Gone", What: "changed", By: "ours", Fields: []string{"unknown fields"}}}, r.Outcomes())
}

// TestDiscardedSet has both sides change a disposable range: by hand, in different entities,
// both stand; where both did the same nothing is discarded; where a set was made anew one set
// stands, and that is told.
func TestDiscardedSet(t *testing.T) {
	s := newScene(t)
	for id := entity.ID(200); id < 204; id++ {
		s.all(id, 0)
	}
	s.put(s.ours, 200, named("mine"))
	s.put(s.theirs, 201, named("shared"))
	r := s.merge(Options{Ranges: ranges})
	require.Empty(t, r.Discarded)
	for id, name := range map[entity.ID]string{200: "mine", 201: "shared"} {
		e, _ := r.Get(id)
		require.Equal(t, name, e.Name())
	}

	alike := newScene(t)
	for _, side := range []*entity.World{alike.ours, alike.theirs} {
		alike.put(side, 200, named("both"))
	}
	require.Empty(t, alike.merge(Options{Ranges: ranges}).Discarded)

	s.put(s.ours, 202, named("mine"))
	s.put(s.theirs, 204, named("new"))
	r = s.merge(Options{Ranges: ranges})
	require.Equal(t, []DiscardedSet{{From: 200, To: 300, Of: Ours, Entities: 2}}, r.Discarded)
	var out strings.Builder
	_, err := r.Report().WriteTo(&out)
	require.NoError(t, err)
	require.Contains(t, out.String(), "set: the range 200 to 300 is disposable, and both sides changed it: the shared set stands, and not what you did in 2 of its entities\n")
}
