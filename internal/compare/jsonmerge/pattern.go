package jsonmerge

import (
	"fmt"
	"strings"
)

// pattern is a path with wildcards: /layers/*/data, /**/spawn_*.
type pattern []patternStep

// patternStep is a step of a pattern.
type patternStep struct {
	deep bool     // any number of steps, none as well
	all  bool     // any member, and any element
	glob []string // what a member's name is made of, with anything between two
}

// maxSteps bounds a pattern to the bits of a word, one of which is for the end.
const maxSteps = 63

func parsePattern(path string) (pattern, error) {
	if path == "" {
		return nil, nil
	}
	if path[0] != '/' {
		return nil, fmt.Errorf("path %q does not begin with /", path)
	}
	names := strings.Split(path[1:], "/")
	if len(names) > maxSteps {
		return nil, fmt.Errorf("path %q has more than %d steps", excerpt([]byte(path)), maxSteps)
	}
	var out pattern
	for _, name := range names {
		if strings.Contains(name, "**") && name != "**" {
			return nil, fmt.Errorf("path %q: ** stands alone between two /", path)
		}
		step := patternStep{deep: name == "**", all: name == "*"}
		for _, text := range strings.Split(name, "*") {
			step.glob = append(step.glob, pointerText.Replace(text))
		}
		out = append(out, step)
	}
	return out, nil
}

var pointerText = strings.NewReplacer("~1", "/", "~0", "~")

// matches reports whether a step is one to a member of this name.
func (s *patternStep) matches(name string) bool {
	first, last := s.glob[0], s.glob[len(s.glob)-1]
	if len(s.glob) == 1 {
		return name == first
	}
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, text := range s.glob[1 : len(s.glob)-1] {
		at := strings.Index(name, text)
		if at < 0 {
			return false
		}
		name = name[at+len(text):]
	}
	return true
}

// progress says how far into a pattern a path may have come: a bit for each number of
// its steps.
type progress uint64

// start is the progress at the root.
func (p pattern) start() progress { return p.skip(1) }

// skip adds what lies behind steps that need not be there.
func (p pattern) skip(at progress) progress {
	for i := range p {
		if p[i].deep && at&(1<<i) != 0 {
			at |= 1 << (i + 1)
		}
	}
	return at
}

// step returns the progress one step further, to a member or an element.
func (p pattern) step(at progress, name string, element bool) (out progress) {
	for i := range p {
		switch {
		case at&(1<<i) == 0:
		case p[i].deep:
			out |= 1 << i
		case p[i].all || !element && p[i].matches(name):
			out |= 1 << (i + 1)
		}
	}
	return p.skip(out)
}

// done reports whether a path matches the pattern.
func (p pattern) done(at progress) bool { return at&(1<<len(p)) != 0 }
