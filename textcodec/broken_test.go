package textcodec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

const head = "Every\n9\n1\n; needed\n    5\n; needed path\n    [\n    ]\n"

// wrong is what is wrong with a text.
type wrong struct {
	line   int
	field  string
	reason string
	is     error
}

var broken = map[string]wrong{
	"":                             {1, "", "empty", textcodec.ErrEmpty},
	"\ufeff \r\n\n":                {1, "", "empty", textcodec.ErrEmpty},
	"Every":                        {1, "", "no end", textcodec.ErrTruncated},
	"Every\n":                      {1, "", "no line with the revision", textcodec.ErrTruncated},
	"Every\n9\n":                   {2, "", "no line with the entity's ID", textcodec.ErrTruncated},
	"Every\n9\n1\n; needed\n":      {4, "needed", "no value", textcodec.ErrTruncated},
	"Every\n9\n1\n; needed\n    5": {5, "", "no end", textcodec.ErrTruncated},
	"Every\nnine\n1\n":             {2, "", "the revision", nil},
	"Every\n-1\n1\n":               {2, "", "the revision", nil},
	"Every\n4294967296\n1\n":       {2, "", "the revision", nil},
	"Every\n9\n0\n":                {3, "", "the ID", nil},
	"Every\n9\n01\n":               {3, "", "the ID", nil},
	"Every\n9\n4294967296\n":       {3, "", "the ID", nil},
	"Every\n9\n; needed\n":         {3, "", "the ID", nil},
	"\"Every\n9\n1\n":              {1, "", "quote", nil},
	"\"a\\nb\"\n9\n1\n":            {1, "", "line break", nil},
	"Every\n9\n1\n5\n":             {4, "", "name", nil},
	head + "    ;\n":               {9, "", "no name", nil},
	head + "; \"x\n":               {9, "", "quote", nil},
	head + "; u8\n256\n":           {10, "u8", "fits u8", nil},
	head + "; u8\n5\n6\n":          {11, "u8", "ends before", nil},
	head + "; u8\nfive\n":          {10, "u8", "five is not", nil},
	head + "; u8\n" + strings.Repeat("0", 100) + "1\n":     {10, "u8", "is not", nil},
	head + "; i8\n-129\n":                                  {10, "i8", "fits i8", nil},
	head + "; bool\nyes\n":                                 {10, "bool", "true or false", nil},
	head + "; needed\n; u8\n5\n":                           {10, "needed", "no value", nil},
	head + "; needed\nnull\n":                              {10, "needed", "not optional", nil},
	head + "; f32\nabc\n":                                  {10, "f32", "no decimal", nil},
	head + "; f32\n: 0\n":                                  {10, "f32", "no decimal", nil},
	head + "; f32\n1.0 :\n":                                {10, "f32", "hex", nil},
	head + "; f32\n1.0 : 3f8000000\n":                      {10, "f32", "hex", nil},
	head + "; f32\n1e39\n":                                 {10, "f32", "range of f32", nil},
	head + "; f32\n1e\n":                                   {10, "f32", "no decimal", nil},
	head + "; f32\n0x1p4\n":                                {10, "f32", "no decimal", nil},
	head + "; f32\n" + strings.Repeat("1", 5000) + "\n":    {10, "f32", "no decimal", nil},
	head + "; f64\n1e309 : 0\n":                            {10, "f64", "range of f64", nil},
	head + "; vec3\n1\n2\n":                                {11, "vec3", "component 3", textcodec.ErrTruncated},
	head + "; vec3\n1\n2\n; u8\n5\n":                       {12, "vec3", "component 3", nil},
	head + "; string\nabc\n":                               {10, "string", "text in quotes", nil},
	head + "; string\n\"abc\n":                             {10, "string", "no end", textcodec.ErrTruncated},
	head + "; string\n\"abc\n\"d\"\n":                      {10, "string", "no closing quote", nil},
	head + "; string\n\"abc\" d\n":                         {10, "string", "more on the line", nil},
	head + "; string\n\"\\q\"\n":                           {10, "string", "no escape", nil},
	head + "; string\n\"\\ud800\"\n":                       {10, "string", "no escape", nil},
	head + "; string\n\"\\xff\"\n":                         {10, "string", "UTF-8", nil},
	head + "; blob\n\"AAA\"\n":                             {10, "blob", "base64", nil},
	head + "; expr\n\"t\"\n":                               {10, "expr", "an equals sign", nil},
	head + "; expr\n= a\x01b\n":                            {10, "expr", "control character", nil},
	head + "; guid\n123e4567-e89b-12d3-a456-42661417400\n": {10, "guid", "a guid", nil},
	head + "; enum\nopened\n":                              {10, "enum", "closed, half open", nil},
	head + "; enum\n2147483648\n":                          {10, "enum", "none of", nil},
	head + "; flags\n[\ndark\n]\n":                         {11, "flags", "no flag", nil},
	head + "; flags\n[\n#64\n]\n":                          {11, "flags", "no flag", nil},
	head + "; \" odd\\t\"\n[\n#32\n]\n":                    {11, " odd\t", "no flag", nil},
	head + "; flags\nlit\n":                                {10, "flags", "a list", nil},
	head + "; set\n[\n\"a\"\n":                             {11, "set", "bracket of line 10", textcodec.ErrTruncated},
	head + "; set\n[\n\"a\n":                               {11, "set", "no end", textcodec.ErrTruncated},
	head + "; array\n[ ]\n":                                {10, "array", "a list", nil},
	head + "; struct\n{\n; label\n\"a\"\n":                 {12, "struct", "not closed", textcodec.ErrTruncated},
	head + "; struct\n{\n; lable\n\"a\"\n}\n":              {11, "struct", "no member lable", nil},
	head + "; struct\n{\n; wait\nx\n}\n":                   {12, "struct.wait", "no decimal", nil},
	head + "; struct\n{\n5\n}\n":                           {11, "struct", "member's name", nil},
	head + "; what\n[\n{\n; x\n]\n":                        {13, "what", "closes none", nil},
	head + "; what\n[\n[\n]\n":                             {12, "what", "bracket of line 10", textcodec.ErrTruncated},
	head + "; what\n\"x\n":                                 {10, "what", "no end", textcodec.ErrTruncated},
	head + "; what\n]\n":                                   {10, "what", "closes none", nil},
	head + "; what\nx\xff\n":                               {10, "", "UTF-8", nil},
	head + "; what\nx\x00\n":                               {10, "", "zero byte", nil},
	head + "<<<<<<< a\n; u8\n5\n=======\n":                 {9, "", "no end", nil},
	head + "=======\n":                                     {9, "", "where none can", nil},
	head + ">>>>>>> b\n":                                   {9, "", "where none can", nil},
	head + "<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>>\n":      {10, "", "where none can", nil},
	head + "<<<<<<< a\n=======\n||||||| o\n>>>>>>> b\n":    {11, "", "where none can", nil},
}

func TestABrokenTextGivesItsPlace(t *testing.T) {
	types := entity.NewTypes(every())
	for text, want := range broken {
		_, err := textcodec.Decode([]byte(text), 1, types)
		var got *textcodec.Error
		require.ErrorAs(t, err, &got, text)
		require.Equal(t, want.line, got.Line, "%q: %v", text, err)
		require.Equal(t, want.field, got.Field, "%q: %v", text, err)
		require.Contains(t, got.Reason, want.reason, "%q", text)
		for _, mark := range []error{textcodec.ErrEmpty, textcodec.ErrTruncated} {
			require.Equal(t, want.is == mark, errors.Is(err, mark), "%q: %v", text, err)
		}
	}
}

func TestAnErrorReadsWell(t *testing.T) {
	_, err := textcodec.Decode([]byte(head+"; u8\nfive\n"), 1, entity.NewTypes(every()))
	require.EqualError(t, err, "line 10, field u8: five is not a whole number that fits u8")
}

func TestNoCutTextReadsAsTheWhole(t *testing.T) {
	types := entity.NewTypes(every())
	for _, e := range everyEntities() {
		text := textcodec.Append(nil, e)
		for n := range len(text) {
			r, err := textcodec.Decode(text[:n], e.ID, types)
			if err == nil {
				require.False(t, e.Equal(r.Entity) && len(r.Findings) == 0, "cut at %d", n)
			}
		}
	}
}

func TestDeepNestingIsNoDanger(t *testing.T) {
	const deep = 1 << 18
	text := head + "; what\n" + strings.Repeat("[\n", deep) + strings.Repeat("]\n", deep)
	r, err := textcodec.Decode([]byte(text), 1, entity.NewTypes(every()))
	require.NoError(t, err)
	require.Len(t, r.Entity.Unknown, 1)
	_, err = textcodec.Decode([]byte(text[:len(text)-2]), 1, entity.NewTypes(every()))
	require.ErrorIs(t, err, textcodec.ErrTruncated)
}

func TestALongLineIsALine(t *testing.T) {
	long := strings.Repeat("x", 1<<22)
	types := entity.NewTypes(every())
	for field, line := range map[string]string{
		"u8": long, "f32": strings.Repeat("1", 1<<22), "guid": long, "flags": long, "enum": long, "string": `"` + long,
	} {
		_, err := textcodec.Decode([]byte(head+"; "+field+"\n"+line+"\n"), 1, types)
		require.Error(t, err, field)
		require.Less(t, len(err.Error()), 500)
	}
	r, err := textcodec.Decode([]byte(head+"; string\n\""+long+"\"\n; what\n"+long+"\n"), 1, types)
	require.NoError(t, err)
	require.Equal(t, long, r.Entity.Value("string").Text())
	_, _, _, err = textcodec.Header([]byte("Every\n" + long + "\n1\n"))
	require.Error(t, err)
}

func TestFindingsAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString(head)
	for i := range 1000 {
		text.WriteString("; x" + strings.Repeat("y", i) + "\n")
	}
	r, err := textcodec.Decode([]byte(text.String()), 1, entity.NewTypes(every()))
	require.NoError(t, err)
	require.Len(t, r.Findings, 100)
	require.Len(t, r.Entity.Unknown, 1000)
}
