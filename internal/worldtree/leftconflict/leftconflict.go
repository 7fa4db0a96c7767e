// Package leftconflict says a conflict that is left to people in a line: what it is about,
// what either side has, by whom and when.
package leftconflict

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// Conflict is a conflict that is for people to settle.
type Conflict struct {
	ID      entity.ID     `json:"id,omitempty"`
	Type    string        `json:"type"`
	Name    string        `json:"name,omitempty"`
	Field   string        `json:"field,omitempty"`
	Path    string        `json:"path,omitempty"`
	Mine    merge.Version `json:"mine"`
	Shared  merge.Version `json:"shared"`
	Base    merge.Version `json:"base"`
	MineBy  Author        `json:"mine_by,omitzero"`
	OtherBy Author        `json:"shared_by,omitzero"`
	Why     string        `json:"why"`

	Marked bool `json:"-"` // only its markers are left: they do not say what there was before
	Unborn bool `json:"-"` // mine lacks the entity, and no commit has deleted it there: the branch does not come of the base
}

// String returns a conflict in a line, as Door 6555 "bunker door" position: yours 46.1,
// 108.1, 8.7 (Ann, 14:02) / shared 50, 108.1, 8.7 (Bob, yesterday), 3.9 apart.
func (c Conflict) String() string {
	var b strings.Builder
	b.WriteString(c.Type)
	if c.ID != 0 {
		fmt.Fprintf(&b, " %d", c.ID)
	}
	if c.Name != "" {
		fmt.Fprintf(&b, " %q", c.Name)
	}
	if c.Path != "" {
		fmt.Fprintf(&b, " %s: yours %s%s / shared %s%s", c.Path, shown(c.Mine), c.MineBy, shown(c.Shared), c.OtherBy)
		if d, ok := apart(c.Mine, c.Shared); ok {
			fmt.Fprintf(&b, ", %.3g apart", d)
		}
		return b.String()
	}
	if c.Marked {
		fmt.Fprintf(&b, ": yours %s / shared %s", marked(c.Mine), marked(c.Shared))
		return b.String()
	}
	mineBase := c.Base
	if c.Unborn {
		mineBase = merge.Version{}
	}
	fmt.Fprintf(&b, ": yours %s%s / shared %s%s", whole(c.Mine, mineBase), c.MineBy, whole(c.Shared, c.Base), c.OtherBy)
	return b.String()
}

// shown returns a value as people write it.
func shown(v merge.Version) string {
	if v.Text != "" && !strings.ContainsAny(v.Text, "\n\r") {
		return v.Text
	}
	s := v.String()
	if s == "null" {
		return "none"
	}
	if inner, ok := strings.CutPrefix(s, "["); ok && v.Shape != nil && v.Shape.Kind.Components() > 1 {
		return strings.ReplaceAll(strings.TrimSuffix(inner, "]"), ",", ", ")
	}
	return s
}

// whole says what a side has done to an entity.
func whole(v, base merge.Version) string {
	switch {
	case v.Entity == nil && base.Entity != nil:
		return "deleted it"
	case v.Entity == nil:
		return "has none"
	case base.Entity == nil:
		return "made it"
	}
	return "changed it"
}

// marked says what a side has of an entity that a side deleted, where it is not known what
// there was before.
func marked(v merge.Version) string {
	if v.Entity == nil {
		return "deleted it"
	}
	if i := v.Entity.Layout.Index("position"); i >= 0 {
		return "has position " + shown(merge.Version{Shape: &v.Entity.Layout.Fields[i].Shape, Value: v.Entity.Values[i]})
	}
	return "has it"
}

// apart returns the distance of two positions.
func apart(a, b merge.Version) (float64, bool) {
	if a.Shape == nil || b.Shape == nil || a.Value.Kind() != b.Value.Kind() {
		return 0, false
	}
	switch a.Value.Kind() {
	case entity.KindVec2, entity.KindVec3, entity.KindVec4:
	default:
		return 0, false
	}
	sum := 0.0
	for i := range a.Value.Kind().Components() {
		d := float64(math.Float32frombits(a.Value.Component(i))) - float64(math.Float32frombits(b.Value.Component(i)))
		sum += float64(d * d) // rounded on every machine
	}
	return math.Sqrt(sum), true
}

// Author is by whom a side was changed, and when. The zero Author is not known.
type Author struct {
	Name string    `json:"name"`
	Time time.Time `json:"time"`
}

// String returns the author in brackets, after a space: " (Ann, yesterday)".
func (a Author) String() string {
	if a.Name == "" {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", a.Name, ago(a.Time, time.Now()))
}

// ago returns when something was: the time of day today, or the day.
func ago(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	switch days := int(day(now).Sub(day(t)) / (24 * time.Hour)); days {
	case 0:
		return t.Format("15:04")
	case 1:
		return "yesterday"
	}
	return t.Format(time.DateOnly)
}
