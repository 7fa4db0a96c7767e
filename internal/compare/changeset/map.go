package changeset

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/portable"
)

// Map draws a change set as SVG, seen from above (x to the right, y up): what
// was moved as arrows, what was made, taken away and otherwise changed as marks,
// and the rest of the world, which the set is made on, as grey dots. The same
// set and world give the same bytes.
func Map(w io.Writer, set entity.ChangeSet, world entity.Source) error {
	var m chart
	m.collect(set, world)
	m.frame()
	out := bufio.NewWriter(w)
	m.draw(out)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write map: %w", err)
	}
	return nil
}

// Sizes of the picture, in its own units.
const (
	pictureWidth = 960.0
	maxHeight    = 720.0
	minHeight    = 420.0
	margin       = 24.0
	footer       = 64.0
	insetSize    = 150.0

	maxDots   = 6000 // of the rest of the world; beyond that a sample
	maxInset  = 1500
	maxLabels = 14 // marks that have their names beside them
)

type point struct{ x, y float64 }

// mark is an entity that changed.
type mark struct {
	kind     markKind
	from, to point
	label    string
}

type markKind int

const (
	changed markKind = iota // drawn first, so that the rarer ones are on top
	moved
	deleted
	created
	kinds
)

// box is a part of the plane; empty while it has no point.
type box struct {
	min, max point
	some     bool
}

func (b *box) add(p point) {
	if !b.some {
		*b = box{p, p, true}
		return
	}
	b.min = point{min(b.min.x, p.x), min(b.min.y, p.y)}
	b.max = point{max(b.max.x, p.x), max(b.max.y, p.y)}
}

func (b box) width() float64  { return b.max.x - b.min.x }
func (b box) height() float64 { return b.max.y - b.min.y }

func (b box) has(p point) bool {
	return p.x >= b.min.x && p.x <= b.max.x && p.y >= b.min.y && p.y <= b.max.y
}

// grown returns the box, larger by so much on each side.
func (b box) grown(x, y float64) box {
	x, y = float64(x), float64(y) // of products: see on
	return box{point{b.min.x - x, b.min.y - y}, point{b.max.x + x, b.max.y + y}, true}
}

type chart struct {
	marks     []mark
	count     [kinds]int
	placeless int
	dots      []point // the rest of the world
	world     box     // of everything
	view      box     // what is shown
	height    float64 // of the part of the picture that shows it
	scale     float64 // units of the picture to one of the world
}

func place(e *entity.Entity) (point, bool) {
	if e == nil {
		return point{}, false
	}
	x, y, _, ok := entity.Position(e)
	return point{x, y}, ok
}

func (m *chart) collect(set entity.ChangeSet, world entity.Source) {
	touched := make(map[entity.ID]bool)
	var extent box
	for changes := range blocks(set) {
		touched[changes[0].ID] = true
		mk, ok := markOf(beforeAfter(changes, world))
		if !ok {
			m.placeless++
			continue
		}
		m.marks = append(m.marks, mk)
		m.count[mk.kind]++
		extent.add(mk.from)
		extent.add(mk.to)
	}
	m.view, m.world = extent, extent
	if world == nil {
		return
	}
	for e := range world.All() {
		if p, ok := place(e); ok && !touched[e.ID] {
			m.dots = append(m.dots, p)
		}
	}
	for _, p := range corners(m.dots) {
		m.world.add(p)
	}
}

// corners returns two corners of where most of the points are. A few that are
// far out, where people put what is to be nowhere, do not count.
func corners(points []point) []point {
	if len(points) == 0 {
		return nil
	}
	low, high := point{}, point{}
	for _, axis := range []struct {
		of        func(point) float64
		low, high *float64
	}{
		{func(p point) float64 { return p.x }, &low.x, &high.x},
		{func(p point) float64 { return p.y }, &low.y, &high.y},
	} {
		all := make([]float64, len(points))
		for i, p := range points {
			all[i] = axis.of(p)
		}
		slices.Sort(all)
		last := len(all) - 1
		from, to := all[last/100], all[last-last/100]
		*axis.low, *axis.high = max(all[0], from-float64((to-from)/4)), min(all[last], to+float64((to-from)/4))
	}
	return []point{low, high}
}

// markOf returns what is drawn of an entity that was one and is the other.
func markOf(before, after *entity.Entity) (mark, bool) {
	from, was := place(before)
	to, is := place(after)
	switch {
	case was && is && from != to:
		return mark{moved, from, to, after.String()}, true
	case was && is:
		return mark{changed, to, to, after.String()}, true
	case is:
		return mark{created, to, to, after.String()}, true
	case was:
		return mark{deleted, from, from, before.String()}, true
	}
	return mark{}, false
}

// frame chooses what part of the world is shown: what changed, with something
// of the world around it, so that people see where they are.
func (m *chart) frame() {
	if !m.world.some {
		m.world.add(point{-1, -1})
		m.world.add(point{1, 1})
	}
	around := 0.12 * max(m.view.width(), m.view.height())
	around = max(around, 0.04*max(m.world.width(), m.world.height()), 1)
	if !m.view.some || 2*(m.view.width()+2*around) > m.world.width() && 2*(m.view.height()+2*around) > m.world.height() {
		m.view = m.world
		around = 0.04 * max(m.world.width(), m.world.height(), 1)
	}
	m.view = m.view.grown(around, around)
	width := pictureWidth - 2*margin
	m.scale = width / m.view.width()
	m.height = min(max(m.view.height()*m.scale, minHeight), maxHeight)
	m.scale = min(m.scale, m.height/m.view.height())
	// The view takes the shape of the picture.
	m.view = m.view.grown((width/m.scale-m.view.width())/2, (m.height/m.scale-m.view.height())/2)
}

// on returns where a place is in the picture. Here as elsewhere a product that is added is
// converted, so that no compiler makes one rounding of two: a map has the same bytes on every
// machine.
func (m *chart) on(p point) point {
	return point{margin + float64((p.x-m.view.min.x)*m.scale), margin + float64((m.view.max.y-p.y)*m.scale)}
}

// style is how the picture looks; kinds of marks have a class each.
const style = `<style>
text{font:13px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:#33373d}
.label{font-size:11px;paint-order:stroke;stroke:#fcfbf8;stroke-width:3px;stroke-linejoin:round}
.small{font-size:11px;fill:#6b7280}
.world{fill:#b9bcc2}
.moved{stroke:#1f6feb;stroke-width:1.6;fill:none;stroke-linecap:round}
.head{fill:#1f6feb}
.was{stroke:#1f6feb;stroke-width:1.2;fill:#fcfbf8}
.created{fill:#1a9850;stroke:#fcfbf8;stroke-width:1.2}
.deleted{stroke:#d73027;stroke-width:2.4;fill:none;stroke-linecap:round}
.changed{stroke:#e08214;stroke-width:1.8;fill:#fff3df}
</style>
`

func (m *chart) draw(out *bufio.Writer) {
	height := m.height + 2*margin + footer
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s">`+"\n",
		units(pictureWidth), units(height), units(pictureWidth), units(height))
	out.WriteString(style)
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n"+
		`<clipPath id="view"><rect x="%[1]s" y="%[1]s" width="%[2]s" height="%[3]s" rx="6"/></clipPath>`+"\n"+
		`<rect x="%[1]s" y="%[1]s" width="%[2]s" height="%[3]s" rx="6" fill="#fcfbf8" stroke="#d5d7db"/>`+"\n"+
		`<g clip-path="url(#view)">`+"\n", units(margin), units(pictureWidth-2*margin), units(m.height))
	m.drawDots(out)
	for kind := range kinds {
		for _, mk := range m.marks {
			if mk.kind == kind {
				m.drawMark(out, mk)
			}
		}
	}
	m.drawLabels(out)
	out.WriteString("</g>\n")
	m.drawInset(out)
	m.drawScale(out, m.height+2*margin+8)
	m.drawLegend(out, m.height+2*margin+40)
	out.WriteString("</svg>\n")
}

// drawDots draws the rest of the world, of many entities a part that is spread
// evenly over their order.
func (m *chart) drawDots(out *bufio.Writer) {
	var shown []point
	for _, p := range m.dots {
		if m.view.has(p) {
			shown = append(shown, m.on(p))
		}
	}
	radius := 1.6
	if len(shown) < 400 {
		radius = 2.4
	}
	writeDots(out, shown, maxDots, radius, "world")
}

func writeDots(out *bufio.Writer, points []point, most int, radius float64, class string) {
	step := max(1, (len(points)+most-1)/most)
	fmt.Fprintf(out, `<path class="%s" d="`, class)
	r, d := units(radius), units(2*radius)
	for i := 0; i < len(points); i += step {
		fmt.Fprintf(out, "M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 -%s 0", units(points[i].x-radius), units(points[i].y), r, r, d, r, r, d)
	}
	out.WriteString(`"/>` + "\n")
}

func (m *chart) drawMark(out *bufio.Writer, mk mark) {
	fmt.Fprintf(out, "<g><title>%s %s</title>", escaped(mk.label), words[mk.kind])
	writeMark(out, mk.kind, m.on(mk.from), m.on(mk.to))
	out.WriteString("</g>\n")
}

var words = [kinds]string{changed: "changed", moved: "moved", deleted: "deleted", created: "created"}

// writeMark draws the sign of a kind of change.
func writeMark(out *bufio.Writer, kind markKind, from, to point) {
	x, y := to.x, to.y
	switch kind {
	case moved:
		writeArrow(out, from, to)
	case created:
		fmt.Fprintf(out, `<path class="created" d="M%s %sh4v4h4v4h-4v4h-4v-4h-4v-4h4z"/>`, units(x-2), units(y-6))
	case deleted:
		fmt.Fprintf(out, `<path class="deleted" d="M%[1]s %[2]sl8 8m0 -8l-8 8"/>`, units(x-4), units(y-4))
	default:
		fmt.Fprintf(out, `<circle class="changed" cx="%s" cy="%s" r="3.6"/>`, units(x), units(y))
	}
}

// writeArrow draws an arrow with a ring where it begins. One too short to be
// seen is a diamond.
func writeArrow(out *bufio.Writer, from, to point) {
	dx, dy := to.x-from.x, to.y-from.y
	length := portable.Hypot(dx, dy)
	if length < 5 {
		fmt.Fprintf(out, `<path class="head" d="M%s %sl5 5l-5 5l-5 -5z"/>`, units(to.x), units(to.y-5))
		return
	}
	dx, dy = dx/length, dy/length
	size := min(9, float64(0.7*length))
	along, across := point{float64(dx * size), float64(dy * size)}, point{float64(dx * size * 0.45), float64(dy * size * 0.45)}
	neck := point{to.x - float64(along.x*0.8), to.y - float64(along.y*0.8)}
	left := point{to.x - along.x - across.y, to.y - along.y + across.x}
	right := point{to.x - along.x + across.y, to.y - along.y - across.x}
	fmt.Fprintf(out, `<path class="moved" d="M%s %sL%s %s"/>`, units(from.x), units(from.y), units(neck.x), units(neck.y))
	fmt.Fprintf(out, `<circle class="was" cx="%s" cy="%s" r="%s"/>`, units(from.x), units(from.y), units(min(2.6, 0.3*length)))
	fmt.Fprintf(out, `<path class="head" d="M%s %sL%s %sL%s %sL%s %sz"/>`, units(to.x), units(to.y),
		units(left.x), units(left.y), units(neck.x), units(neck.y), units(right.x), units(right.y))
}

// units writes a length of the picture.
func units(f float64) string {
	text := strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
	if text == "-0" {
		return "0"
	}
	return text
}

func escaped(s string) string {
	var b strings.Builder
	// Writing to a Builder does not fail.
	_ = xml.EscapeText(&b, []byte(printable(s)))
	return b.String()
}

func count(n int) string { return humanize.Comma(int64(n)) }
