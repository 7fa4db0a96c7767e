package expression

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// pathStep leads from a value to a part of it: to the member or component of a
// name, or to the element or component at a place.
type pathStep struct {
	name    string
	index   int
	indexed bool
}

// String returns the step as messages have it.
func (s pathStep) String() string {
	if s.indexed {
		return fmt.Sprintf("[%d]", s.index)
	}
	return strconv.Quote(s.name)
}

// in returns the place among n that the step leads to; below zero it counts
// from the end.
func (s pathStep) in(n int, what string) (int, error) {
	i := s.index
	if !s.indexed {
		return 0, fmt.Errorf("there is no %s among %d %s; [0] is the first", s, n, what)
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return 0, fmt.Errorf("there is no %s: it has %d %s", s, n, what)
	}
	return i, nil
}

// parseSteps reads what comes behind a field's name, as .at.z or [2].watts.
func parseSteps(s string) (steps []pathStep, err error) {
	for s != "" {
		var step pathStep
		switch s[0] {
		case '.':
			end := nextStep(s)
			step.name, s = s[1:end], s[end:]
		case '[':
			inside, rest, ok := strings.Cut(s[1:], "]")
			step.index, err = strconv.Atoi(strings.TrimSpace(inside))
			if !ok || err != nil {
				return nil, fmt.Errorf("%s is no place: a whole number stands in the brackets", strconv.Quote(clip(s)))
			}
			step.indexed, s = true, rest
		default:
			return nil, fmt.Errorf("%q comes behind a bracket: a dot or another bracket may", clip(s))
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// nextStep returns where the step ends that s begins with a dot.
func nextStep(s string) int {
	if i := strings.IndexAny(s[1:], ".["); i >= 0 {
		return i + 1
	}
	return len(s)
}

// CheckPaths reports two of the paths, which are to be assigned at once, of
// which one is, or may be, the other or a part of it: the order of assignments
// is to make no difference.
func CheckPaths(paths []string) error {
	all := make([][]pathStep, len(paths))
	for i, p := range paths {
		steps, err := parseSteps("." + p)
		if err != nil {
			steps = []pathStep{{name: p}} // a field may be called so
		}
		all[i] = steps
	}
	for i := range all {
		for k := range i {
			if overlapping(all[k], all[i]) {
				return overlapError(paths[k], paths[i])
			}
		}
	}
	return nil
}

func overlapError(a, b string) error {
	if a == b {
		return fmt.Errorf("%s is assigned twice", a)
	}
	return fmt.Errorf("%s and %s may be the same value, or one a part of the other: assign one of them", a, b)
}

// overlapping reports whether one path leads to what the other leads through.
func overlapping(a, b []pathStep) bool {
	for i := range min(len(a), len(b)) {
		if !a[i].meets(b[i]) {
			return false
		}
	}
	return true
}

// meets reports whether two steps from one value may lead to the same part: z
// is [2], and [-1] may be any.
func (s pathStep) meets(o pathStep) bool {
	s, o = s.counted(), o.counted()
	switch {
	case s.indexed != o.indexed:
		return false
	case !s.indexed:
		return s.name == o.name
	}
	return s.index == o.index || (s.index < 0) != (o.index < 0)
}

// counted returns the step by its place if it is the name of a component.
func (s pathStep) counted() pathStep {
	if i := slices.Index(componentNames[:], s.name); !s.indexed && i >= 0 {
		return pathStep{index: i, indexed: true}
	}
	return s
}
