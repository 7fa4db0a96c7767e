package textcodec_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// variant rewrites a canonical text into one that says the same.
type variant struct {
	name    string
	rewrite func(t *rapid.T, text string) string
}

func eachLine(text string, rewrite func(line string) string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = rewrite(strings.TrimSuffix(line, "\n"))
	}
	return strings.Join(lines, "\n") + "\n"
}

var variants = []variant{
	{"line ends of DOS", func(_ *rapid.T, s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"byte order mark", func(_ *rapid.T, s string) string { return "\ufeff" + s }},
	{"blank lines", func(_ *rapid.T, s string) string { return "\n" + strings.ReplaceAll(s, "\n", "\n \t\n") }},
	{"white space at the end", func(t *rapid.T, s string) string {
		return eachLine(s, func(l string) string { return l + rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "space") })
	}},
	{"indented by two", func(_ *rapid.T, s string) string {
		return eachLine(s, func(l string) string {
			text := strings.TrimLeft(l, " ")
			return strings.Repeat(" ", (len(l)-len(text))/2) + text
		})
	}},
	{"indented by tabs", func(_ *rapid.T, s string) string {
		return eachLine(s, func(l string) string {
			text := strings.TrimLeft(l, " ")
			return strings.Repeat("\t", (len(l)-len(text))/4) + text
		})
	}},
	{"bits in capital letters", func(_ *rapid.T, s string) string {
		return eachLine(s, func(l string) string {
			left, right, ok := strings.Cut(l, " : ")
			if ok && !strings.ContainsAny(l, `";=`) { // no text, no name of a field, no expression
				return left + ":0x" + strings.ToUpper(right)
			}
			return l
		})
	}},
	{"shuffled", func(t *rapid.T, s string) string {
		parts := strings.Split(s, "\n; ")
		fields := parts[1:]
		if len(fields) == 0 {
			return s
		}
		fields[len(fields)-1] = strings.TrimSuffix(fields[len(fields)-1], "\n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		return strings.Join(parts, "\n; ") + "\n"
	}},
}

func TestToleratedTextsReadAsTheSameEntity(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				e, types := generated(t)
				e.Unknown = nil
				text := v.rewrite(t, string(textcodec.Append(nil, e)))
				r, err := textcodec.Decode([]byte(text), e.ID, types)
				require.NoError(t, err, "%q", text)
				require.True(t, e.Equal(r.Entity), "%q", text)
				for _, f := range r.Findings {
					require.Equal(t, entity.CodeRevisionNewer, f.Code)
				}
				stable(t, []byte(text), r, types)
			})
		})
	}
}

// TestNoEditPassesForCanonical puts small edits to canonical texts, which the
// strict way must all notice.
func TestNoEditPassesForCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, types := generated(t)
		text := textcodec.Append(nil, e)
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		with := rapid.SampledFrom([]string{"", "0", "1", " ", "    ", "\n", "\"", "\"\"", "-", "+", "\\", "\\n\"\n        \"", "null", "[", "]\n", "A", "\t", "\r"}).Draw(t, "with")
		skip := rapid.IntRange(0, 2).Draw(t, "skip")
		edited := slices.Concat(text[:at], []byte(with), text[min(len(text), at+skip):])
		r, err := textcodec.Decode(edited, e.ID, types)
		if err != nil {
			return
		}
		stable(t, edited, r, types)
	})
}

// found are the codes, lines and fields of findings.
type found struct {
	code  string
	line  int
	field string
}

func TestFindings(t *testing.T) {
	types := entity.NewTypes(every())
	path := "; needed path\n    [\n    ]\n"
	guid := entity.NewGUID(entity.GUID{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0x00})
	for _, c := range []struct {
		text  string
		found []found
		field string
		want  entity.Value
	}{
		{"Every\n9\n1\n; needed\n5\n" + path, nil, "needed", entity.NewUint(entity.KindU8, 5)},
		{"Every\n9\n1\n" + path, []found{{entity.CodeFieldMissing, 0, "needed"}}, "needed", entity.NewUint(entity.KindU8, 0)},
		{head + "; needed\n6\n", []found{{entity.CodeFieldTwice, 9, "needed"}}, "needed", entity.NewUint(entity.KindU8, 6)},
		{strings.Replace(head, "\n1\n", "\n2\n", 1), []found{{entity.CodeIDDiffers, 3, ""}}, "needed", entity.NewUint(entity.KindU8, 5)},
		{strings.Replace(head, "\n9\n", "\n10\n", 1), []found{{entity.CodeRevisionNewer, 2, ""}}, "needed", entity.NewUint(entity.KindU8, 5)},
		{head + "; set\n[\n\"b\"\n\"a\"\n\"b\"\n]\n", []found{{entity.CodeSetUnordered, 10, "set"}}, "set", list(entity.KindSet, str("a"), str("b"))},
		{head + "; f32\n2.5 : 0\n", []found{{entity.CodeFloatEdited, 10, "f32"}}, "f32", entity.F32Of(2.5)},
		{head + "; f64\n2.5 : 0\n", []found{{entity.CodeFloatEdited, 10, "f64"}}, "f64", f64(2.5)},
		{head + "; mat3x4\n1\n0\n0\n2.5 : 0\n0\n1\n0\n0\n0\n0\n= 2/2\n0\n", []found{{entity.CodeFloatEdited, 13, "mat3x4"}, {entity.CodeComputed, 20, "mat3x4"}}, "mat3x4",
			entity.VecOf(entity.KindMat3x4, 1, 0, 0, 2.5, 0, 1, 0, 0, 0, 0, 1, 0)},
		{head + "; gone\n5\n", []found{{entity.CodeFieldUnknown, 9, "gone"}}, "gone", entity.Value{}},
		{head + "; lid\n1\n", nil, "lid", entity.F32Of(1)},
		{strings.Replace(head, "5", "2", 1) + "; lid\n1\n", []found{{entity.CodeFieldNotSaved, 9, "lid"}}, "lid", entity.Value{}},
		{strings.Replace(head, "5", "2", 1) + "; hinge\n[\n]\n; lid\n1\n", []found{{entity.CodeFieldNotSaved, 9, "hinge"}, {entity.CodeFieldNotSaved, 12, "lid"}}, "hinge", entity.Value{}},
		{head + "; keyed_array\n[\n{\n; label\n\"a\"\n; at\n1\n2\n}\n{\n; label\n\"a\"\n; at\n1\n2\n}\n]\n", []found{{entity.CodeKeyTwice, 10, "keyed_array"}}, "needed", entity.NewUint(entity.KindU8, 5)},
		{head + "; struct\n{\n; label\n\"a\"\n; label\n\"b\"\n}\n", []found{{entity.CodeFieldMissing, 10, "struct.at"}, {entity.CodeFieldTwice, 13, "struct.label"}}, "struct", point("b", entity.VecOf(entity.KindVec2, 0, 0))},
		{head + "; i8\n; i16\n+7\n", nil, "i16", entity.NewInt(entity.KindI16, 7)},
		{head + "; i8\nnull\n", nil, "i8", entity.Value{}},
		{head + "; \"u8\"\n007\n", nil, "u8", entity.NewUint(entity.KindU8, 7)},
		{head + "; enum\n1\n", nil, "enum", entity.NewInt(entity.KindEnum, 1)},
		{head + "; enum\n\"half open\"\n", nil, "enum", entity.NewInt(entity.KindEnum, 1)},
		{head + "; flags\n[\n#3\nlit\nlit\n]\n", nil, "flags", entity.NewUint(entity.KindFlags, 9)},
		{head + "; guid\n123E4567-E89B-12D3-A456-426614174000\n", nil, "guid", guid},
		{head + "; expr\n=sin( t )\t\n", nil, "expr", entity.NewExpr("sin( t )")},
		{head + "; expr\n0.5\n", nil, "expr", entity.NewExpr("0.5")},
		{head + "; expr\n=\n", nil, "expr", entity.NewExpr("")},
		{head + "; expr\n= sin(\n", nil, "expr", entity.NewExpr("sin(")},
		{head + "; blob\n\"d29y\"\n\"bGQ=\"\n", nil, "blob", entity.NewBlob("world")},
		{head + "; string\n\"a\"\n\"b\\x41\\101\\u00e9\"\n", nil, "string", str("abAAé")},
		{head + "; array_of_string\n[\n\"a\"\n  \"b\"\n\"c\"\n]\n", nil, "array_of_string", list(entity.KindArray, str("ab"), str("c"))},
	} {
		r, err := textcodec.Decode([]byte(c.text), 1, types)
		require.NoError(t, err, c.text)
		require.False(t, r.Canonical && len(c.found) > 1, c.text)
		var got []found
		for _, f := range r.Findings {
			require.Equal(t, entity.ID(1), f.ID)
			require.Equal(t, "Every", f.Type)
			require.Equal(t, entity.Blocks(f.Code), f.Blocks)
			require.NotEmpty(t, f.Message)
			got = append(got, found{f.Code, f.Line, f.Field})
		}
		require.Equal(t, c.found, got, c.text)
		require.True(t, c.want.Equal(r.Entity.Value(c.field)), c.text)
		stable(t, []byte(c.text), r, types)
	}
}

func TestUnknownFieldsKeepTheirLines(t *testing.T) {
	lines := "  [\n{\n; needed\n\"]\\\"\" \n}\n\t[\n ] \n]\n  odd : text"
	text := strings.Replace(head, "; needed\n", "; what\n"+lines+"\n; empty\n; needed\n", 1)
	types := entity.NewTypes(every())
	r, err := textcodec.Decode([]byte(text), 1, types)
	require.NoError(t, err)
	require.Equal(t, []entity.Raw{{Name: "what", Lines: lines}, {Name: "empty"}}, r.Entity.Unknown)
	require.Equal(t, head+"; what\n"+lines+"\n; empty\n", string(textcodec.Append(nil, r.Entity)))
	stable(t, []byte(text), r, types)
}

func TestLinesBeforeAnyFieldOfAnUnknownType(t *testing.T) {
	text := "Odd\n1\n5\nx\n; a\n    1\n"
	r, err := textcodec.Decode([]byte(text), 5, nil)
	require.NoError(t, err)
	require.True(t, r.Canonical)
	require.Equal(t, []entity.Raw{{Lines: "x"}, {Name: "a", Lines: "    1"}}, r.Entity.Unknown)
}

func TestNothingOfTheTextIsKept(t *testing.T) {
	types := entity.NewTypes(every())
	for _, e := range everyEntities() {
		text := textcodec.Append(nil, e)
		for _, text := range [][]byte{text, append([]byte("\n"), text...)} {
			r, err := textcodec.Decode(text, e.ID, types)
			require.NoError(t, err)
			clear(text)
			_, err = textcodec.Decode([]byte(published), 6555, entity.NewTypes(door()))
			require.NoError(t, err)
			require.True(t, e.Equal(r.Entity))
		}
	}
}
