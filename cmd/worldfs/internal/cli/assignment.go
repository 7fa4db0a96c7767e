package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// Assignment is FIELD=EXPR.
type Assignment struct {
	Path  string // of what is assigned, such as position.z
	value *expression.Program
}

// ParseAssignments reads a command's assignments.
func ParseAssignments(args []string) (out []Assignment, err error) {
	var paths []string
	for _, arg := range args {
		path, source, ok := strings.Cut(arg, "=")
		path = strings.TrimSpace(path)
		if !ok || path == "" || strings.HasPrefix(source, "=") {
			return nil, Usagef("%q is not FIELD=EXPR, as in 'radius = radius * 1.2'", arg)
		}
		x, err := expression.Compile(strings.TrimSpace(source))
		if err != nil {
			return nil, Usagef("%v", err)
		}
		out, paths = append(out, Assignment{path, x}), append(paths, path)
	}
	if err := expression.CheckPaths(paths); err != nil {
		return nil, Usagef("%v", err)
	}
	return out, nil
}

// Assigning makes assignments to the entities of a world. What is calculated is
// calculated of the world as it was.
type Assigning struct {
	world       entity.Source
	assignments []Assignment
	remarks     []*remark
}

// NewAssigning returns what makes the assignments to the entities of the world.
func NewAssigning(world entity.Source, assignments []Assignment) *Assigning {
	a := &Assigning{world: world, assignments: slices.Clone(assignments)}
	for i := range a.assignments {
		a.assignments[i].value = a.assignments[i].value.In(world)
	}
	return a
}

// remark is something about what was assigned that is no error.
type remark struct {
	path, about string
	first       string // the first entity of which it is so
	entities    int
}

// maxProblems is how many entities an error names.
const maxProblems = 10

// Changes returns the changes to the entities that are chosen. If one fails, all
// do.
func (a *Assigning) Changes(where *Selection) (entity.ChangeSet, error) {
	where.In(a.world)
	var set entity.ChangeSet
	var problems []error
	for e := range a.world.All() {
		chosen, err := where.Has(e)
		if err != nil {
			return nil, err
		}
		if !chosen {
			continue
		}
		n, err := a.Assigned(e)
		if err != nil {
			if problems = append(problems, err); len(problems) == maxProblems {
				break
			}
			continue
		}
		set = append(set, entity.DiffEntity(e, n)...)
	}
	return set, errors.Join(problems...)
}

// Assigned returns the entity with all assignments made at once.
func (a *Assigning) Assigned(e *entity.Entity) (*entity.Entity, error) {
	all := make([]expression.Assignment, len(a.assignments))
	for i, as := range a.assignments {
		x, nonFinite, err := as.value.Calculate(e)
		if err != nil {
			return nil, &entity.FieldError{Subject: e.String(), Field: as.Path, Reason: err.Error()}
		}
		if nonFinite {
			a.remark(as.Path, fmt.Sprintf("%s gives %s", as.value, expression.Described(x)), e)
		}
		all[i] = expression.Assignment{Path: as.Path, Value: x}
	}
	n, unsaved, err := expression.AssignAll(e, all)
	for _, path := range unsaved {
		a.remark(path, "is not saved: the condition of its save_when does not hold", e)
	}
	return n, err
}

// Report says what is notable about what was assigned.
func (a *Assigning) Report(say func(string)) {
	for _, r := range a.remarks {
		say(r.String())
	}
}

func (a *Assigning) remark(path, about string, e *entity.Entity) {
	for _, r := range a.remarks {
		if r.path == path && r.about == about {
			r.entities++
			return
		}
	}
	a.remarks = append(a.remarks, &remark{path, about, e.String(), 1})
}

// String returns a line for people.
func (r *remark) String() string {
	s := fmt.Sprintf("%s, field %s: %s", r.first, r.path, r.about)
	if r.entities > 1 {
		s += fmt.Sprintf("; so for %d more", r.entities-1)
	}
	return s
}
