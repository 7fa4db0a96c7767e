package jsonmerge

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Rules say how the values of some paths merge.
type Rules struct {
	name string
	list []rule
}

// rule says how the values of a path merge.
type rule struct {
	path  string
	line  int // in the file; 0 if it is not known
	match pattern
	way   way
	ids   [][]string // the members that are the ID, each as the path to it
	width int        // of a grid; 0 if it is not known
}

// way is how a value merges.
type way uint8

const (
	asValue   way = iota // as one
	asMembers            // an object, member by member
	asList               // an array, as a sequence
	asSet                // an array whose order means nothing
	asGrid               // an array, place by place
	byID                 // an array of objects, by an ID
)

// ruleTable is a rule as it stands in a file.
type ruleTable struct {
	Path    *string `toml:"path"`
	Value   *bool   `toml:"value"`
	Members *bool   `toml:"members"`
	List    *bool   `toml:"list"`
	Set     *bool   `toml:"set"`
	Grid    any     `toml:"grid"`
	ID      any     `toml:"id"`
}

// maxRules bounds what looking for their values costs.
const maxRules = 1000

// ParseRules reads rules in TOML:
//
//	[[rules]]
//	path = "/layers/*/data"
//	grid = 32
//
// Of the rules that match a path the first counts. name is for errors.
func ParseRules(data []byte, name string) (*Rules, error) {
	var file struct {
		Rules []ruleTable `toml:"rules"`
	}
	d := toml.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, rulesError(name, err)
	}
	if len(file.Rules) > maxRules {
		return nil, fmt.Errorf("%s: there are more than %d rules", name, maxRules)
	}
	out := &Rules{name: name}
	lines := ruleLines(data)
	for i := range file.Rules {
		r := rule{}
		if len(lines) == len(file.Rules) {
			r.line = lines[i]
		}
		if err := r.read(&file.Rules[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", out.place(i, r.line), err)
		}
		if same := slices.IndexFunc(out.list, func(o rule) bool { return o.path == r.path }); same >= 0 {
			return nil, fmt.Errorf("%s: path %q has a rule before, %s", out.place(i, r.line), r.path, out.place(same, out.list[same].line))
		}
		out.list = append(out.list, r)
	}
	return out, nil
}

// place says where a rule stands.
func (r *Rules) place(i, line int) string {
	if line == 0 {
		return fmt.Sprintf("%s: rule %d", r.name, i+1)
	}
	return fmt.Sprintf("%s:%d", r.name, line)
}

// rulesError says what is wrong with a file, and in which line.
func rulesError(name string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		e := unknown.Errors[0]
		line, _ := e.Position()
		has := "a rule has path and one of id, set, list, grid, value and members"
		if e.Key()[0] != "rules" {
			has = "a file of rules has tables [[rules]]"
		}
		return fmt.Errorf("%s:%d: unknown key %q: %s", name, line, strings.Join(e.Key(), "."), has)
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, _ := bad.Position()
		return fmt.Errorf("%s:%d: %s", name, line, strings.TrimPrefix(bad.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// ruleLines returns the lines in which tables of rules begin.
func ruleLines(data []byte) (out []int) {
	p := unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.ArrayTable {
			continue
		}
		if keys := e.Key(); keys.Next() && string(keys.Node().Data) == "rules" && !keys.Next() {
			keys = e.Key()
			keys.Next()
			out = append(out, 1+bytes.Count(data[:keys.Node().Raw.Offset], []byte("\n")))
		}
	}
	return out
}

func (r *rule) read(t *ruleTable) (err error) {
	if t.Path == nil {
		return errors.New(`a rule has a path, such as path = "/layers/*/data"`)
	}
	r.path = *t.Path
	if r.match, err = parsePattern(r.path); err != nil {
		return err
	}
	ways, err := t.ways(r)
	if err != nil {
		return err
	}
	if len(ways) != 1 {
		return fmt.Errorf("the rule for path %q has %d of id, set, list, grid, value and members: it needs one", r.path, len(ways))
	}
	r.way = ways[0]
	return nil
}

// ways returns all that a rule says, and reads what belongs to it.
func (t *ruleTable) ways(r *rule) (out []way, err error) {
	for _, said := range []struct {
		key  string
		said *bool
		way  way
	}{{"value", t.Value, asValue}, {"members", t.Members, asMembers}, {"list", t.List, asList}, {"set", t.Set, asSet}} {
		if said.said == nil {
			continue
		}
		if !*said.said {
			return nil, fmt.Errorf("%s = false says nothing: leave it out, or give another", said.key)
		}
		out = append(out, said.way)
	}
	if t.Grid != nil {
		if r.width, err = gridWidth(t.Grid); err != nil {
			return nil, err
		}
		out = append(out, asGrid)
	}
	if t.ID != nil {
		if r.ids, err = idMembers(t.ID); err != nil {
			return nil, err
		}
		out = append(out, byID)
	}
	return out, nil
}

func gridWidth(v any) (int, error) {
	switch v := v.(type) {
	case bool:
		if v {
			return 0, nil
		}
	case int64:
		if 0 < v && v < 1<<31 {
			return int(v), nil
		}
	}
	return 0, fmt.Errorf("grid = %v: want true, or how many columns there are", v)
}

// idMembers reads the names of the members that are the ID.
func idMembers(v any) (out [][]string, err error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, v := range list {
		name, ok := v.(string)
		switch {
		case !ok || name == "" || name == "/":
			return nil, fmt.Errorf(`id = %v: want a member's name, such as "guid", or the path to it, such as "/meta/guid", or a list of these`, v)
		case name[0] != '/':
			out = append(out, []string{name})
			continue
		}
		var path []string
		for _, step := range strings.Split(name[1:], "/") {
			path = append(path, pointerText.Replace(step))
		}
		out = append(out, path)
	}
	if len(out) == 0 {
		return nil, errors.New("id = []: an ID needs a member")
	}
	return out, nil
}
