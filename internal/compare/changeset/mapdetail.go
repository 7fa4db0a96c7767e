package changeset

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// drawLabels names the marks where they are few, each beside its mark unless
// there is a name already.
func (m *chart) drawLabels(out *bufio.Writer) {
	if len(m.marks) > maxLabels {
		return
	}
	taken := m.occupied()
	for _, mk := range m.marks {
		text := clipTo(printable(mk.label), 40)
		width := float64(6.3 * float64(length(text)))
		if b, anchor, ok := m.room(m.on(mk.to), width, taken); ok {
			taken = append(taken, b)
			x := b.min.x
			if anchor == "end" {
				x = b.max.x
			}
			fmt.Fprintf(out, `<text class="label" x="%s" y="%s" text-anchor="%s">%s</text>`+"\n",
				units(x), units(b.max.y-3), anchor, escaped(text))
		}
	}
}

// occupied returns where the marks are.
func (m *chart) occupied() (taken []box) {
	const steps = 8
	for _, mk := range m.marks {
		from, to := m.on(mk.from), m.on(mk.to)
		for i := range steps + 1 {
			part := float64(i) / steps
			at := point{from.x + float64((to.x-from.x)*part), from.y + float64((to.y-from.y)*part)}
			taken = append(taken, box{at, at, true}.grown(4, 4))
		}
	}
	return taken
}

// room finds a place for a name near a mark: to its right, to its left, below
// or above on either side.
func (m *chart) room(at point, width float64, taken []box) (b box, anchor string, ok bool) {
	picture := box{point{margin, margin}, point{pictureWidth - margin, margin + m.height}, true}
	for _, dy := range []float64{0, 14, -14, 28, -28} {
		for _, left := range []bool{false, true} {
			anchor = "start"
			b = box{point{at.x + 9, at.y - 7 + dy}, point{at.x + 9 + width, at.y + 7 + dy}, true}
			if left {
				anchor = "end"
				b.min.x, b.max.x = at.x-9-width, at.x-9
			}
			if picture.has(b.min) && picture.has(b.max) && !meets(b, taken) {
				return b, anchor, true
			}
		}
	}
	return b, "", false
}

func meets(b box, others []box) bool {
	for _, o := range others {
		if b.min.x < o.max.x && o.min.x < b.max.x && b.min.y < o.max.y && o.min.y < b.max.y {
			return true
		}
	}
	return false
}

// drawInset shows, in a corner, where in the world the picture is, unless it
// shows all of it.
func (m *chart) drawInset(out *bufio.Writer) {
	if m.view.has(m.world.min) && m.view.has(m.world.max) {
		return
	}
	whole := m.world.grown(0.04*m.world.width(), 0.04*m.world.height())
	whole.add(m.view.min)
	whole.add(m.view.max)
	scale := insetSize / max(whole.width(), whole.height())
	width, height := float64(whole.width()*scale), float64(whole.height()*scale)
	corner := m.quietCorner(width, height)
	on := func(p point) point {
		return point{corner.x + float64((p.x-whole.min.x)*scale), corner.y + float64((whole.max.y-p.y)*scale)}
	}
	fmt.Fprintf(out, `<rect x="%s" y="%s" width="%s" height="%s" rx="4" fill="#fff" fill-opacity="0.92" stroke="#d5d7db"/>`+"\n",
		units(corner.x), units(corner.y), units(width), units(height))
	var points []point
	for _, p := range m.dots {
		if whole.has(p) {
			points = append(points, on(p))
		}
	}
	writeDots(out, points, maxInset, 0.8, "world")
	a, b := on(point{m.view.min.x, m.view.max.y}), on(point{m.view.max.x, m.view.min.y})
	fmt.Fprintf(out, `<rect x="%s" y="%s" width="%s" height="%s" fill="#1f6feb" fill-opacity="0.12" stroke="#1f6feb"/>`+"\n",
		units(a.x), units(a.y), units(max(3, b.x-a.x)), units(max(3, b.y-a.y)))
}

// quietCorner returns where the inset hides the fewest marks.
func (m *chart) quietCorner(width, height float64) point {
	const gap = 10
	left, top := margin+gap, margin+gap
	right, bottom := pictureWidth-margin-gap-width, margin+m.height-gap-height
	best, fewest := point{}, math.MaxInt
	for _, c := range []point{{right, top}, {left, top}, {right, bottom}, {left, bottom}} {
		hidden, b := 0, box{c, point{c.x + width, c.y + height}, true}.grown(8, 8)
		for _, mk := range m.marks {
			if b.has(m.on(mk.from)) || b.has(m.on(mk.to)) {
				hidden++
			}
		}
		if hidden < fewest {
			best, fewest = c, hidden
		}
	}
	return best
}

// roundBelow returns the greatest power of ten that is no more than a number above 0.
func roundBelow(most float64) float64 {
	_, exponent, _ := strings.Cut(strconv.FormatFloat(most, 'e', -1, 64), "e") // exact, as a logarithm is not
	power, _ := strconv.ParseFloat("1e"+exponent, 64)
	return power
}

// drawScale draws a bar of a round length, at most a quarter of the picture.
func (m *chart) drawScale(out *bufio.Writer, y float64) {
	most := pictureWidth / 4 / m.scale
	power := roundBelow(most)
	length := power
	for _, f := range []float64{2, 5} {
		if f*power <= most {
			length = float64(f * power)
		}
	}
	fmt.Fprintf(out, `<path d="M%[1]s %[2]sv8h%[3]sv-8m-%[4]s 4v4" fill="none" stroke="#33373d" stroke-width="1.4"/>`+"\n",
		units(margin), units(y-4), units(length*m.scale), units(length*m.scale/2))
	unit := "units"
	if length == 1 {
		unit = "unit"
	}
	fmt.Fprintf(out, `<text x="%s" y="%s">%s %s</text>`+"\n", units(margin+float64(length*m.scale)+10), units(y+5), decimal(length), unit)
	fmt.Fprintf(out, `<text class="small" x="%s" y="%s" text-anchor="end">seen from above: x to the right, y up</text>`+"\n",
		units(pictureWidth-margin), units(y+5))
}

// drawLegend says what the signs are, and how many there are of each.
func (m *chart) drawLegend(out *bufio.Writer, y float64) {
	x := margin
	entry := func(text string, sign func()) {
		sign()
		fmt.Fprintf(out, `<text x="%s" y="%s">%s</text>`+"\n", units(x+30), units(y+4.5), text)
		x += 30 + float64(7.4*float64(length(text))) + 26
	}
	for _, kind := range []markKind{moved, created, deleted, changed} {
		if n := m.count[kind]; n > 0 {
			from, to := point{x + 2, y}, point{x + 13, y}
			if kind == moved {
				to.x = x + 23
			}
			entry(count(n)+" "+words[kind], func() { writeMark(out, kind, from, to) })
		}
	}
	if len(m.marks) == 0 {
		entry("nothing that has a place changed", func() {})
	}
	if m.placeless > 0 {
		entry(count(m.placeless)+" without a place", func() {})
	}
	if len(m.dots) == 0 {
		return
	}
	entry("the rest of the world", func() { writeDots(out, []point{{x + 13, y}}, 1, 2.4, "world") })
}
