package textcodec

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// compute puts the value of an expression in the place of a line that begins
// with "=", so that what reads the line reads the value.
func (d *decoder) compute(s *entity.Shape) error {
	if !d.begins('=') {
		return nil
	}
	source := string(bytes.Trim(d.line[1:], blank))
	v, err := expression.Compute(source)
	if err != nil {
		return d.fail("%v", err)
	}
	switch v := v.(type) {
	case bool:
		d.line = strconv.AppendBool(nil, v)
	case int:
		d.line = strconv.AppendInt(nil, int64(v), 10)
	case uint64:
		d.line = strconv.AppendUint(nil, v, 10)
	case float64:
		if d.line, err = number64(s, v); err != nil {
			return d.fail("expression %q: %v", clip([]byte(source)), err)
		}
	case string:
		d.line = []byte(v)
		if s.Kind == entity.KindString {
			d.line = bytes.TrimSuffix(appendString(nil, v, 0), []byte("\n"))
		}
	}
	d.find(entity.CodeComputed, d.number, d.field(), "%s is read as %s; fmt writes the value", clip([]byte("= "+source)), clip(d.line))
	return nil
}

// number64 returns a computed number as a line of the shape has it: for whole
// numbers without a fraction that is none.
func number64(s *entity.Shape, f float64) ([]byte, error) {
	if k := s.Kind; (k.IsSigned() || k.IsUnsigned()) && f == math.Trunc(f) {
		if math.Abs(f) > expression.MaxExact {
			return nil, fmt.Errorf("%v is a float, which beyond 2^53 is not exact", f)
		}
		return strconv.AppendInt(nil, int64(f), 10), nil
	}
	if s.Kind.Components() > 0 && !math.IsInf(float64(float32(f)), 0) {
		f = float64(float32(f)) // once: its decimals would be rounded again
	}
	return strconv.AppendFloat(nil, f, 'f', -1, 64), nil
}
