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
//
// Lines can overlap, as where two people have taken a range without knowing of each
// other. Such a file is read as any other; an ID in an overlap has no owner until a person,
// or worldfs ids check --fix, has settled whose it is ([Settled]). Files are changed by
// line, so that what people wrote stays as they wrote it ([Append], [Replace]).
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
	return slices.ContainsFunc(r.Keys, func(k string) bool { return slices.Contains(mine, Normal(k)) })
}

// Owners returns the keys in the one spelling in which they are compared.
func (r Range) Owners() []string {
	owners := make([]string, len(r.Keys))
	for i, key := range r.Keys {
		owners[i] = Normal(key)
	}
	return owners
}

// Size returns how many IDs are in the range.
func (r Range) Size() uint64 { return r.To - r.From }

// String returns the range as messages name it: "6000 to 10000 (Jonathan_office)".
func (r Range) String() string {
	who := r.Comment
	if who == "" {
		who = strings.Join(r.Keys, " ")
	}
	return fmt.Sprintf("%d to %d (%s)", r.From, r.To, clip(who))
}

// Error says what is wrong with a line.
type Error struct {
	File   string
	Line   int // from 1; 0 for the whole file
	Reason string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Reason
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// MaxSize is how large a file of ranges can be, in bytes.
const MaxSize = 1 << 20

// maxID is the end of the largest range.
const maxID = 1 << 32

// Parse reads a file. The error is an *Error. Ranges may overlap; see [Settled].
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
		if *n, err = strconv.ParseUint(words[i], 10, 33); err != nil || *n > maxID {
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

func clip(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Of returns the first of the ranges that an ID is in. Of those that [Settled] returns
// there is one at most.
func Of(ranges []Range, id entity.ID) (Range, bool) {
	i := slices.IndexFunc(ranges, func(r Range) bool { return r.Has(id) })
	if i < 0 {
		return Range{}, false
	}
	return ranges[i], true
}

// Normal returns a key as it is compared: a hardware address in one spelling, a role as
// it is.
func Normal(key string) string {
	if address, err := net.ParseMAC(key); err == nil {
		return address.String()
	}
	return key
}

// ToTake returns the ranges of some owners in the order in which IDs are to be taken from them:
// as they are in the file, the disposable ones last, since a program may delete what is there.
func ToTake(ranges []Range, owners []string) (mine []Range) {
	for _, disposable := range []bool{false, true} {
		for _, r := range ranges {
			if r.Disposable == disposable && r.IsOf(owners) {
				mine = append(mine, r)
			}
		}
	}
	return mine
}

// Outside returns those of some IDs that are in none of the ranges.
func Outside(ranges []Range, ids []entity.ID) (outside []entity.ID) {
	byID := sorted(ranges)
	next, end := 0, uint64(0) // the ranges that begin later, and the end of those before
	for _, id := range slices.Sorted(slices.Values(ids)) {
		for ; next < len(byID) && byID[next].From <= uint64(id); next++ {
			end = max(end, byID[next].To)
		}
		if uint64(id) >= end {
			outside = append(outside, id)
		}
	}
	return outside
}
