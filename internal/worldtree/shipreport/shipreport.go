// Package shipreport shows the report of a ship build to people: as tables of text, and as
// one HTML file that needs nothing else.
package shipreport

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/worldfs/worldfs/internal/worldtree/ship"
)

//go:embed report.html
var page string

// pageTemplate is parsed where a page is asked for.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"bytes": bytesOf, "count": countOf, "share": share, "plural": plural, "grown": grown,
		"list":  func(title string, entities []ship.Named) list { return list{title, entities} },
		"first": func(entities []ship.Named) []ship.Named { return entities[:min(len(entities), maxListed)] },
		"more":  func(entities []ship.Named) int { return max(0, len(entities)-maxListed) },
	}).Parse(page))
})

// maxListed is how many entities a page lists of what was created, deleted or changed. The
// report as JSON has all.
const maxListed = 200

// list is a list of entities on a page, under its title.
type list struct {
	Title    string
	Entities []ship.Named
}

// WriteHTML writes a report as a page.
func WriteHTML(w io.Writer, r *ship.Report) error { return pageTemplate().Execute(w, r) }

// tableLines is how many lines of each table a terminal is given.
const tableLines = 20

// WriteTable writes a report as tables, the first lines of each.
func WriteTable(w io.Writer, r *ship.Report) error {
	t := &table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.line("build\t%s", r.Build)
	if r.Revision != "" {
		t.line("revision\t%s%s", r.Revision, map[bool]string{true: ", and changes in none"}[r.Modified])
	}
	t.line("ship IDs\t%s", r.IDs)
	t.line("entities\t%s", countOf(r.Entities))
	t.line("size\t%s", bytesOf(r.Bytes))
	t.types(r)
	t.largest(r)
	t.leftOut(&r.LeftOut)
	t.since(r.Since)
	return t.Flush()
}

type table struct{ *tabwriter.Writer }

func (t *table) line(format string, args ...any) {
	fmt.Fprintf(t, format+"\n", args...) // Flush says what went wrong
}

// listed writes the first lines of a list, under a title where there are any.
func (t *table) listed(title string, n int, line func(i int)) {
	if n == 0 {
		return
	}
	t.line("\n%s", title)
	for i := range min(n, tableLines) {
		line(i)
	}
	if n > tableLines {
		t.line("and %s more", countOf(n-tableLines))
	}
}

func (t *table) types(r *ship.Report) {
	title := "type\tentities\tsize"
	if r.Since != nil {
		title += "\tsince the last build"
	}
	t.listed(title, len(r.Types), func(i int) {
		s := r.Types[i]
		line := fmt.Sprintf("%s\t%s\t%s", s.Type, countOf(s.Entities), bytesOf(s.Bytes))
		if r.Since != nil && (s.Entities != s.LastEntities || s.Bytes != s.LastBytes) {
			line += fmt.Sprintf("\t%+d entities, %s", s.Entities-s.LastEntities, grown(s.Bytes, s.LastBytes))
		}
		t.line("%s", line)
	})
}

func (t *table) largest(r *ship.Report) {
	t.listed("largest\tship ID\tsize", len(r.Largest), func(i int) {
		t.line("%s\t%d\t%s", r.Largest[i].Named, r.Largest[i].Ship, bytesOf(r.Largest[i].Bytes))
	})
}

func (t *table) leftOut(n *ship.Notes) {
	t.listed("left out\tof\twhy\tentities", len(n.Types)+len(n.Fields), func(i int) {
		if i < len(n.Types) {
			t.line("%s\t\teditor_only\t%s", n.Types[i].Type, countOf(n.Types[i].Entities))
			return
		}
		f := n.Fields[i-len(n.Types)]
		t.line("%s\t%s\t%s\t%s", f.Field, f.Type, f.Why, countOf(f.Entities))
	})
	t.listed("refs that lead nowhere\tfield\tto", len(n.Dangling), func(i int) {
		t.line("%s\t%s\t%d%s", n.Dangling[i].Named, n.Dangling[i].Field, n.Dangling[i].To,
			map[bool]string{true: ", which is left out"}[n.Dangling[i].LeftOut])
	})
	t.listed("integers that may be IDs, not rewritten\tvalues\tIDs of entities", len(n.Suspects), func(i int) {
		s := n.Suspects[i]
		t.line("%s.%s (%s)\t%s\t%s%s", s.Type, s.Field, s.Kind, countOf(s.Values), countOf(s.IDs),
			map[bool]string{true: ", as most numbers that small are"}[s.Chance])
	})
	t.listed("of another type than in the earlier build, with a new ship ID", len(n.Retyped), func(i int) { t.line("%s", n.Retyped[i]) })
}

func (t *table) since(d *ship.Difference) {
	if d == nil {
		return
	}
	t.line("\nsince build %.16s: %s created, %s deleted, %s changed", d.Build, countOf(len(d.Created)), countOf(len(d.Deleted)), countOf(len(d.Changed)))
	for _, part := range []struct {
		title string
		list  []ship.Named
	}{{"created", d.Created}, {"deleted", d.Deleted}, {"changed", d.Changed}} {
		t.listed(part.title, len(part.list), func(i int) { t.line("%s", part.list[i]) })
	}
}

func bytesOf(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }

func countOf(n int) string { return humanize.Comma(int64(n)) }

func plural(n int, one, many string) string {
	return countOf(n) + " " + english.PluralWord(n, one, many)
}

// share returns how much of a whole a part is, in percent.
func share(part, whole int64) string {
	if whole == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1f", float64(part)*100/float64(whole))
}

// grown says by how much something has become larger or smaller.
func grown(is, was int64) string {
	if is < was {
		return "-" + bytesOf(was-is)
	}
	return "+" + bytesOf(is-was)
}
