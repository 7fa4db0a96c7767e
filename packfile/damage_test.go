package packfile_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

var le = binary.LittleEndian

// section returns where a section of the pack lies, by its kind.
func section(data []byte, kind int) (from, to int) {
	entry := data[80+(kind-1)*24:]
	from = int(le.Uint64(entry[8:]))
	return from, from + int(le.Uint64(entry[16:]))
}

// reseal makes every checksum right again that can be made so, and the file's
// length, so that what is wrong inside is looked at.
func reseal(data []byte) []byte {
	if len(data) < 80 {
		return data
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	n := uint64(le.Uint32(data[12:]))
	if n > 64 || 80+n*24 > uint64(len(data)) {
		return data
	}
	le.PutUint64(data[64:], uint64(len(data)))
	for i := range n {
		entry := data[80+i*24:]
		from, length := le.Uint64(entry[8:]), le.Uint64(entry[16:])
		if from <= uint64(len(data)) && length <= uint64(len(data))-from {
			le.PutUint32(entry[4:], crc32.Checksum(data[from:from+length], castagnoli))
		}
	}
	le.PutUint32(data[76:], 0)
	le.PutUint32(data[76:], crc32.Checksum(data[:80+n*24], castagnoli))
	return data
}

func requireRefused(t require.TestingT, data []byte, sentinel error, section string) *packfile.Error {
	p, err := packfile.Parse(data)
	if err == nil {
		err = p.Check()
	}
	require.ErrorIs(t, err, sentinel)
	var pe *packfile.Error
	require.ErrorAs(t, err, &pe)
	require.Equal(t, section, pe.Section, "%v", err)
	return pe
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	data := encode(t, doorAndLamp())
	for bit := range 8 * len(data) {
		at := bit / 8
		data[at] ^= 1 << (bit % 8)
		_, err := packfile.Parse(data)
		data[at] ^= 1 << (bit % 8)
		var pe *packfile.Error
		require.ErrorAs(t, err, &pe, "bit %d of byte %d", bit%8, at)
		kind, from := sectionOf(data, at)
		require.Equal(t, kind, pe.Section, "bit %d of byte %d: %v", bit%8, at, err)
		require.GreaterOrEqual(t, pe.Offset, int64(from))
		require.NotEmpty(t, pe.Reason)
	}
}

// sectionOf returns the section that a byte lies in; the padding before a
// section belongs to it.
func sectionOf(data []byte, at int) (name string, from int) {
	names := []string{"header", "types", "tables", "rows", "heap", "directory", "index", "extra"}
	if at < 80+7*24 {
		return names[0], 0
	}
	end := 80 + 7*24
	for kind := 1; kind <= 7; kind++ {
		_, to := section(data, kind)
		if at < to {
			return names[kind], end
		}
		end = to
	}
	return "", 0
}

func TestEveryTruncationIsFound(t *testing.T) {
	data := encode(t, doorAndLamp())
	for n := range len(data) {
		requireRefused(t, slices.Clone(data[:n]), packfile.ErrTruncated, "header")
	}
	requireRefused(t, append(slices.Clone(data), 0), packfile.ErrCorrupt, "header")
}

func TestANewerFormatIsRefusedByBothVersions(t *testing.T) {
	data := encode(t, doorAndLamp())
	le.PutUint16(data[8:], packfile.Major+1)
	le.PutUint16(data[10:], 5)
	pe := requireRefused(t, data, packfile.ErrNewer, "header")
	require.ErrorContains(t, pe, fmt.Sprintf("version %d.5", packfile.Major+1))
	require.ErrorContains(t, pe, fmt.Sprintf("up to %d.x", packfile.Major))
	require.ErrorContains(t, pe, "use a newer worldfs")
}

// matrices is a world whose only field is of the shape.
func matrices(s entity.Shape) *entity.World {
	typ := &entity.Type{Name: "Node", Revision: 3, Fields: []*entity.Field{{Name: "f", Shape: s, Until: 2}}}
	w := entity.NewWorld(entity.GUID{7}, entity.NewTypes(typ))
	w.Put(entity.New(1, typ.Current()))
	w.Put(entity.New(2, typ.Layout(1)))
	return w
}

func TestTheVersionIsTheLeastThatHasThePacksKinds(t *testing.T) {
	mat4 := entity.Shape{Kind: entity.KindMat4}
	member := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{{Name: "m", Shape: entity.Shape{Kind: entity.KindMat3x4}}}}
	for _, c := range []struct {
		shape entity.Shape
		major uint16
	}{
		{entity.Shape{Kind: entity.KindQuat}, 1},
		{mat4, 2},
		{member, 2},
		{entity.Shape{Kind: entity.KindArray, Of: &mat4}, 2},
		{entity.Shape{Kind: entity.KindArray, Of: &member}, 2},
	} {
		w := matrices(c.shape)
		data := encode(t, w)
		require.Equal(t, c.major, le.Uint16(data[8:]))
		requireSame(t, w, parse(t, data))
		requireReadBySpec(t, w, data)

		le.PutUint16(data[8:], 3-c.major)
		requireRefused(t, reseal(data), packfile.ErrCorrupt, "header")
	}
}

func TestAPackThatSaysWhatYieldsHasItsVersion(t *testing.T) {
	no := false
	for _, shape := range []entity.Kind{entity.KindQuat, entity.KindMat4} {
		for _, yields := range []func(*entity.Type){
			func(t *entity.Type) { t.Yields = true },
			func(t *entity.Type) { t.Fields[0].Yields = &no },
		} {
			w := matrices(entity.Shape{Kind: shape})
			yields(w.Types.Get("Node"))
			data := encode(t, w)
			require.EqualValues(t, 3, le.Uint16(data[8:]))
			requireSame(t, w, parse(t, data))
			requireReadBySpec(t, w, data)
			le.PutUint16(data[8:], 2)
			requireRefused(t, reseal(data), packfile.ErrCorrupt, "header")
		}
	}
}

func TestAWorldThatGetsAMatrixGetsTheVersion(t *testing.T) {
	first, then := matrices(entity.Shape{Kind: entity.KindQuat}), matrices(entity.Shape{Kind: entity.KindMat3x4})
	for _, c := range [][2]*entity.World{{first, then}, {then, first}} {
		old := parse(t, encode(t, c[0]))
		old.MarkEncoded()
		changes := map[entity.ID]*entity.Entity{}
		for e := range c[1].All() {
			changes[e.ID] = e
		}
		p, err := packfile.EncodeChanges(c[1].ID, c[1].Types, old, changes)
		require.NoError(t, err)
		require.Equal(t, encode(t, c[1]), p.Bytes())
	}
}

func TestANewerMinorVersionMayHaveMoreSections(t *testing.T) {
	old := encode(t, doorAndLamp())
	const more = 24
	data := slices.Concat(old[:80+7*24], make([]byte, more), old[80+7*24:])
	le.PutUint16(data[10:], 1)
	le.PutUint32(data[12:], 8)
	for kind := 1; kind <= 7; kind++ {
		entry := data[80+(kind-1)*24:]
		le.PutUint64(entry[8:], le.Uint64(entry[8:])+more)
	}
	_, end := section(data, 7)
	data = append(data, make([]byte, (end+7)&^7-end)...)
	entry := data[80+7*24:]
	le.PutUint32(entry, 99)
	le.PutUint64(entry[8:], uint64(len(data)))
	le.PutUint64(entry[16:], 5)
	data = reseal(append(data, "hello"...))
	requireSame(t, doorAndLamp(), parse(t, data))
	data[len(data)-1] ^= 1
	requireRefused(t, data, packfile.ErrChecksum, "of kind 99")
}

func TestWhatIsNoPackIsRefused(t *testing.T) {
	requireRefused(t, []byte("Door\n72\n6555\n"), packfile.ErrMagic, "header")
	dir := t.TempDir()
	_, err := packfile.ReadFile(dir)
	require.ErrorContains(t, err, "is not a file")
	path := filepath.Join(dir, "world.pack")
	_, err = packfile.ReadFile(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte("not a pack at all"), 0o644))
	_, err = packfile.ReadFile(path)
	require.ErrorIs(t, err, packfile.ErrMagic)
	require.ErrorContains(t, err, path)
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	_, err = packfile.ReadFile(path)
	require.ErrorIs(t, err, packfile.ErrTruncated)
	require.NoError(t, os.WriteFile(path, encode(t, doorAndLamp()), 0o644))
	p, err := packfile.ReadFile(path)
	require.NoError(t, err)
	requireSame(t, doorAndLamp(), p)
}

// A wrong writer's packs: checksums right, contents not.
func TestAPackOfAWrongWriterIsRefusedWithThePlace(t *testing.T) {
	const types, tables, rows, heap, directory, index, extra = 1, 2, 3, 4, 5, 6, 7
	u32 := func(v uint32) []byte { return le.AppendUint32(nil, v) }
	for name, c := range map[string]struct {
		section, at int // the offset in the section
		bytes       []byte
		want        string // the section that the error names
		reason      string
	}{
		"type's JSON":        {types, 0, []byte("["), "types", ""},
		"type's line end":    {types, 10, []byte("\n"), "types", ""},
		"table's name":       {tables, 0, u32(1 << 30), "heap", "reference to unit"},
		"table's other name": {tables, 0, u32(0), "tables", "no declaration"},
		"revision":           {tables, 32 + 4, u32(1), "tables", "the type's declaration gives"},
		"rows' offset":       {tables, 8, u32(8), "tables", "begin at 8"},
		"row count":          {tables, 16, u32(1 << 31), "tables", "rows of"},
		"stride":             {tables, 20, u32(0), "tables", "declaration gives"},
		"flags":              {tables, 28, u32(2), "tables", "flags"},
		"an ID":              {rows, 0, u32(6000), "directory", "comes after"},
		"a bool":             {rows, 24, []byte{2}, "rows", "Door 6555, field locked: the bool is 2"},
		"string's ref":       {rows, 16, u32(1 << 20), "heap", "Door 6555, field entity_name: a reference"},
		"string's length":    {heap, 0x14, u32(1 << 31), "heap", "go beyond the end"},
		"string's bytes":     {heap, 0x18, []byte{0xff}, "heap", "field entity_name: the string is not UTF-8"},
		"set's order":        {heap, 0x28, u32(7000), "heap", "field targets: the set is not in order"},
		"directory's table":  {directory, 0, u32(2), "directory", "table 2 of 2"},
		"directory's row":    {directory, 4, u32(1), "directory", "row 1 of table 1"},
		"index without ID":   {index, 0, nil, "index", "of its slots are used"},
		"extra's entity":     {extra, 0, u32(2), "extra", "entity 2 of 2"},
		"extra's lines":      {extra, 8, u32(1 << 20), "heap", "Lamp 6001, unknown fields: a reference"},
	} {
		t.Run(name, func(t *testing.T) {
			data := encode(t, doorAndLamp())
			from, to := section(data, c.section)
			copy(data[from+c.at:to], c.bytes)
			if c.bytes == nil {
				clear(data[from:to])
			}
			pe := requireRefused(t, reseal(data), packfile.ErrCorrupt, c.want)
			require.Contains(t, pe.Reason, c.reason)
		})
	}
}

func TestAnEntityThatCannotBeDecodedIsTold(t *testing.T) {
	data := encode(t, doorAndLamp())
	from, _ := section(data, 3)
	data[from+24] = 2 // the door's bool
	p := parse(t, reseal(data))
	_, ok := p.Get(6555)
	require.False(t, ok)
	require.ErrorIs(t, p.Err(), packfile.ErrCorrupt)
	_, ok = p.Get(6001)
	require.True(t, ok, "the others are as good as ever")
	_, err := packfile.Encode(p.World(), p.Types(), p)
	require.ErrorIs(t, err, packfile.ErrCorrupt, "no pack is made without it")
}

// Lists that refer to each other many times would be a bomb.
func TestSharedListsAreRefused(t *testing.T) {
	s := entity.Shape{Kind: entity.KindU8}
	for range 8 {
		of := s
		s = entity.Shape{Kind: entity.KindArray, Of: &of}
	}
	typ := &entity.Type{Name: "Bomb", Fields: []*entity.Field{{Name: "a", Shape: s}}}
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(typ))
	v := entity.NewUint(entity.KindU8, 1)
	for range 7 {
		v = entity.NewList(entity.KindArray, []entity.Value{v})
	}
	v = entity.NewList(entity.KindArray, slices.Repeat([]entity.Value{v}, 20)) // makes the heap large enough
	e := entity.New(1, typ.Current())
	e.Values[0] = v
	w.Put(e)
	data := encode(t, w)
	from, to := section(data, 4)
	heap := data[from:to]
	const n = 20
	for level := range 8 { // n references each to the next level's list
		unit := 3 + level*(1+n) // after "Bomb"
		le.PutUint32(heap[4*unit:], n)
		for k := range n {
			le.PutUint32(heap[4*(unit+1+k):], uint32(unit+1+n))
		}
	}
	_, err := packfile.Parse(reseal(data))
	require.NoError(t, err)
	requireRefused(t, data, packfile.ErrCorrupt, "heap")
}

// Whatever was changed in a pack, reading it ends with values or an error.
func TestDamagedPacksNeverPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := encode(t, worlds().Draw(t, "world"))
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			data[at] = rapid.Byte().Draw(t, "byte")
		}
		touch(reseal(data))
	})
}

// touch reads all that there is to read.
func touch(data []byte) {
	p, err := packfile.Parse(data)
	if err != nil {
		if pe := (*packfile.Error)(nil); !errors.As(err, &pe) {
			panic("an error without a place: " + err.Error())
		}
		return
	}
	for id := range p.IDs() {
		p.Get(id)
	}
	for e := range p.All() {
		_ = e.String()
	}
	_ = p.Check()
}

func FuzzParse(f *testing.F) {
	data := encode(f, doorAndLamp())
	f.Add(data, false)
	f.Add(data, true)
	f.Add(encode(f, entity.NewWorld(entity.GUID{}, nil)), true)
	f.Add(encode(f, everyKind()), true)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			data = reseal(slices.Clone(data))
		}
		touch(data)
		p, err := packfile.Parse(data)
		if err != nil || p.Check() != nil {
			return
		}
		again, err := packfile.Encode(p.World(), p.Types(), p)
		if err != nil {
			t.Fatalf("what reads well is written: %v", err)
		}
		for e := range parse(t, again).All() {
			o, _ := p.Get(e.ID)
			require.True(t, e.Equal(o))
		}
	})
}

// FuzzPatched writes numbers over places of good packs, beyond the declarations
// of types, of which FuzzParse changes little else.
func FuzzPatched(f *testing.F) {
	packs := [][]byte{encode(f, doorAndLamp()), encode(f, everyKind())}
	f.Add(byte(0), []byte{})
	f.Add(byte(1), []byte{64, 0, 1, 0, 0, 0, 80, 1, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(_ *testing.T, which byte, patches []byte) {
		data := slices.Clone(packs[int(which)%len(packs)])
		from, _ := section(data, 2)
		for ; len(patches) >= 6; patches = patches[6:] {
			at := from + int(le.Uint16(patches))%(len(data)-from-3)
			copy(data[at:], patches[2:6])
		}
		touch(reseal(data))
	})
}

// everyKind is a world with a value of every kind, in and out of lists and
// structs.
func everyKind() *entity.World {
	var members []*entity.Field
	for k := entity.KindBool; k <= entity.KindRef; k++ {
		members = append(members, &entity.Field{Name: k.String(), Shape: entity.Shape{Kind: k, Optional: k%2 == 0}})
	}
	all := entity.Shape{Kind: entity.KindStruct, Fields: members}
	typ := &entity.Type{Name: "All", Revision: 1, Fields: append(slices.Clone(members),
		&entity.Field{Name: "struct", Shape: all},
		&entity.Field{Name: "structs", Shape: entity.Shape{Kind: entity.KindArray, Of: &all}},
		&entity.Field{Name: "maybe", Shape: entity.Shape{Kind: entity.KindArray, Of: &entity.Shape{Kind: entity.KindString, Optional: true}}},
	)}
	w := entity.NewWorld(entity.GUID{9}, entity.NewTypes(typ))
	e := entity.New(1, typ.Current())
	n := len(members)
	e.Values[n+1] = entity.NewList(entity.KindArray, []entity.Value{e.Values[n], e.Values[n]})
	e.Values[n+2] = entity.NewList(entity.KindArray, []entity.Value{entity.NewString("x"), {}, entity.NewString("")})
	w.Put(e)
	return w
}
