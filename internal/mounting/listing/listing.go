// Package listing lists a directory of a mount, with its entities' files among the rest.
//
// It guarantees that a name which is there from the beginning of a listing to its end is
// listed once, whatever comes and goes meanwhile, layouts included, and that a cookie
// leads back to where it was given out.
package listing

import (
	"cmp"
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// Cookies tell where in a directory a listing stands. An entity's is its ID, so
// it means the same whatever comes and goes; those of other names begin beyond
// every ID and count the names that the listing found when it came to them.
const (
	cookieDot    = 1 << 32
	cookieDotDot = cookieDot + 1
	cookieNames  = cookieDot + 2 // + index + 1
)

// fetched is how many IDs a listing takes at a time.
const fetched = 512

// Dir is a directory of the mount.
type Dir interface {
	// Inos returns its inode number, and that of the directory that it is in.
	Inos() (self, above uint64)
	// HoldsIn reports whether in some layout entities' files lie in it, and in which
	// shard.
	HoldsIn(l layout.Layout) (shard int, ok bool)
	// Others returns the names in it that are no entities', in any order.
	Others() ([]Entry, error)
	// InoOf returns the inode number of a name that was no entity's when it was listed,
	// an error that is ENOENT if it has gone since.
	InoOf(name string) (uint64, error)
}

// Entry is a name in a directory.
type Entry struct {
	Name string
	Mode uint32 // of what kind it is: S_IFREG and so on
	Ino  uint64
	Next uint64 // the cookie of what comes after it
}

// Listing is an open directory: "." and "..", the entities in order, then the other
// names in order. One goroutine uses it at a time, and the layout stays as it is
// meanwhile.
type Listing struct {
	world  *cache.World
	dir    Dir
	layout layout.Layout // when it came to the entities
	stage  stage
	after  entity.ID   // the last entity that was read
	ids    []entity.ID // the next ones
	names  []Entry     // the other names, once the listing has come to them
	next   int         // in names
}

// New returns a listing of a directory, at its beginning.
func New(w *cache.World, dir Dir) *Listing {
	return &Listing{world: w, dir: dir, layout: w.Layout()}
}

type stage uint8

const (
	atDot stage = iota
	atDotDot
	atEntities
	atNames
)

// Seek has what comes after a cookie come next; 0 is the beginning.
func (s *Listing) Seek(cookie uint64) error {
	s.ids = nil
	switch {
	case cookie == 0:
		*s = Listing{world: s.world, dir: s.dir, layout: s.layout}
	case cookie < cookieDot:
		s.begin(entity.ID(cookie))
	case cookie == cookieDot:
		s.stage = atDotDot
	case cookie == cookieDotDot:
		s.begin(0)
	default:
		return s.seekName(cookie - cookieNames)
	}
	return nil
}

// begin has the entities after one come next. A listing that begins with them goes by
// the layout of that moment to its end, whatever the layout is by then: each entity is
// listed once.
func (s *Listing) begin(after entity.ID) {
	if after == 0 {
		s.layout = s.world.Layout()
	}
	s.stage, s.after = atEntities, after
}

func (s *Listing) seekName(i uint64) error {
	if err := s.load(); err != nil {
		return err
	}
	s.stage, s.next = atNames, int(min(i, uint64(len(s.names))))
	return nil
}

// Read returns the next name, nil at the end.
func (s *Listing) Read() (*Entry, error) {
	switch s.stage {
	case atDot:
		s.stage = atDotDot
		self, _ := s.dir.Inos()
		return dots(".", self, cookieDot), nil
	case atDotDot:
		s.begin(0)
		_, above := s.dir.Inos()
		return dots("..", above, cookieDotDot), nil
	case atEntities:
		if e := s.readEntity(); e != nil {
			return e, nil
		}
		s.stage, s.next = atNames, 0
	}
	return s.readName()
}

func dots(name string, ino, cookie uint64) *Entry {
	return &Entry{Name: name, Mode: unix.S_IFDIR, Ino: ino, Next: cookie}
}

// readEntity returns the next entity, nil when there are no more.
func (s *Listing) readEntity() *Entry {
	shard, ok := s.dir.HoldsIn(s.layout)
	if !ok {
		return nil
	}
	for {
		if len(s.ids) == 0 {
			if s.ids = s.world.IDsIn(s.layout, shard, s.after, fetched); len(s.ids) == 0 {
				return nil
			}
		}
		id := s.ids[0]
		s.ids, s.after = s.ids[1:], id
		file, err := s.world.Lookup(id)
		if err != nil {
			continue // gone since
		}
		return &Entry{Name: layout.FileName(id), Mode: unix.S_IFREG, Ino: file.Ino(), Next: uint64(id)}
	}
}

// load finds the names that are no entities', unless that was done.
func (s *Listing) load() error {
	if s.names != nil {
		return nil
	}
	others, err := s.dir.Others()
	if err != nil {
		return err
	}
	names := append([]Entry{}, others...)
	names = append(names, s.adopted()...)
	slices.SortFunc(names, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	s.names = names
	return nil
}

// adopted returns the entities' names that were other names when the listing began,
// since the layout was another.
func (s *Listing) adopted() (names []Entry) {
	now := s.world.Layout()
	shard, ok := s.dir.HoldsIn(now)
	if !ok || now == s.layout {
		return nil
	}
	for after, ids := entity.ID(0), s.world.IDsIn(now, shard, 0, fetched); len(ids) > 0; ids = s.world.IDsIn(now, shard, after, fetched) {
		for _, id := range ids {
			names = append(names, Entry{Name: layout.FileName(id), Mode: unix.S_IFREG})
		}
		after = ids[len(ids)-1]
	}
	return names
}

// readName returns the next name that is no entity's, nil when there are no
// more.
func (s *Listing) readName() (*Entry, error) {
	if err := s.load(); err != nil {
		return nil, err
	}
	for s.next < len(s.names) {
		e := s.names[s.next]
		s.next++
		e.Next = cookieNames + uint64(s.next)
		ino, err := s.dir.InoOf(e.Name)
		if errors.Is(err, unix.ENOENT) {
			continue // gone since
		}
		if err != nil {
			return nil, err
		}
		e.Ino = ino
		return &e, nil
	}
	return nil, nil
}
