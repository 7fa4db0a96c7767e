package namecheck

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/support/spelling"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// maxSettings is how large a world.toml is read, in bytes.
const maxSettings = 1 << 20

// Settings returns the findings about world.toml: settings that there are not, which may be
// another version's, and rules of merging for types and fields that there are not. A file
// that does not parse has none: no world is opened with it.
func Settings(dir *worlddir.Dir, types *entity.Types) ([]entity.Finding, error) {
	data, err := disk.ReadFile(dir.ConfigPath(), maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it may be gone while the world is mounted
	}
	if err != nil {
		return nil, err
	}
	var found []entity.Finding
	add := func(line int, message string) {
		found = append(found, entity.Finding{Code: entity.CodeNameUnknown, File: worlddir.ConfigName, Line: line, Message: message})
	}
	lines := readKeys(data)
	for _, k := range unknown(lines) {
		message := "there is no setting " + k.name
		if near := spelling.Nearest(k.name, slices.Values(worlddir.SettingNames)); near != "" {
			message += "; did you mean " + near + "?"
		} else {
			message += " in this version of worldfs: it does nothing"
		}
		add(k.line, message)
	}
	for _, r := range rulesOf(lines) {
		line, message := r.misnamed(types)
		if message != "" {
			add(line, message)
		}
	}
	return found, nil
}

// unknown returns the keys that are no settings. A table that there is not stands for all
// that is in it.
func unknown(lines []key) (found []key) {
	for _, k := range lines {
		within := func(table key) bool { return table.name == k.name || strings.HasPrefix(k.name, table.name+".") }
		if !slices.Contains(worlddir.SettingNames, k.name) && !slices.ContainsFunc(found, within) {
			found = append(found, k)
		}
	}
	return found
}

// rule is a rule of merging and where its names stand.
type rule struct{ typ, field key }

// rulesOf returns the rules.
func rulesOf(lines []key) (rules []rule) {
	for _, k := range lines {
		switch k.name {
		case "merge.rules":
			rules = append(rules, rule{})
		case "merge.rules.type":
			if len(rules) > 0 {
				rules[len(rules)-1].typ = k
			}
		case "merge.rules.field":
			if len(rules) > 0 {
				rules[len(rules)-1].field = k
			}
		}
	}
	return rules
}

// misnamed says what a rule is about that there is not, "" for nothing.
func (r rule) misnamed(types *entity.Types) (line int, message string) {
	selected := types
	if types.Len() == 0 {
		return 0, "" // nothing is declared here, and so no name is known to be wrong
	}
	if name := r.typ.value; name != "" {
		t := types.Get(name)
		if t == nil {
			return r.typ.line, "a rule of merging is for the type " + name + ", which there is not" + spelling.DidYouMean(name, types.Names())
		}
		if t.Unknown {
			return 0, ""
		}
		selected = entity.NewTypes(t)
	}
	if r.field.value == "" {
		return 0, ""
	}
	if m := expression.MisnamedField(r.field.value, selected, types); m != nil {
		return r.field.line, "a rule of merging is for a field that there is not: " + m.String()
	}
	return 0, ""
}
