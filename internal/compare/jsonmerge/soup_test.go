package jsonmerge

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// soup writes documents with anything in their gaps.
type soup struct {
	strings.Builder
	t     *rapid.T
	sjson bool
}

func (s *soup) pick(label string, of ...string) {
	s.WriteString(rapid.SampledFrom(of).Draw(s.t, label))
}

func (s *soup) gap() {
	for range rapid.IntRange(0, 3).Draw(s.t, "gap") {
		s.pick("space", " ", "\n", "\n\n", "\r\n", "\t", "/*x*/", "/*y\n y*/", "//z\n", "//,\r\n", " ")
	}
}

func (s *soup) document() []byte {
	s.gap()
	if s.sjson && rapid.Bool().Draw(s.t, "bare") {
		s.members(2)
	} else if s.sjson {
		s.object(2)
	} else {
		s.value(2)
	}
	s.gap()
	return []byte(s.String())
}

func (s *soup) value(depth int) {
	kind := rapid.IntRange(0, 4).Draw(s.t, "kind")
	switch {
	case depth > 0 && kind == 0:
		s.object(depth)
	case depth > 0 && kind == 1:
		s.WriteString("[")
		s.list(rapid.IntRange(0, 4).Draw(s.t, "elements"), func(int) { s.value(depth - 1) })
		s.WriteString("]")
	case s.sjson:
		s.pick("scalar", "1", "2.0", `"a"`, "true", "word", `"""r"""`, "[=[l]=]", "+1", ".5")
	default:
		s.pick("scalar", "1", "2.0", `"a"`, "true", "null", `"//"`)
	}
}

func (s *soup) object(depth int) {
	s.WriteString("{")
	s.members(depth)
	s.WriteString("}")
}

func (s *soup) members(depth int) {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"id", "b", "c", "d"}), 0, 4, rapid.ID).Draw(s.t, "names")
	s.list(len(names), func(i int) {
		if s.sjson && rapid.Bool().Draw(s.t, "word") {
			s.WriteString(names[i])
		} else {
			s.WriteString(`"` + names[i] + `"`)
		}
		s.gap()
		if s.sjson {
			s.pick("colon", "=", ":")
		} else {
			s.WriteString(":")
		}
		s.gap()
		s.value(depth - 1)
	})
}

func (s *soup) list(n int, item func(i int)) {
	for i := range n {
		s.gap()
		item(i)
		s.gap()
		if comma := rapid.Bool().Draw(s.t, "comma"); comma || i < n-1 && !s.sjson {
			s.WriteString(",")
		} else {
			s.WriteString(" ")
		}
	}
	s.gap()
}

// TestLawsWithAnythingInGaps has documents that are laid out as no program would.
func TestLawsWithAnythingInGaps(t *testing.T) {
	for _, dialect := range []Dialect{JSON, SJSON} {
		t.Run(fmt.Sprint(dialect), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				draw := func() []byte { return (&soup{t: t, sjson: dialect == SJSON}).document() }
				base, ours, theirs := draw(), draw(), draw()
				o := drawOptions(t)
				o.Dialect = dialect
				if rapid.Bool().Draw(t, "rules") {
					o.Rules = drawRules(t)
				}
				requireLaws(t, base, ours, theirs, o)
			})
		})
	}
}
