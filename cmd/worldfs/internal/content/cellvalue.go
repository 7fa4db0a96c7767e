package content

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// json returns the cell as the interchange form has its value.
func (c cell) json() json.RawMessage {
	if c.value.IsNull() {
		return json.RawMessage("null")
	}
	return interchange.AppendValue(nil, c.shape, c.value)
}

// text returns the cell for people: strings as they are, lists of single values with commas,
// and what is made of more as the interchange form has it.
func (c cell) text() string {
	s, v := c.shape, c.value
	switch k := v.Kind(); {
	case k == entity.KindNull:
		return ""
	case s == &distanceShape:
		return short(math.Float64frombits(v.F64()))
	case k == entity.KindString:
		return oneLine(v.Text())
	case k == entity.KindEnum:
		return nameText(s, v.Int())
	case k == entity.KindFlags:
		return flagsText(s, v)
	case k.IsList() && !s.Of.Kind.IsList() && s.Of.Kind != entity.KindStruct && s.Of.Kind.Components() <= 1:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = cell{s.Of, item}.text()
		}
		return strings.Join(parts, ", ")
	case k.IsList() || k == entity.KindStruct:
		return oneLine(string(c.json()))
	}
	text := strings.Trim(string(c.json()), `[]"`)
	if v.Kind().Components() > 1 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, `"`, ""), ",", ", ")
	}
	return text
}

// flagsText returns the names of the flags that are set, the numbers of those that have none.
func flagsText(s *entity.Shape, v entity.Value) string {
	var names []string
	for bit := range int64(64) {
		if v.Uint()>>bit&1 != 0 {
			names = append(names, nameText(s, bit))
		}
	}
	return strings.Join(names, ", ")
}

func nameText(s *entity.Shape, number int64) string {
	if name, ok := s.NameOf(number); ok {
		return oneLine(name)
	}
	return strconv.FormatInt(number, 10)
}

// sortKey is a cell as it is compared with others of its column, which may be of other kinds.
type sortKey struct {
	rank   int // of its kind; of two kinds all values of one come first
	number *big.Float
	text   string
	value  entity.Value
}

// The order of kinds: what is nothing comes last, which a NaN and an empty text are for this.
const (
	rankBool = iota
	rankNumber
	rankText
	rankOther
	rankNothing
)

func (c cell) key() sortKey {
	k := sortKey{rank: rankOther, value: c.value}
	switch kind := c.value.Kind(); {
	case kind == entity.KindNull, kind == entity.KindString && c.value.Text() == "":
		k.rank = rankNothing
	case kind == entity.KindBool:
		k.rank = rankBool
	case kind == entity.KindString:
		k.rank, k.text = rankText, strings.ToLower(c.value.Text())
	case kind.IsSigned():
		k.rank, k.number = rankNumber, new(big.Float).SetInt64(c.value.Int())
	case kind.IsUnsigned():
		k.rank, k.number = rankNumber, new(big.Float).SetUint64(c.value.Uint())
	case kind == entity.KindF32:
		return k.float(float64(math.Float32frombits(c.value.F32())))
	case kind == entity.KindF64:
		return k.float(math.Float64frombits(c.value.F64()))
	}
	return k
}

func (k sortKey) float(f float64) sortKey {
	if k.rank = rankNothing; !math.IsNaN(f) {
		k.rank, k.number = rankNumber, new(big.Float).SetFloat64(f)
	}
	return k
}

// compare returns how two cells of a column compare: numbers by what they are, enums by their
// numbers, texts as people count, all others as sets have them.
func (k sortKey) compare(o sortKey) int {
	if k.rank != o.rank {
		return cmp.Compare(k.rank, o.rank)
	}
	switch k.rank {
	case rankNothing:
		return 0
	case rankNumber:
		return k.number.Cmp(o.number)
	case rankText:
		return cmp.Or(compareTexts(k.text, o.text), k.value.Compare(o.value))
	}
	return cmp.Or(cmp.Compare(k.value.Kind(), o.value.Kind()), k.value.Compare(o.value))
}

// compareTexts compares texts as people count: "door 9" comes before "door 10".
func compareTexts(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			if c := compareDigits(a[:x], b[:y]); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns how many digits a text begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
