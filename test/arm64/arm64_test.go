package arm64

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// One world is made, changed, packed, drawn and merged by the program for each processor.
func TestBothProcessorsMakeTheSame(t *testing.T) {
	p := newPair(t)
	t.Run("an island", p.island)
	t.Run("numbers", p.numbers)
	t.Run("merge", p.merge)
}

// An island is made twice; world.toml says which world it is, so that one of them goes on.
func (p *pair) island(t *testing.T) {
	p = p.on(t, "island")
	p.both("demo", "--entities", "400", "--seed", "7", "made")
	p.in("made").both("unpack", "--to", "../island")
	p.same("island")
	p.share("made", "w")
	w := p.in("w")
	w.both("export", "-o", "../w.jsonl")
	w.both("pack", "-o", "../w.pack")
	w.both("pack", "--ship", "--renumber", "--by-type", "-o", "../ship.pack")
	w.both("unpack", "--to", "../texts")
	w.both("set", "--where", "near(6555, 60) && position.z > 0",
		`position = position + [sin(id), cos(id) / 3, random("height", -1, 1)]`)
	w.both("ls", "--near", "6555", "--within", "80", "--columns", "id,type,distance", "--json")
	w.both("pack", "-o", "../set.pack")
	p.both("diff", "w.pack", "set.pack")
	p.both("diff", "--map", "moved.svg", "w.pack", "set.pack")
	p.same("w.jsonl", "w.pack", "ship.pack", "ship.pack.map", "texts", "set.pack", "moved.svg")
}

// The functions of one number and of two, which set calculates, and a ship build.
var (
	functions1 = strings.Fields("sin cos tan asin acos atan sqrt exp log radians degrees abs ceil floor round")
	functions2 = strings.Fields("atan2 pow hypot min max")
)

// results are fields, and what set gives them.
func results() (names, set []string) {
	add := func(name, source64, source32 string) {
		names = append(names, "f64_"+name, "f32_"+name)
		set = append(set, fmt.Sprintf("f64_%s = %s", name, source64), fmt.Sprintf("f32_%s = clamp(%s, -1e30, 1e30)", name, source32))
	}
	for _, f := range functions1 {
		add(f, f+"(full / 3 + 0.1)", f+"(half)")
	}
	for _, f := range functions2 {
		add(f, f+"(full, half)", f+"(abs(half), 2.7)")
	}
	for i, source := range []string{
		"full / half - half", "full * 0.1 + half * 3.3 - 0.7", "0 / (half - half)", "-(1e300 * 1e300 * half)", "dot(position, position) - length(position)",
		"mean(samples) + sum(samples) * 0.1", `random("sway") * 1e9`, "clamp(full, -1, 1) * 0.3", "abs(full) ** 1.7 + 2.5 ** half", "distance([1, 2, 3]) * half",
		"near([0, 0, 0], 30) ? 1 : 2", "length(position) - hypot(hypot(position.x, position.y), position.z)", "cross(position, [0.1, 0.7, 0.3])[1] * 1.1 + position.x * 0.3",
		"median(samples) - max(samples)", "sin(full) ** 2 + cos(full) ** 2 - 1", "(position * 1.1 + position * 0.3).z", "floor(clamp(full, -1e6, 1e6) * 1.1)",
	} {
		add(fmt.Sprint(i), source, source)
	}
	return names, set
}

// curve is a type with numbers of each kind, and a condition that is calculated.
func curve(results []string) string {
	fields := `{"name":"position","kind":"vec3"},{"name":"turn","kind":"quat"},{"name":"half","kind":"f32"},{"name":"full","kind":"f64"},` +
		`{"name":"whole","kind":"i64"},{"name":"samples","kind":"array","of":{"kind":"f64"}},{"name":"sway","kind":"expr","vars":["t","x"]},` +
		`{"name":"rare","kind":"f32","save_when":"sin(full) ** 2 + cos(full) ** 2 < 1"}`
	for _, name := range results {
		fields += fmt.Sprintf(`,{"name":%q,"kind":%q}`, name, name[:3])
	}
	return fmt.Sprintf(`{"type":{"name":"Curve","revision":1,"fields":[%s]}}`, fields)
}

// numbers are taken in from all bits that a float may have, and calculated with.
func (p *pair) numbers(t *testing.T) {
	p = p.on(t, "numbers")
	names, set := results()
	r := rand.New(rand.NewPCG(3, 5))
	lines := []string{curve(names)}
	for id := range 400 {
		lines = append(lines, entityLine(r, 1000+id))
	}
	p.write("in.jsonl", strings.Join(lines, "\n")+"\n")
	p.own.run("init", "empty")
	p.share("empty", "w")
	w := p.in("w")
	w.both("import", "../in.jsonl")
	w.both("export", "-o", "../taken.jsonl")
	w.both("pack", "-o", "../taken.pack")
	w.both(append([]string{"set", "--where", "true"}, set...)...)
	w.both("export", "-o", "../set.jsonl")
	w.both("unpack", "--to", "../texts")
	w.both("pack", "--ship", "-o", "../ship.pack")
	w.both("ls", "--where", "near([0, 0, 0], 30) || sin(half) > 0.5 && exp(full) < 100", "--columns", "id,full,half,turn", "--json")
	p.same("taken.jsonl", "taken.pack", "set.jsonl", "texts", "ship.pack", "ship.pack.map")
	p.computed(w)
}

// computed has expressions on lines of texts, which fmt replaces by their values.
func (p *pair) computed(w *pair) {
	w.append("world.toml", "\nplain = true\n")
	w.both("unpack")
	texts := w.own.names("entities")
	require.NotEmpty(w, texts)
	for i, expression := range []string{
		"sin(1.3) * 3", "exp(0.1) + 1/3", "-log(7) / 3 + 2**0.7", "tan(1.57) * 0.1 + 1", "hypot(1.1, 2.3) - cos(3)", "atan2(0.3, -7) * 180 / pi",
		"exp(-4.694677352905273 / 64)", "0.556513786315918 ** -1.65625", "tan(-50.96656322479248)", "hypot(-50.96656322479248, -69.85713958740234)",
	} {
		for _, side := range w.sides {
			name := "entities/" + texts[i]
			text := side.read(name)
			for _, field := range []string{"full", "half"} {
				head, rest, found := strings.Cut(text, "; "+field+"\n")
				require.True(w, found, text)
				_, tail, _ := strings.Cut(rest, "\n")
				text = head + "; " + field + "\n    = " + expression + "\n" + tail
			}
			side.write(name, text)
		}
	}
	w.both("pack", "-o", "../computed.pack")
	w.both("fmt")
	p.same("computed.pack", "w/entities")
}

// entityLine is an entity of type Curve with random bits for numbers.
func entityLine(r *rand.Rand, id int) string {
	small := func() float64 { return math.Ldexp(float64(r.Int64N(1<<54)-1<<53), r.IntN(24)-60) }
	f32 := func() any {
		if r.IntN(3) > 0 {
			return float32(small())
		}
		return fmt.Sprintf("0x%08x", r.Uint32())
	}
	f64 := func() any {
		if r.IntN(3) > 0 {
			return small()
		}
		return fmt.Sprintf("0x%016x", r.Uint64())
	}
	samples := make([]any, 1+r.IntN(4))
	for i := range samples {
		samples[i] = small()
	}
	fields := map[string]any{
		"position": []any{float32(small()), float32(small()), float32(small())}, "turn": []any{f32(), f32(), f32(), f32()},
		"half": f32(), "full": small(), "whole": r.Int64() >> r.IntN(64), "samples": samples, "sway": formula(r, 4),
	}
	if r.IntN(4) == 0 {
		fields["full"] = f64()
	}
	line, err := json.Marshal(map[string]any{"entity": map[string]any{"id": id, "type": "Curve", "revision": 1, "fields": fields}})
	if err != nil {
		panic(err)
	}
	return string(line)
}

// formula is the source of a value of kind expr, most of it constants.
func formula(r *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{"t", "x", "pi", "0.1", "7", "1e-3", "123456.7", fmt.Sprint(float32(r.NormFloat64()))}[2*r.IntN(2)*r.IntN(2)+r.IntN(6)]
	}
	a, b := formula(r, depth-1), formula(r, depth-1)
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf("%s(%s)", functions1[r.IntN(len(functions1))], a)
	case 1:
		return fmt.Sprintf("%s(%s, %s)", functions2[r.IntN(len(functions2))], a, b)
	case 2:
		return fmt.Sprintf("(%s * %s + %s)", a, b, formula(r, depth-1))
	}
	return fmt.Sprintf("(%s %s %s)", a, []string{"+", "-", "*", "/"}[r.IntN(4)], b)
}

// Two changed one world: floats of one vector on either side, parents and what is mounted on
// them.
func (p *pair) merge(t *testing.T) {
	p = p.on(t, "merge")
	p.own.run("demo", "--entities", "400", "made")
	p.share("made", "ours")
	p.share("made", "theirs")
	p.in("ours").both("pack", "-o", "../base.pack")
	p.in("ours").any("set", "--where", `has("position") && id % 3 != 0`, "position = position * 1.001 + [0.1, sin(id), 0]")
	p.in("ours").both("pack", "-o", "../ours.pack")
	p.in("theirs").any("set", "--where", `has("position") && id % 2 == 0 && id % 5 != 0`, "position.z = position.z / 3 + exp(1 / 3)", `entity_name = "of theirs"`)
	p.in("theirs").both("pack", "-o", "../theirs.pack")
	for _, prefer := range []string{"ours", "theirs"} {
		p.any("merge", "base.pack", "ours.pack", "theirs.pack", "-o", prefer+".merged.pack", "--prefer", prefer)
	}
	p.any("merge", "base.pack", "ours.pack", "theirs.pack", "-o", "merged.pack", "--json")
	p.both("diff", "base.pack", "ours.merged.pack", "--table")
	p.same("base.pack", "ours.pack", "theirs.pack", "ours.merged.pack", "theirs.merged.pack", "merged.pack")
}

// Nothing that is compiled for arm64 rounds a product and a sum as one, but what says so: a
// calculation that no test here makes is the same as well.
func TestNothingIsFused(t *testing.T) {
	program := filepath.Join(t.TempDir(), "worldfs")
	build(t, "arm64", program)
	fused := slices.DeleteFunc(fusedIn(t, program), func(function string) bool {
		return strings.HasPrefix(function, "internal/support/portable.") // of which a test compares the bits
	})
	require.Equal(t, []string{"textcodec.millionths64"}, fused, "convert the product: float64(x*y) + z")
}

// uneven are the functions of package math that do not give the same bits everywhere.
var uneven = regexp.MustCompile(`\bmath\.(A?(Sin|Cos|Tan)h?|Sincos|Atan2|Exp2?|Expm1|Log(2|10|1p|b)?|Pow|Hypot|Cbrt|Erfc?|L?Gamma)\b`)

// What calculates takes them from internal/support/portable.
func TestNothingCalculatesByPackageMath(t *testing.T) {
	for _, part := range []string{"cache", "cmd", "entity", "fsnode", "interchange", "internal", "merge", "packfile", "textcodec"} {
		require.NoError(t, filepath.WalkDir("../../"+part, func(path string, d fs.DirEntry, err error) error {
			dir := filepath.ToSlash(filepath.Dir(path))
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
				dir == "../../internal/support/portable" || strings.HasPrefix(dir, "../../internal/dev/") {
				return err
			}
			source, err := os.ReadFile(path)
			require.Empty(t, uneven.FindString(string(source)), "%s: package portable has it", path)
			return err
		}))
	}
}
