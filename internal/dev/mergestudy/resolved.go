package mergestudy

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/merge"
)

// What worldfs resolve makes of a case is judged by the files that it leaves and by what
// it says, as a person reads it.

// summary is what worldfs resolve --json says.
type summary struct {
	Left []struct {
		ID entity.ID `json:"id"`
	} `json:"left"`
	Repairs []string `json:"repairs"`
	NewIDs  []string `json:"new_ids"`
	Unread  []string `json:"unread"`
	Stands  []string `json:"stands"`
	Next    string   `json:"next"`
}

// resolve runs worldfs resolve in a world directory.
func (t *toolbox) resolve(dir string) (*summary, error) {
	out, all, exit, err := t.try(dir, "", t.worldfs, "resolve", "--json")
	if err != nil {
		return nil, err
	}
	if exit > 1 {
		return nil, fmt.Errorf("worldfs resolve: exit status %d: %s", exit, strings.TrimSpace(all))
	}
	s := new(summary)
	if err := json.Unmarshal([]byte(out), s); err != nil {
		return nil, fmt.Errorf("worldfs resolve: %w: %s", err, all)
	}
	if conflict := len(s.Left)+len(s.Unread) > 0; conflict != (exit == 1) {
		return nil, fmt.Errorf("worldfs resolve: exit status %d: %s", exit, all)
	}
	return s, nil
}

var (
	repairLine = regexp.MustCompile(`^\w+ (\d+)(?: "(?:[^"\\]|\\.)*")?, (\w+): `)
	newIDLine  = regexp.MustCompile(`^\w+ (\d+)(?: "(?:[^"\\]|\\.)*")? \((yours|shared)\) is (\d+) now: `)
)

// excuse has an outcome know what was repaired and renumbered.
func (s *summary) excuse(o *outcome) error {
	for _, line := range s.Repairs {
		m := repairLine.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("worldfs resolve says of a repair: %s", line)
		}
		id, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			return err
		}
		o.repaired[property{entity.ID(id), successor(m[2])}] = true
	}
	for _, line := range s.NewIDs {
		m := newIDLine.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("worldfs resolve says of a new ID: %s", line)
		}
		r := merge.Renumbering{Side: merge.Ours}
		if m[2] == "shared" { // the study's merges are by the one of the two that git and svn call ours
			r.Side = merge.Theirs
		}
		for text, id := range map[string]*entity.ID{m[1]: &r.From, m[3]: &r.To} {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				return err
			}
			*id = entity.ID(n)
		}
		o.renumber(r)
	}
	return nil
}

// judgeFiles judges the world directory that worldfs resolve has left.
func (c *threeWay) judgeFiles(dir string, s *summary) (verdict, error) {
	v := verdict{conflict: len(s.Left)+len(s.Unread) > 0, repaired: len(s.Repairs)+len(s.NewIDs) > 0}
	for _, left := range s.Left {
		v.misplaced = v.misplaced || !c.disagreements[left.ID]
	}
	types, problems, err := typefile.ReadDir(filepath.Join(dir, "types"))
	if err != nil {
		return v, err
	}
	o := &outcome{world: entity.NewWorld(c.base.ID, types), repaired: make(map[property]bool), marked: v.conflict}
	o.unreadable = len(problems) > 0 && !v.conflict
	if err := s.excuse(o); err != nil {
		return v, err
	}
	texts, err := readTexts(dir)
	if err != nil {
		return v, err
	}
	v.faults, v.failure = c.examine(c.readFiles(texts, o), v.conflict)
	return v, nil
}
