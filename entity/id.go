package entity

import (
	"errors"
	"fmt"
	"strconv"
)

// ID is an entity's number within its world: 1 to 2^32-1. 0 is no entity; a
// ref that holds it refers to none.
type ID uint32

// MaxID is the largest ID.
const MaxID ID = 1<<32 - 1

// ErrID is what every refused ID is.
var ErrID = errors.New("an entity's ID is a number from 1 to 4294967295, without leading zeros")

// ParseID reads an ID as file names and commands spell it: decimal digits with
// no sign and no leading zeros.
func ParseID(s string) (ID, error) {
	if len(s) == 0 || len(s) > 10 || s[0] == '0' {
		return 0, fmt.Errorf("%q: %w", clip(s), ErrID)
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, fmt.Errorf("%q: %w", clip(s), ErrID)
		}
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", s, ErrID)
	}
	return ID(n), nil
}

// String returns the ID in decimal.
func (id ID) String() string { return strconv.FormatUint(uint64(id), 10) }

// clip shortens a text that came from outside to what a message can bear.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
