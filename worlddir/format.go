package worlddir

import (
	"errors"
	"fmt"
	"strconv"
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
//
// A build older than a world's format would take what it does not know for
// something broken. So it opens the world for reading only.
const Format = 2

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

// Need has world.toml record that the world needs a format, unless it records
// that or a higher one already.
func (d *Dir) Need(format int) error {
	if format <= max(d.Settings.Format, 1) {
		return nil
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
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = strconv.ErrRange
	}
	return n, err
}
