//go:build !linux

package worlddir

// Beneath returns the same directory: no mount covers it here.
func (d *Dir) Beneath() (beneath *Dir, release func(), err error) { return d, func() {}, nil }
