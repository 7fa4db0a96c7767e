// Package advice says of each code of a finding how bad it is, what it means to a person
// that makes worlds and not tools, and which command mends it.
//
// Every code that there is has an entry in the table, and every entry that is no note names
// a command: one of worldfs, which is a right call as it stands, or where a person has to
// choose, their editor on the line that is meant. Commands are what is typed in the world
// directory. What a finding says itself, as one that knows more does, stands.
package advice

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// Entry is what is known of a code.
type Entry struct {
	Severity entity.Severity // of one that does not stop a ship build
	Says     string          // what it means: whole sentences
	mend     func(f entity.Finding, l layout.Layout) string
}

// Of returns what is known of a code; ok is false where it is none of those that there are.
func Of(code string) (e Entry, ok bool) {
	e, ok = table[code]
	return e, ok
}

// Codes returns all codes that there is advice on, in order.
func Codes() []string { return slices.Sorted(maps.Keys(table)) }

// Give returns the findings, each with its advice. l is where in entities/ files lie.
func Give(l layout.Layout, findings []entity.Finding) []entity.Finding {
	given := make([]entity.Finding, len(findings))
	for i, f := range findings {
		given[i] = give(l, f)
	}
	return given
}

func give(l layout.Layout, f entity.Finding) entity.Finding {
	e := table[f.Code]
	switch {
	case f.Severity != "":
	case f.Blocks:
		f.Severity = entity.SeverityError
	default:
		f.Severity = cmp.Or(e.Severity, entity.SeverityWarning)
	}
	f.Advice = cmp.Or(f.Advice, e.Says)
	if f.Mend == "" && e.mend != nil {
		f.Mend = e.mend(f, l)
	}
	return f
}

// Sort puts findings in the order in which people read them: errors first, then by entity.
func Sort(findings []entity.Finding) {
	slices.SortStableFunc(findings, func(a, b entity.Finding) int {
		return cmp.Or(cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.ID, b.ID))
	})
}

// Severities are all that there are, the worst first.
var Severities = []entity.Severity{entity.SeverityError, entity.SeverityWarning, entity.SeverityNote}

func rank(s entity.Severity) int {
	if i := slices.Index(Severities, s); i >= 0 {
		return i
	}
	return len(Severities)
}

// calls is a command that is the same whatever the finding is about.
func calls(command string) func(entity.Finding, layout.Layout) string {
	return func(entity.Finding, layout.Layout) string { return command }
}

// onEntity is a command about the finding's entity. One that is about none has the command
// do what it does to all.
func onEntity(command string) func(entity.Finding, layout.Layout) string {
	return func(f entity.Finding, _ layout.Layout) string {
		if f.ID == 0 {
			return command
		}
		return command + " " + f.ID.String()
	}
}

// takeBack takes the last edit of an entity back, if there was one.
func takeBack(f entity.Finding, l layout.Layout) string {
	if f.ID == 0 || slices.Contains([]string{entity.AdviceTypesChanged, entity.AdviceUndone, entity.AdviceBrought}, f.Advice) {
		return edit(f, l)
	}
	return onEntity("worldfs undo")(f, l)
}

// edit opens the file that the finding is about, where it says.
func edit(f entity.Finding, l layout.Layout) string {
	at := ""
	if f.Line > 0 {
		at = fmt.Sprintf("+%d ", f.Line)
	}
	return "$EDITOR " + at + Quote(fileOf(f, l))
}

// fileOf returns the file that a finding is about, from the world directory.
func fileOf(f entity.Finding, l layout.Layout) string {
	switch {
	case f.ID == 0 && f.File != "":
		return f.File
	case f.ID == 0:
		return "world.toml"
	case f.File == "":
		return l.Name(f.ID)
	case strings.Contains(f.File, "/"):
		return f.File
	}
	return path.Join(path.Dir(l.Name(f.ID)), f.File) // beside the entity's
}

// toItsPlace moves a file to where the entity's belongs, unless one is there.
func toItsPlace(f entity.Finding, l layout.Layout) string {
	if f.Other == f.ID {
		return "rm -i " + Quote(fileOf(f, l))
	}
	return "mv -n " + Quote(fileOf(f, l)) + " " + l.Name(f.ID)
}

// readable is what has a file be read that is not permitted to be, or takes away what is no
// text.
func readable(f entity.Finding, l layout.Layout) string {
	if strings.Contains(f.Message, "permi") {
		return "chmod u+rw " + Quote(fileOf(f, l))
	}
	return "rm -i " + Quote(fileOf(f, l))
}

func remove(f entity.Finding, l layout.Layout) string { return "rm " + Quote(fileOf(f, l)) }

// beside is what is to be done about files that lie beside an entity's: sides that svn has
// left are settled by a command, what patch has refused a person looks at.
func beside(f entity.Finding, l layout.Layout) string {
	if strings.HasSuffix(f.File, ".rej") {
		return edit(f, l)
	}
	return "worldfs resolve"
}

// typeFile opens a file that declares types; in a conflict, both sides are there.
func typeFile(f entity.Finding, l layout.Layout) string {
	if f.File == "" {
		return "worldfs pull"
	}
	return edit(f, l)
}

// Quote returns a word as a shell reads it back.
func Quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:=@%^,-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
