package ship

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/entity"
)

// What is wrong with a ship map.
var (
	ErrNoMap    = errors.New("it is no ship map")
	ErrMapNewer = errors.New("its format is newer than this program")
	ErrMapTorn  = errors.New("it has been changed, or cut off, since it was written")
)

// ReadMap reads the map at path.
func ReadMap(path string) (*Map, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := ParseMap(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// ParseMap reads a map's text. It believes none of it before the checksum holds, and then
// that it says what a map must.
func ParseMap(data []byte) (*Map, error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	var head mapHead
	if !bytes.HasPrefix(first, []byte(`{"ship_map":`)) || json.Unmarshal(first, &head) != nil {
		return nil, ErrNoMap
	}
	if head.Format > MapFormat {
		return nil, fmt.Errorf("%w: it has format %d, and this one knows formats up to %d", ErrMapNewer, head.Format, MapFormat)
	}
	lines, err := summed(data, rest)
	if err != nil {
		return nil, err
	}
	m, err := head.open()
	if err != nil {
		return nil, err
	}
	for number := 2; len(lines) > 0; number++ {
		var line []byte
		line, lines, _ = bytes.Cut(lines, []byte("\n"))
		if err := m.add(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return m, m.check(head)
}

// summed returns the lines between the first and the last, of which that has the checksum
// of all that is above it.
func summed(data, rest []byte) ([]byte, error) {
	body, ok := bytes.CutSuffix(rest, []byte("\n"))
	if !ok {
		return nil, ErrMapTorn
	}
	at := bytes.LastIndexByte(body, '\n') + 1
	var end mapEnd
	sum := sha256.Sum256(data[:len(data)-len(rest)+at])
	if strict(body[at:], &end) != nil || end.Sum != hex.EncodeToString(sum[:]) {
		return nil, ErrMapTorn
	}
	return rest[:at], nil
}

// strict reads a line that has only what is known.
func strict(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.InputOffset() != int64(len(line)) {
		return errors.New("something stands behind the object")
	}
	return nil
}

func (h *mapHead) open() (*Map, error) {
	build, err := hex.DecodeString(h.Build)
	if err != nil || len(build) != 32 {
		return nil, fmt.Errorf("line 1: build: %q is no build's ID", h.Build)
	}
	world, err := uuid.Parse(h.World)
	if err != nil {
		return nil, fmt.Errorf("line 1: world: %w", err)
	}
	if h.IDs != KeepIDs && h.IDs != DenseIDs {
		return nil, fmt.Errorf("line 1: ids: %q is neither %s nor %s", h.IDs, KeepIDs, DenseIDs)
	}
	return &Map{
		World: entity.GUID(world), Build: [32]byte(build), Dense: h.IDs == DenseIDs, ByType: h.ByType,
		Revision: h.Revision, Modified: h.Modified, Next: h.Next,
	}, nil
}

func (m *Map) add(line []byte) error {
	var in Entry
	if err := strict(line, &in); err != nil {
		return err
	}
	switch {
	case in.Ship == 0 || in.ID == 0 || in.Type == "":
		return errors.New("it lacks a ship ID, an entity's ID or a type")
	case len(m.Entries) > 0 && in.Ship <= m.Entries[len(m.Entries)-1].Ship:
		return errors.New("its ship ID is not greater than the last")
	case len(in.Position) != 0 && len(in.Position) != 3:
		return errors.New("its position is not of three numbers")
	}
	m.Entries = append(m.Entries, in)
	return nil
}

// check finds what is wrong with the map as a whole.
func (m *Map) check(head mapHead) error {
	if m.Live() != head.Entities {
		return fmt.Errorf("it has %d entities, and says %d", m.Live(), head.Entities)
	}
	if n := len(m.Entries); n > 0 && m.Next <= uint64(m.Entries[n-1].Ship) || m.Next == 0 || m.Next > math.MaxUint32+1 {
		return fmt.Errorf("its next ID, %d, is given already", m.Next)
	}
	type thing struct {
		id  entity.ID
		typ string
	}
	seen, live := make(map[thing]bool), make(map[entity.ID]bool)
	for _, in := range m.Entries {
		if seen[thing{in.ID, in.Type}] || !in.Gone && live[in.ID] {
			return fmt.Errorf("%s is in it twice", in.Named)
		}
		seen[thing{in.ID, in.Type}] = true
		live[in.ID] = live[in.ID] || !in.Gone
	}
	return nil
}
