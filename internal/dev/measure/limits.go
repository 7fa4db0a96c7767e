package measure

import "fmt"

// The limits that a tree is held to.
const (
	maxMethods = 80
	maxFields  = 25
	maxLines   = 5000
	maxActors  = 20
)

// Exceeded returns the limits that a tree exceeds, in words.
func (t *Tree) Exceeded() (out []string) {
	for _, typ := range t.Types {
		if typ.Methods > maxMethods {
			out = append(out, fmt.Sprintf("%s has %d methods, more than %d: make parts of it types of their own", typ.Name, typ.Methods, maxMethods))
		}
		if typ.Fields > maxFields {
			out = append(out, fmt.Sprintf("%s has %d fields, more than %d: make parts of it types of their own", typ.Name, typ.Fields, maxFields))
		}
	}
	for _, p := range t.Packages {
		if p.Lines > maxLines {
			out = append(out, fmt.Sprintf("%s has %d lines without its tests, more than %d: make a part of it a package", p.Name, p.Lines, maxLines))
		}
	}
	if len(t.Actors) > maxActors {
		out = append(out, fmt.Sprintf("%d comments say who, whoever, somebody or nobody, more than %d; name the caller, the process, the kernel: %v",
			len(t.Actors), maxActors, t.Actors))
	}
	return out
}
