package editors

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// class is what a part of a line is.
type class struct{ vim, scope string }

var (
	aType      = class{"Type", "entity.name.type"}
	aRevision  = class{"Revision", "constant.numeric.revision"}
	anID       = class{"ID", "constant.numeric.id"}
	aMark      = class{"Mark", "punctuation.definition.field"}
	aField     = class{"Name", "support.type.property-name"}
	aWord      = class{"Word", "constant.other"}
	aConstant  = class{"Constant", "constant.language"}
	anInteger  = class{"Integer", "constant.numeric.integer"}
	aBit       = class{"Bit", "constant.numeric.bit"}
	aGUID      = class{"Guid", "constant.other.guid"}
	aBracket   = class{"Bracket", "punctuation.section"}
	aFloat     = class{"Float", "constant.numeric.float"}
	aColon     = class{"Colon", "punctuation.separator.bits"}
	theBits    = class{"Bits", "constant.numeric.bits"}
	aString    = class{"String", "string.quoted.double"}
	anEscape   = class{"Escape", "constant.character.escape"}
	aBadString = class{"BadString", "invalid.illegal.string"}
	aBadEscape = class{"BadEscape", "invalid.illegal.escape"}
	aConflict  = class{"Conflict", "invalid.illegal.conflict-marker"}
	anOperator = class{"Operator", "keyword.operator.assignment"}
	aFunction  = class{"Function", "entity.name.function"}
	aNumber    = class{"Number", "constant.numeric"}
)

// token is a part of a line that is of one class, by bytes.
type token struct {
	from, to int
	class    class
}

// line is a line of a text and what is in it. Of one that is not known nothing is checked.
type line struct {
	text    string
	tokens  []token
	unknown bool
}

// sample is a text that editors show.
type sample struct {
	name  string
	lines []line
}

// annotator says of the lines of a text what they are, from the entity and not from the
// text: the grammars' patterns are no part of it.
type annotator struct {
	t     *testing.T
	texts []string
	lines []line
}

// annotated returns the text of an entity.
func annotated(t *testing.T, name string, e *entity.Entity) sample {
	a := &annotator{t: t, texts: strings.Split(strings.TrimSuffix(string(textcodec.Append(nil, e)), "\n"), "\n")}
	a.whole(aType)
	a.whole(aRevision)
	a.whole(anID)
	a.fields(e.Layout.Fields, e.Values)
	for range a.texts { // fields that are unknown
		a.add(line{text: a.texts[0], unknown: true})
	}
	return sample{name, a.lines}
}

func (a *annotator) add(l line) {
	a.lines, a.texts = append(a.lines, l), a.texts[1:]
}

// next returns the next line, and where what is not indentation begins in it.
func (a *annotator) next() (text string, at int) {
	require.NotEmpty(a.t, a.texts, "the text has more than the entity")
	text = a.texts[0]
	return text, len(text) - len(strings.TrimLeft(text, " "))
}

// whole takes a line that is of one class.
func (a *annotator) whole(c class) {
	text, at := a.next()
	a.add(line{text, []token{{at, len(text), c}}, false})
}

func (a *annotator) fields(fields []*entity.Field, values []entity.Value) {
	for i, f := range fields {
		if values[i].IsNull() {
			continue
		}
		text, at := a.next()
		a.add(line{text, []token{{at, at + 1, aMark}, {at + 2, len(text), aField}}, false})
		a.value(&f.Shape, values[i])
	}
}

func (a *annotator) value(s *entity.Shape, v entity.Value) {
	switch k := v.Kind(); {
	case k.Components() > 0:
		for range k.Components() {
			a.float()
		}
	case k == entity.KindF64:
		a.float()
	case k == entity.KindString:
		for range max(1, strings.Count(strings.TrimSuffix(v.Text(), "\n"), "\n")+1) {
			a.quoted()
		}
	case k == entity.KindBlob:
		const piece = 57
		for range max(1, (len(v.Text())+piece-1)/piece) {
			a.quoted()
		}
	case k == entity.KindFlags:
		a.whole(aBracket)
		for bit := range 64 {
			if v.Uint()>>bit&1 != 0 {
				a.name(s, int64(bit), aBit)
			}
		}
		a.whole(aBracket)
	case k.IsList():
		a.whole(aBracket)
		for _, item := range v.Items() {
			a.value(s.Of, item)
		}
		a.whole(aBracket)
	case k == entity.KindStruct:
		a.whole(aBracket)
		a.fields(s.Fields, v.Items())
		a.whole(aBracket)
	case k == entity.KindEnum:
		a.name(s, v.Int(), anInteger)
	case k == entity.KindBool || k == entity.KindNull:
		a.whole(aConstant)
	case k == entity.KindGUID:
		a.whole(aGUID)
	case k == entity.KindExpr: // what comes behind the sign may be anything
		text, at := a.next()
		a.add(line{text, []token{{at, at + 1, anOperator}}, false})
	default:
		a.whole(anInteger)
	}
}

func (a *annotator) float() {
	text, at := a.next()
	colon := strings.IndexByte(text, ':')
	a.add(line{text, []token{{at, colon - 1, aFloat}, {colon, colon + 1, aColon}, {colon + 2, len(text), theBits}}, false})
}

func (a *annotator) quoted() {
	text, at := a.next()
	a.add(line{text, quotedTokens(text, at), false})
}

// quotedTokens returns the pieces of a line that is between quotes.
func quotedTokens(text string, at int) (tokens []token) {
	for i := at; i < len(text); {
		n, c := strings.IndexByte(text[i:]+`\`, '\\'), aString
		if n == 0 {
			n, c = map[byte]int{'x': 4, 'u': 6, 'U': 10}[text[i+1]], anEscape
			n = max(n, 2)
		}
		tokens = append(tokens, token{i, i + n, c})
		i += n
	}
	return tokens
}

// alike are names that cannot be told from another token: an enum may have a value called 7
// or true.
var alike = regexp.MustCompile(`^(?i:[-+]?[\d.]|[-+]?(nan|inf)|true$|false$|null$|[][{}]$|=|#\d|;|[\da-f]{8}-)`)

// name takes a line with the name of a value, or its number where it has none.
func (a *annotator) name(s *entity.Shape, number int64, nameless class) {
	name, ok := s.NameOf(number)
	text, at := a.next()
	switch {
	case !ok:
		a.whole(nameless)
	case strings.HasPrefix(text[at:], `"`):
		a.quoted()
	default:
		l := line{text, []token{{at, len(text), aWord}}, alike.MatchString(name)}
		a.add(l)
	}
}

// by returns a sample of lines whose tokens are named: each a class and its text, in order.
func by(t *testing.T, name string, lines ...any) sample {
	s := sample{name: name}
	for _, part := range lines {
		if text, ok := part.(string); ok {
			s.lines = append(s.lines, line{text: text})
			continue
		}
		p := part.(is)
		last := &s.lines[len(s.lines)-1]
		from := 0
		if n := len(last.tokens); n > 0 {
			from = last.tokens[n-1].to
		}
		i := strings.Index(last.text[from:], p.text)
		require.GreaterOrEqual(t, i, 0, fmt.Sprintf("%q in %q", p.text, last.text))
		last.tokens = append(last.tokens, token{from + i, from + i + len(p.text), p.class})
	}
	return s
}

// is says what a part of the line before is.
type is struct {
	text  string
	class class
}
