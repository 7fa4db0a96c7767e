package commitcheck

import (
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

const (
	configName = "world.toml"
	rangesName = "id_ranges"
)

// settings returns what is wrong with world.toml and id_ranges in the index, where the
// commit changes them: no world can be opened with conflict markers there.
func (c *check) settings() (found []entity.Finding, err error) {
	head := ""
	if len(c.parents) > 0 {
		head = c.parents[0]
	}
	q := vcs.Query{Names: []string{configName, rangesName}, Limit: idrange.MaxSize}
	changed, err := c.git.StagedChanges(head, q)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	tree, err := c.git.Staged(vcs.Query{Names: changed, Limit: idrange.MaxSize})
	if err != nil {
		return nil, err
	}
	for f, err := range tree.Read(tree.Files) {
		if err != nil {
			return nil, err
		}
		if line, reason := problemOf(f); reason != "" {
			found = append(found, unreadable(f.Name, line, reason))
		}
	}
	return found, nil
}

// unreadable is the finding about a file of settings that cannot be read.
func unreadable(name string, line int, reason string) entity.Finding {
	f := entity.Finding{Code: entity.CodeRangesFile, Blocks: true, File: name, Line: line, Message: reason}
	if name == configName {
		f.Code, f.Advice = entity.CodeUnreadable, "This file cannot be read, and without it worldfs cannot open the world."
	}
	if f.Mend = "$EDITOR " + name; line > 0 {
		f.Mend = fmt.Sprintf("$EDITOR +%d %s", line, name)
	}
	return f
}

// problemOf returns what is wrong with a file, "" for nothing.
func problemOf(f vcs.File) (line int, reason string) {
	if f.Name == rangesName {
		_, err := idrange.Parse(f.Data, f.Name)
		var at *idrange.Error
		if errors.As(err, &at) {
			return at.Line, at.Reason
		}
		return 0, ""
	}
	var all map[string]any
	err := toml.Unmarshal(f.Data, &all)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, _ = at.Position()
		return line, at.Error()
	}
	if err != nil {
		return 0, fmt.Sprint(err)
	}
	return 0, ""
}
