package rangecheck

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
)

// Settled is what became of a range.
type Settled struct {
	Keeps  idrange.Range   // has the IDs from now on
	Was    idrange.Range   // had them, too
	Is     []idrange.Range // what that is now
	Inside int             // entities with IDs that are the other's now, or were
}

// Settle has each ID of an overlap be one owner's. The range that was published first keeps
// it; one that is not published comes after all that are, one that is not committed last. The
// other range is cut down to what only it has or, if that is nothing, gets as many IDs
// elsewhere. Entities keep the IDs that they have, since others may refer to them by now:
// the owner of the range passes over them. It writes id_ranges, if there is anything to settle.
func Settle(ctx context.Context, w *idalloc.World) (settled []Settled, err error) {
	file, err := rangefile.Read(w.Dir)
	if err == nil && file.Wrong != nil {
		err = fmt.Errorf("%w; mend it first", file.Wrong)
	}
	if err != nil || len(idrange.Overlaps(file.Ranges)) == 0 {
		return nil, err
	}
	ages, err := agesOf(w.Dir)
	if err != nil {
		note(w, fmt.Errorf("which range was published first cannot be told, so the first line counts: %w", err))
	}
	s := settling{world: w, data: file.Data, ages: ages}
	ranges := file.Ranges
	for overlaps := idrange.Overlaps(ranges); len(overlaps) > 0; overlaps = idrange.Overlaps(ranges) {
		one, err := s.settle(ctx, overlaps[0], ranges)
		if err != nil {
			return nil, err
		}
		settled = append(settled, one)
		if ranges, err = idrange.Parse(s.data, w.Dir.RangesPath()); err != nil {
			return nil, err
		}
	}
	return settled, rangefile.Write(w.Dir, s.data)
}

// settling is a file that is being settled.
type settling struct {
	world *idalloc.World
	data  []byte
	ages  map[int]age // by line
}

func (s *settling) settle(ctx context.Context, o idrange.Overlap, ranges []idrange.Range) (Settled, error) {
	keeps, yields := o.First, o.Second
	if s.compare(yields, keeps) < 0 {
		keeps, yields = yields, keeps
	}
	one := Settled{Keeps: keeps, Was: yields, Inside: inside(s.world, o)}
	one.Is = idrange.Without(yields, o.From, o.To)
	if len(one.Is) == 0 {
		moved, err := s.world.Move(ctx, yields, ranges)
		if err != nil {
			return one, fmt.Errorf("settle %s: %w", yields, err)
		}
		one.Is = []idrange.Range{moved}
	}
	s.data = idrange.Replace(s.data, one.Is[0])
	for _, rest := range one.Is[1:] {
		s.data = idrange.Append(s.data, rest)
		if a, known := s.ages[yields.Line]; known {
			s.ages[bytes.Count(s.data, []byte("\n"))] = a
		}
	}
	return one, nil
}

// compare says which of two ranges was there first.
func (s *settling) compare(a, b idrange.Range) int {
	if c := s.ages[a.Line].compare(s.ages[b.Line]); c != 0 {
		return c
	}
	return cmp.Compare(a.Line, b.Line)
}

func inside(w *idalloc.World, o idrange.Overlap) (n int) {
	for id := range w.IDs() {
		if o.From <= uint64(id) && uint64(id) < o.To {
			n++
		}
	}
	return n
}

// ImportedKey is the key of ranges whose entities came from elsewhere: no person's role, so that
// no new IDs are taken from them.
const ImportedKey = "Imported"

// Cover adds lines for entities that are in no range, and returns them: for a world that was
// made elsewhere. A file that does not parse stays as it is.
func Cover(w *idalloc.World) (added []idrange.Range, err error) {
	file, err := rangefile.Read(w.Dir)
	if err != nil || file.Wrong != nil {
		return nil, err
	}
	added = idrange.Cover(file.Ranges, idrange.Outside(file.Ranges, slices.Collect(w.IDs())))
	data := file.Data
	for i := range added {
		added[i].Keys, added[i].Comment = []string{ImportedKey}, "what there was"
		data = idrange.Append(data, added[i])
	}
	if len(added) == 0 {
		return nil, nil
	}
	return added, rangefile.Write(w.Dir, data)
}
