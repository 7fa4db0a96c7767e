// Package idrange reads id_ranges, the file that says which person or tool may create
// which entities' IDs: a range a line, from included to excluded, then keys, then
// perhaps the word disposable, then perhaps a comment.
//
//	 6000 10000 BC-AE-C5-66-28-E9 #Jonathan_office
//	28000 31000 Baker #Baker
//	58000 70000 Clusters disposable #Clusters
//
// A key is a machine's hardware address, of which a line may name several, or a
// role. What is in a disposable range may be deleted and made anew by a
// program. Lines that are empty or begin with # say nothing.
package idrange

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// Range is one line.
type Range struct {
	From, To   uint64 // IDs from From up to but not To
	Keys       []string
	Disposable bool
	Comment    string
	Line       int // from 1
}

// Has reports whether the ID is in the range.
func (r Range) Has(id entity.ID) bool { return r.From <= uint64(id) && uint64(id) < r.To }

// IsOf reports whether one of the keys is among mine.
func (r Range) IsOf(mine []string) bool {
	return slices.ContainsFunc(r.Keys, func(k string) bool { return slices.Contains(mine, normal(k)) })
}

// Owners returns the keys in the one spelling in which they are compared.
func (r Range) Owners() []string {
	owners := make([]string, len(r.Keys))
	for i, key := range r.Keys {
		owners[i] = normal(key)
	}
	return owners
}

// Error says what is wrong with a line.
type Error struct {
	File   string
	Line   int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// MaxSize is how large a file of ranges can be, in bytes.
const MaxSize = 1 << 20

// Parse reads a file. Ranges that overlap are an error, since an ID would belong
// to two.
func Parse(data []byte, file string) ([]Range, error) {
	if len(data) > MaxSize {
		return nil, &Error{file, 1, fmt.Sprintf("the file is larger than %d bytes", MaxSize)}
	}
	var ranges []Range
	for i, line := range bytes.Split(data, []byte("\n")) {
		text, comment, _ := strings.Cut(strings.TrimRight(string(line), "\r"), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		r, reason := parse(words)
		r.Comment, r.Line = strings.TrimSpace(comment), i+1
		if reason == "" {
			reason = overlap(ranges, r)
		}
		if reason != "" {
			return nil, &Error{file, i + 1, reason}
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

func parse(words []string) (r Range, reason string) {
	if len(words) < 3 {
		return r, "a range is FROM TO KEY, as in 6000 10000 Baker"
	}
	var err error
	for i, n := range []*uint64{&r.From, &r.To} {
		if *n, err = strconv.ParseUint(words[i], 10, 33); err != nil || *n > 1<<32 {
			return r, fmt.Sprintf("%q is no ID; IDs are 1 to 4294967295, and a range ends before its second number", clip(words[i]))
		}
	}
	if r.From == 0 || r.From >= r.To {
		return r, fmt.Sprintf("the range %d to %d has no IDs in it", r.From, r.To)
	}
	r.Keys = words[2:]
	if last := len(r.Keys) - 1; last > 0 && r.Keys[last] == "disposable" {
		r.Disposable, r.Keys = true, r.Keys[:last]
	}
	return r, ""
}

func overlap(ranges []Range, r Range) string {
	for _, o := range ranges {
		if o.From < r.To && r.From < o.To {
			return fmt.Sprintf("the range overlaps that of line %d, %d to %d", o.Line, o.From, o.To)
		}
	}
	return ""
}

func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// Of returns the range that an ID is in.
func Of(ranges []Range, id entity.ID) (Range, bool) {
	i := slices.IndexFunc(ranges, func(r Range) bool { return r.Has(id) })
	if i < 0 {
		return Range{}, false
	}
	return ranges[i], true
}

// Next returns the lowest ID above after in ranges of mine for which free
// holds. Disposable ranges are programs' own.
func Next(ranges []Range, mine []string, after entity.ID, free func(entity.ID) bool) (entity.ID, bool) {
	for _, r := range ranges {
		if r.Disposable || !r.IsOf(mine) {
			continue
		}
		for id := max(r.From, uint64(after)+1); id < r.To; id++ {
			if free(entity.ID(id)) {
				return entity.ID(id), true
			}
		}
	}
	return 0, false
}

// normal is a key as it is compared: hardware addresses in one spelling, roles
// as they are.
func normal(key string) string {
	if address, err := net.ParseMAC(key); err == nil {
		return address.String()
	}
	return key
}

// Mine returns the keys of this machine and of a role, "" for none.
func Mine(role string) []string {
	var keys []string
	if role != "" {
		keys = append(keys, normal(role))
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return keys
	}
	for _, i := range interfaces {
		if len(i.HardwareAddr) > 0 {
			keys = append(keys, i.HardwareAddr.String())
		}
	}
	return keys
}
