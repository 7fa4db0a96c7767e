package content

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
)

// ordering is a column that lines are ordered by.
type ordering struct {
	path       string
	descending bool
}

// listing is what ls prints. It keeps what it prints of an entity, and not the entity: a
// world of some hundred thousand would fill the memory.
type listing struct {
	columns columns
	paths   []string // of the columns that are asked for; none: those that ls has anyway
	order   []ordering
	reverse bool
	json    bool
	out     io.Writer

	lines []line
}

// line is what is printed of an entity.
type line struct {
	id    entity.ID
	keys  []sortKey
	cells []string // of a table
	json  []byte   // with --json
}

// isInOrder reports whether entities come in the order in which they are printed.
func (l *listing) isInOrder() bool { return len(l.order) == 0 && !l.columns.near && !l.reverse }

// add adds an entity; they come in the order of their IDs.
func (l *listing) add(r row) error {
	n := line{id: r.entity.ID, keys: l.keys(r)}
	var err error
	if l.json {
		n.json, err = l.object(r)
	} else {
		n.cells = l.cells(r)
	}
	if err == nil && l.json && l.isInOrder() {
		_, err = l.out.Write(n.json)
		return err
	}
	l.lines = append(l.lines, n)
	return err
}

// keys returns what a row is ordered by: the columns asked for, else its distance.
func (l *listing) keys(r row) []sortKey {
	if len(l.order) == 0 && l.columns.near {
		return []sortKey{distanceOf(r).key()}
	}
	keys := make([]sortKey, len(l.order))
	for i, by := range l.order {
		keys[i] = l.columns.at(r, by.path).key()
	}
	return keys
}

func (l *listing) cells(r row) []string {
	if len(l.paths) == 0 {
		cells := []string{r.entity.ID.String(), oneLine(r.entity.Type()), oneLine(r.entity.Name())}
		if l.columns.near {
			cells = append(cells, placeText(r.place), short(r.distance)+" away")
		}
		return cells
	}
	cells := make([]string, len(l.paths))
	for i, path := range l.paths {
		cells[i] = l.columns.at(r, path).text()
	}
	return cells
}

// object returns a row as a JSON object, whose keys are in the order of the columns.
func (l *listing) object(r row) ([]byte, error) {
	if len(l.paths) > 0 {
		return l.columns.object(r, l.paths), nil
	}
	o := listed{ID: r.entity.ID, Type: r.entity.Type(), Name: r.entity.Name()}
	if l.columns.near {
		o.Position, o.Distance = &r.place, &r.distance
	}
	var b strings.Builder
	err := cli.PrintJSON(&b, o)
	return []byte(b.String()), err
}

// print prints what was not printed yet.
func (l *listing) print() error {
	switch {
	case len(l.order) > 0 || l.columns.near:
		slices.SortFunc(l.lines, l.compare)
	case l.reverse:
		slices.Reverse(l.lines)
	}
	if l.json {
		for _, n := range l.lines {
			if _, err := l.out.Write(n.json); err != nil {
				return err
			}
		}
		return nil
	}
	t := cli.Table{}
	for _, path := range l.paths {
		t.Head = append(t.Head, oneLine(path))
	}
	for _, n := range l.lines {
		t.Add(n.cells...)
	}
	return t.Print(l.out)
}

// compare says which of two lines comes first, where all are the same by ID. What has
// nothing in a column comes last, in whichever direction.
func (l *listing) compare(a, b line) int {
	for i, x := range a.keys {
		y := b.keys[i]
		descending := l.reverse != (len(l.order) > 0 && l.order[i].descending)
		switch found := x.compare(y); {
		case found == 0:
		case descending && x.rank != rankNothing && y.rank != rankNothing:
			return -found
		default:
			return found
		}
	}
	return cmp.Compare(a.id, b.id)
}

// oneLine keeps a text of the world's from breaking the columns, and from being taken for a
// command by a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
