// Package manual makes manual pages of a program's commands, in man(7): one for each
// command that help lists, and one for each topic of help.
//
// The commands' texts are plain and laid out for a terminal. Paragraphs of prose are filled
// to the reader's width; lines that are indented stay as they are; a paragraph under a
// heading in capitals, such as EXIT STATUS, becomes a section. The generator that comes
// with cobra takes such texts for Markdown, which would run their tables into prose.
//
// The same commands and [Source] make the same bytes.
package manual

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Source says of which build pages are.
type Source struct {
	Version string
	Time    *time.Time // of the build's revision; nil: it is not known
}

// Page is one manual page.
type Page struct {
	Name string // of its file: worldfs-show.1
	Text []byte
}

// WriteTo writes the page into its section's directory in dir, a directory of manuals as
// man(1) looks through them.
func (p Page) WriteTo(dir string) error {
	dir = filepath.Join(dir, "man"+strings.TrimPrefix(filepath.Ext(p.Name), "."))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, p.Name), p.Text, 0o666)
}

// The sections of the manual.
const (
	sectionCommands = "1"
	sectionTopics   = "7"
)

// Pages returns the pages of a command and of all below it, in the order of help.
func Pages(cmd *cobra.Command, source Source) []Page {
	pages := []Page{{fileOf(cmd), makePage(cmd, source)}}
	for _, c := range listed(cmd) {
		pages = append(pages, Pages(c, source)...)
	}
	return pages
}

// listed returns the commands and topics that the help of a command lists.
func listed(cmd *cobra.Command) (below []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			below = append(below, c)
		}
	}
	slices.SortFunc(below, func(a, b *cobra.Command) int { return cmp.Compare(a.Name(), b.Name()) })
	return below
}

// nameOf returns the name of a command's page: worldfs-show.
func nameOf(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func sectionOf(cmd *cobra.Command) string {
	if cmd.IsAdditionalHelpTopicCommand() {
		return sectionTopics
	}
	return sectionCommands
}

func fileOf(cmd *cobra.Command) string { return nameOf(cmd) + "." + sectionOf(cmd) }

func makePage(cmd *cobra.Command, source Source) []byte {
	var w roff
	date := ""
	if source.Time != nil {
		date = source.Time.UTC().Format(time.DateOnly)
	}
	w.title(strings.ToUpper(nameOf(cmd)), sectionOf(cmd), date, "worldfs "+source.Version, "worldfs manual")
	w.section("NAME")
	w.line(escape(nameOf(cmd)) + ` \- ` + escape(cmd.Short))
	if cmd.Runnable() || cmd.HasAvailableSubCommands() {
		w.section("SYNOPSIS")
		w.macro("B", cmd.UseLine())
		for _, alias := range cmd.Aliases {
			w.macro("br")
			w.macro("B", cmd.Parent().CommandPath()+" "+alias)
		}
	}
	w.section("DESCRIPTION")
	last := w.text(cmd.Long)
	commands(&w, cmd)
	flags(&w, "OPTIONS", cmd.NonInheritedFlags())
	flags(&w, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	for _, s := range last {
		w.section(s.heading)
		w.terms(s.lines)
	}
	if cmd.Example != "" {
		w.section("EXAMPLES")
		w.verbatim(strings.Split(cmd.Example, "\n"))
	}
	seeAlso(&w, cmd)
	return w.bytes()
}

func commands(w *roff, cmd *cobra.Command) {
	below := listed(cmd)
	if len(below) == 0 {
		return
	}
	w.section("COMMANDS")
	for _, c := range below {
		w.macro("TP")
		w.line(reference(c))
		w.prose(c.Short)
	}
}

func flags(w *roff, heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	w.section(heading)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		term := bold("--" + f.Name)
		if f.Shorthand != "" {
			term = bold("-"+f.Shorthand) + ", " + term
		}
		if value != "" {
			term += " " + italic(value)
		}
		if !isZero(f) {
			usage += " (default " + f.DefValue + ")"
		}
		w.macro("TP")
		w.line(term)
		w.prose(usage)
	})
}

// isZero reports whether a flag that is not given is one that says nothing.
func isZero(f *pflag.Flag) bool {
	return slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue)
}

func seeAlso(w *roff, cmd *cobra.Command) {
	var refs []string
	if cmd.HasParent() {
		refs = append(refs, reference(cmd.Parent()))
	}
	for _, c := range listed(cmd) {
		refs = append(refs, reference(c))
	}
	if len(refs) == 0 {
		return
	}
	w.section("SEE ALSO")
	for i, ref := range refs {
		if i < len(refs)-1 {
			ref += ","
		}
		w.line(ref)
	}
}

func reference(cmd *cobra.Command) string { return bold(nameOf(cmd)) + "(" + sectionOf(cmd) + ")" }
