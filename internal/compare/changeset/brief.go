package changeset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/support/portable"
)

// exact returns a value as texts have it.
func exact(s *entity.Shape, v entity.Value) string {
	return printable(string(interchange.AppendValue(nil, s, v)))
}

// brief returns a value as people want to read it: floats to the third place,
// what is absent as a dash.
func brief(s *entity.Shape, v entity.Value) string {
	switch k := v.Kind(); {
	case k == entity.KindNull:
		return "–"
	case k == entity.KindF64:
		return decimal(math.Float64frombits(v.F64()))
	case k.Components() > 0:
		return components(v)
	case k == entity.KindExpr:
		return printable("= " + v.Text())
	}
	return exact(s, v)
}

// components writes a vector's numbers side by side, with a comma after each row of
// a matrix.
func components(v entity.Value) string {
	var b strings.Builder
	for i := range v.Kind().Components() {
		switch {
		case i > 0 && i%4 == 0:
			b.WriteString(", ")
		case i > 0:
			b.WriteByte(' ')
		}
		b.WriteString(decimal(float64(math.Float32frombits(v.Component(i)))))
	}
	return b.String()
}

// decimal writes a float to the third place, without zeros at the end. What is
// smaller or larger than that can show has its power of ten.
func decimal(f float64) string {
	if size := math.Abs(f); size != 0 && (size < 0.001 || size >= 1e9) {
		return strconv.FormatFloat(f, 'g', 4, 64)
	}
	text := strconv.FormatFloat(f, 'f', 3, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// isVector reports whether values of the shape are nothing but a place.
func isVector(s *entity.Shape) bool { return s.Kind == entity.KindVec2 || s.Kind == entity.KindVec3 }

// distance says how far a place is from another, "" if one is nowhere, or a matrix
// or a struct has changed otherwise than by moving.
func distance(s *entity.Shape, from, to entity.Value) string {
	x1, y1, z1, ok1 := s.Place(from)
	x2, y2, z2, ok2 := s.Place(to)
	if !ok1 || !ok2 {
		return ""
	}
	dx, dy, dz := x2-x1, y2-y1, z2-z1
	if !isVector(s) && dx == 0 && dy == 0 && dz == 0 {
		return ""
	}
	text := fmt.Sprintf("moved %s (dx %s dy %s", decimal(portable.Hypot(portable.Hypot(dx, dy), dz)), signed(dx), signed(dy))
	if to.Kind() != entity.KindVec2 {
		text += " dz " + signed(dz)
	}
	return text + ")"
}

func signed(f float64) string {
	if f > 0 {
		return "+" + decimal(f)
	}
	return decimal(f)
}

// rotation says by how much two rotations differ, "" for what is none.
func rotation(from, to entity.Value) string {
	if from.Kind() != entity.KindQuat || to.Kind() != entity.KindQuat {
		return ""
	}
	dot, a, b := 0.0, 0.0, 0.0
	for i := range 4 {
		f, t := float64(math.Float32frombits(from.Component(i))), float64(math.Float32frombits(to.Component(i)))
		dot, a, b = dot+float64(f*t), a+float64(f*f), b+float64(t*t)
	}
	angle := portable.Degrees(2 * portable.Acos(min(1, math.Abs(dot)/math.Sqrt(a*b))))
	if math.IsNaN(angle) {
		return ""
	}
	return "turned " + strconv.FormatFloat(angle, 'f', 1, 64) + "°"
}
