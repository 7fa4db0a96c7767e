package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// assignment is FIELD=EXPR.
type assignment struct {
	path  string
	value *entity.Expression
}

// noteUndeclared says which names in the expression no type has a field of.
func (a assignment) noteUndeclared(note func(string), types *entity.Types) {
	noteUndeclared(note, a.value, types)
}

// parseAssignments reads a command's assignments.
func parseAssignments(args []string) (out []assignment, err error) {
	var paths []string
	for _, arg := range args {
		path, source, ok := strings.Cut(arg, "=")
		path = strings.TrimSpace(path)
		if !ok || path == "" || strings.HasPrefix(source, "=") {
			return nil, usagef("%q is not FIELD=EXPR, as in 'radius = radius * 1.2'", arg)
		}
		x, err := entity.CompileExpression(strings.TrimSpace(source))
		if err != nil {
			return nil, usagef("%v", err)
		}
		out, paths = append(out, assignment{path, x}), append(paths, path)
	}
	if err := entity.CheckPaths(paths); err != nil {
		return nil, usagef("%v", err)
	}
	return out, nil
}

// assigning makes assignments to the entities of a world. What is calculated is
// calculated of the world as it was.
type assigning struct {
	world       entity.Source
	assignments []assignment
	remarks     []*remark
}

// newAssigning returns what makes the assignments to the entities of the world.
func newAssigning(world entity.Source, assignments []assignment) *assigning {
	a := &assigning{world: world, assignments: slices.Clone(assignments)}
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

// changes returns the changes to the entities that are chosen. If one fails, all
// do.
func (a *assigning) changes(where *selection) (entity.ChangeSet, error) {
	where.in(a.world)
	var set entity.ChangeSet
	var problems []error
	for e := range a.world.All() {
		chosen, err := where.has(e)
		if err != nil {
			return nil, err
		}
		if !chosen {
			continue
		}
		n, err := a.assigned(e)
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

// assigned returns the entity with all assignments made at once.
func (a *assigning) assigned(e *entity.Entity) (*entity.Entity, error) {
	all := make([]entity.Assignment, len(a.assignments))
	for i, as := range a.assignments {
		x, nonFinite, err := as.value.Calculate(e)
		if err != nil {
			return nil, &entity.FieldError{Subject: e.String(), Field: as.path, Reason: err.Error()}
		}
		if nonFinite {
			a.remark(as.path, fmt.Sprintf("%s gives %s", as.value, entity.Described(x)), e)
		}
		all[i] = entity.Assignment{Path: as.path, Value: x}
	}
	n, unsaved, err := e.AssignAll(all)
	for _, path := range unsaved {
		a.remark(path, "is not saved: the condition of its save_when does not hold", e)
	}
	return n, err
}

// tell says what is notable about what was assigned.
func (a *assigning) tell(say func(string)) {
	for _, r := range a.remarks {
		say(r.String())
	}
}

func (a *assigning) remark(path, about string, e *entity.Entity) {
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
