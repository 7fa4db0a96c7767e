package ship

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// MapFormat is the newest format of a ship map that is written and read.
const MapFormat = 1

// MapSuffix is what a ship map's name has after that of its pack.
const MapSuffix = ".map"

// Map says which entity of the editor's a ship ID stands for. docs/ship.md specifies its
// text.
type Map struct {
	World    entity.GUID
	Build    [32]byte // the pack's content hash
	Dense    bool     // the IDs were numbered; else they are the editor's
	ByType   bool
	Revision string // of version control, that the build was made of; "" if it is not known
	Modified bool   // and of changes that are in no revision
	Next     uint64 // what a new entity gets; no ID from here on was ever given
	Entries  []Entry
}

// Entry is a ship ID and what it stands for.
type Entry struct {
	Ship entity.ID `json:"ship"`
	Named
	Position []float64 `json:"position,omitempty"` // none, or x, y and z
	Gone     bool      `json:"gone,omitempty"`     // an earlier build had it; its ID stays its own
}

// mapHead is the first line.
type mapHead struct {
	Format   int    `json:"ship_map"`
	World    string `json:"world"`
	Build    string `json:"build"`
	IDs      string `json:"ids"`
	ByType   bool   `json:"by_type,omitempty"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Entities int    `json:"entities"`
	Next     uint64 `json:"next"`
}

// mapEnd is the last line: the SHA-256 of all lines above it.
type mapEnd struct {
	Sum string `json:"sha256"`
}

// Ways of giving IDs, as settings, maps and reports name them.
const (
	KeepIDs  = "keep"
	DenseIDs = "dense"
)

// IDs returns how the IDs were given.
func (m *Map) IDs() string {
	if m.Dense {
		return DenseIDs
	}
	return KeepIDs
}

// BuildID returns the build's ID in hexadecimal digits.
func (m *Map) BuildID() string { return hex.EncodeToString(m.Build[:]) }

// Entity returns what a ship ID stands for.
func (m *Map) Entity(id entity.ID) (Entry, bool) {
	i := sort.Search(len(m.Entries), func(i int) bool { return m.Entries[i].Ship >= id })
	if i == len(m.Entries) || m.Entries[i].Ship != id {
		return Entry{}, false
	}
	return m.Entries[i], true
}

// Live returns how many entities the build has.
func (m *Map) Live() (n int) {
	for _, in := range m.Entries {
		if !in.Gone {
			n++
		}
	}
	return n
}

// IsOf reports whether the map is of the build that a person names, by its ID or the
// first eight digits or more of it.
func (m *Map) IsOf(build string) bool {
	build = strings.ToLower(build)
	return len(build) >= 8 && strings.HasPrefix(m.BuildID(), build)
}

// back returns the editor's IDs by ship IDs, of what is there.
func (m *Map) back() map[entity.ID]entity.ID {
	ids := make(map[entity.ID]entity.ID, len(m.Entries))
	for _, in := range m.Entries {
		if !in.Gone {
			ids[in.Ship] = in.ID
		}
	}
	return ids
}

// AppendMap appends a map's text: the same map gives the same bytes.
func AppendMap(dst []byte, m *Map) []byte {
	begin := len(dst)
	dst = appendLine(dst, mapHead{
		Format: MapFormat, World: m.World.Dashed(), Build: m.BuildID(), IDs: m.IDs(), ByType: m.ByType,
		Revision: m.Revision, Modified: m.Modified, Entities: m.Live(), Next: m.Next,
	})
	for _, in := range m.Entries {
		dst = appendLine(dst, in)
	}
	sum := sha256.Sum256(dst[begin:])
	return appendLine(dst, mapEnd{hex.EncodeToString(sum[:])})
}

func appendLine(dst []byte, v any) []byte {
	out := bytes.NewBuffer(dst)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Sprintf("a line of a ship map: %v", err)) // it has no value that JSON lacks
	}
	return out.Bytes()
}

// Identity returns the map that a pack of the editor's IDs would have had.
func Identity(world entity.GUID, build [32]byte, src entity.Source) *Map {
	m := &Map{World: world, Build: build, Next: 1}
	for e := range src.All() {
		m.Entries = append(m.Entries, Entry{Ship: e.ID, Named: named(e)})
		m.Next = uint64(e.ID) + 1
	}
	return m
}
