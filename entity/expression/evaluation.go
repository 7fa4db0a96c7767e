package expression

import (
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// Entities are where the refs of expressions lead.
type Entities interface {
	Get(id entity.ID) (*entity.Entity, bool)
}

// evaluation is one run of an expression.
type evaluation struct {
	entity    *entity.Entity
	entities  Entities // nil where refs are not followed
	steps     int      // how many it may still take
	depth     int      // of the list in a list that is looked at
	nonFinite bool     // it made an infinity or NaN of finite numbers
}

// maxSteps bounds how long an evaluation takes, and how much memory. Each round
// of a loop is a step, and each element that is looked at, and a number of bytes
// that are read or made.
const (
	maxSteps  = 1 << 20
	bytesRead = 1024
	bytesMade = 64
)

// ErrTooLong is what an evaluation ends with that takes too long.
var ErrTooLong = errors.New("it takes too many steps")

var errTooDeep = errors.New("its lists are nested too deeply")

// spend takes n steps.
func (v *evaluation) spend(n int) error {
	if v.steps -= n; v.steps < 0 {
		return ErrTooLong
	}
	return nil
}

// maxDepth bounds lists in lists, which are looked at by functions that call
// themselves.
const maxDepth = 1000

// descend notes that a list in a list is looked at.
func (v *evaluation) descend() error {
	if v.depth++; v.depth > maxDepth {
		return errTooDeep
	}
	return v.spend(1)
}

func (v *evaluation) ascend() { v.depth-- }

// weigh spends as many steps as a value has parts, down to the last.
func (v *evaluation) weigh(x any) error {
	switch p := x.(type) {
	case string:
		return v.spend(len(p) / bytesMade)
	case map[string]any:
		return v.weighAll(maps.Values(p))
	}
	if items, ok := listOf(x); ok {
		return v.weighAll(slices.Values(items))
	}
	return v.spend(1)
}

func (v *evaluation) weighAll(parts iter.Seq[any]) error {
	if err := v.descend(); err != nil {
		return err
	}
	defer v.ascend()
	for p := range parts {
		if err := v.weigh(p); err != nil {
			return err
		}
	}
	return nil
}

// computed returns f, and notes whether it is no number although it was made of
// numbers that are.
func (v *evaluation) computed(f float64, of ...float64) float64 {
	if isFinite(f) {
		return f
	}
	for _, o := range of {
		if !isFinite(o) {
			return f
		}
	}
	v.nonFinite = true
	return f
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// evaluationName is by what name an expression's program finds the evaluation:
// none that its source could have.
const evaluationName = "\x00evaluation"

// environment returns what an expression sees of the entity by these names.
func (v *evaluation) environment(names []string) map[string]any {
	env := make(map[string]any, len(names)+1)
	for _, name := range names {
		env[name] = read(v.entity, name)
	}
	return env
}

// namesOf returns all names by which expressions may read an entity.
func namesOf(l *entity.Layout) []string {
	names := []string{"id", "type", "revision", "pi"}
	for _, f := range l.Fields {
		head, _, _ := strings.Cut(f.Name, ".")
		names = append(names, head)
	}
	return names
}

// read returns what stands for a name in an expression: nil where there is
// nothing.
func read(e *entity.Entity, name string) any {
	switch name {
	case "id":
		return int(e.ID)
	case "type":
		return e.Type()
	case "revision":
		return int(e.Revision())
	}
	if parts := e.Layout.Parts(name); parts != nil {
		return nested(e, name, parts)
	}
	if name == "pi" && e.Layout.Index(name) < 0 {
		return math.Pi
	}
	return Plain(e, name)
}

// nested returns the fields whose names begin with one name and a dot as
// members of that.
func nested(e *entity.Entity, name string, fields []int) any {
	all := make(map[string]any)
	for _, i := range fields {
		f := e.Layout.Fields[i]
		nest(all, f.Name, plainValue(&f.Shape, e.Values[i]))
	}
	return all[name]
}

// nest puts v at a dotted path, unless another field already stands in the way.
func nest(all map[string]any, path string, v any) {
	head, rest, dotted := strings.Cut(path, ".")
	if !dotted {
		if _, taken := all[head]; !taken {
			all[head] = v
		}
		return
	}
	inner, ok := all[head].(map[string]any)
	if !ok {
		if _, taken := all[head]; taken {
			return
		}
		inner = make(map[string]any)
		all[head] = inner
	}
	nest(inner, rest, v)
}
