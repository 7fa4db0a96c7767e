package worlddir

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/worldfs/worldfs/entity"
)

// Format is the newest format of a world that this build knows. world.toml
// records the least format that its world needs:
//
//	format = 2
//
// Left out it is 1.
//
//	1  the builds that do not read the setting
//	2  the kinds mat3x4 and mat4
//	3  yields, of a type or a field
//	4  editor_only, of a type; the kind expr
//
// A build older than a world's format would take what it does not know for
// something broken. So it opens the world for reading only.
const Format = 4

const (
	formatFirst    = 1
	formatMatrices = 2
	formatYields   = 3
	formatExpr     = 4
)

// FormatFor returns the least format of a world that declares these types.
func FormatFor(types ...*entity.Type) int {
	format := formatFirst
	for _, t := range types {
		fields := entity.Shape{Kind: entity.KindStruct, Fields: t.Fields}
		switch {
		case t.EditorOnly || fields.Declares(isExpr):
			return formatExpr
		case t.Yields || slices.ContainsFunc(t.Fields, func(f *entity.Field) bool { return f.Yields != nil }):
			format = max(format, formatYields)
		case fields.Declares(entity.Kind.IsMatrix):
			format = max(format, formatMatrices)
		}
	}
	return format
}

func isExpr(k entity.Kind) bool { return k == entity.KindExpr }

// ErrNewer says that a world needs a newer build than this one.
var ErrNewer = errors.New("the world needs a newer worldfs")

// NewerError says which format a world needs. It is ErrNewer.
type NewerError struct {
	Where string // world.toml, or the revision that it was read from
	Needs int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s: this world needs format %d, and this worldfs knows formats up to %d: get a newer worldfs; until then the world is only read",
		e.Where, e.Needs, Format)
}

// Unwrap returns ErrNewer.
func (e *NewerError) Unwrap() error { return ErrNewer }

// CheckFormat returns a NewerError where the world needs a newer build.
func (d *Dir) CheckFormat() error {
	if d.Settings.Format <= Format {
		return nil
	}
	return &NewerError{d.Plainly(d.ConfigPath()), d.Settings.Format}
}

// Records reports whether world.toml records that the world needs a format, or a
// later one. It reads the file, which a checkout may have changed.
func (d *Dir) Records(format int) (bool, error) {
	if format <= formatFirst {
		return true, nil
	}
	now := *d
	if err := now.Configure(nil); err != nil {
		return false, err
	}
	return format <= now.Settings.Format, nil
}

// Need has world.toml record that the world needs a format, unless it records
// that or a later one already.
func (d *Dir) Need(format int) error {
	if recorded, err := d.Records(format); recorded || err != nil {
		return err
	}
	if err := d.setSetting(keyFormat, strconv.Itoa(format)); err != nil {
		return err
	}
	d.Settings.Format = format
	return nil
}

// parseFormat reads the setting; "" is format 1.
func parseFormat(text string) (int, error) {
	if text == "" {
		return formatFirst, nil
	}
	n, err := strconv.Atoi(text)
	if err == nil && n < formatFirst {
		err = strconv.ErrRange
	}
	return n, err
}
