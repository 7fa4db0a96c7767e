package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/events"
)

// EventText returns an event as people read it: a line, and one more for each
// field.
func EventText(e events.Event) string { return eventText(e, eventSubject(e)) }

// NamedEventText is EventText where nothing else says which entity the event is about: of one
// whose text does not parse it says at least the ID.
func NamedEventText(e events.Event) string {
	subject := eventSubject(e)
	if subject == "" && e.ID != 0 {
		subject = fmt.Sprintf("entity %d", e.ID)
	}
	return eventText(e, subject)
}

func eventText(e events.Event, subject string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", e.Time.Local().Format(time.DateTime), e.Event)
	if e.By != "" {
		fmt.Fprintf(&b, " by %s", e.How())
	}
	if subject != "" {
		fmt.Fprintf(&b, "  %s", subject)
	}
	if e.Note != "" {
		fmt.Fprintf(&b, "  (%s)", e.Note)
	}
	b.WriteByte('\n')
	for _, f := range e.Fields {
		fmt.Fprintf(&b, "    %s %s -> %s\n", f.Name, short(f.Old), short(f.New))
	}
	if e.Incomplete {
		b.WriteString("    its text was too large to keep\n")
	}
	return b.String()
}

// mostLines is how much LostText returns of a text; with --json it is there whole.
const mostLines = 200

// LostText returns, a line each, the text of an entity that something else has taken the place
// of, where it did not parse: nothing but the text says what it was.
func LostText(e events.Event) string {
	if e.Event != events.Lost || e.Type != "" {
		return ""
	}
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(e.Text, "\n"), "\n")
	for _, line := range lines[:min(len(lines), mostLines)] {
		fmt.Fprintf(&b, "    | %s\n", printable(line))
	}
	if len(lines) > mostLines {
		fmt.Fprintf(&b, "    … and %d lines more, with --json\n", len(lines)-mostLines)
	}
	return b.String()
}

func eventSubject(e events.Event) string {
	switch {
	case e.Type == "":
		return ""
	case e.Name == "":
		return fmt.Sprintf("%s %d", e.Type, e.ID)
	}
	return fmt.Sprintf("%s %d %q", e.Type, e.ID, e.Name)
}

// short returns a value's JSON as far as a line can bear it.
func short(value []byte) string {
	const most = 80
	if text := []rune(string(value)); len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(value)
}
