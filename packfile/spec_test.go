package packfile_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// specReader reads packs by docs/pack-format.md alone: it shares no code with
// the package. It notes what every byte is, which makes the document's worked
// example.
type specReader struct {
	data  []byte
	major uint64
	start map[string]int // sections' offsets
	end   map[string]int
	notes []note
	types map[string]*specField // as structs

	// visit, if it is set, is told of everything in the heap as it is come to.
	visit func(ref, length, align int, text string)
}

type note struct {
	offset, length int
	text           string
}

// specField is a field, a member or an element, and a type as a struct.
type specField struct {
	Name     string          `json:"name"`
	Kind     string          `json:"kind"`
	Optional bool            `json:"optional"`
	SaveWhen string          `json:"save_when"`
	Since    uint32          `json:"since"`
	Until    uint32          `json:"until"`
	Of       json.RawMessage `json:"of"`
	Fields   []*specField    `json:"fields"`
	Values   json.RawMessage `json:"values"`
	Yields   *bool           `json:"yields"`
	Editor   bool            `json:"editor_only"` // of a type
}

// yields reports whether a type, or a field of it, says whether it yields.
func (f *specField) yields() bool {
	return f.Yields != nil || slices.ContainsFunc(f.Fields, func(f *specField) bool { return f.Yields != nil })
}

// specEntity is an entity with plain values: nil, uint64 for all integers and
// for floats' bits, []uint64 for vectors, string, []any.
type specEntity struct {
	typ      string
	revision uint32
	values   []any
	extra    []entity.Raw
}

var specSections = []string{"types", "tables", "rows", "heap", "directory", "index", "extra"}

func (r *specReader) note(offset, length int, format string, args ...any) {
	r.notes = append(r.notes, note{offset, length, fmt.Sprintf(format, args...)})
}

// u reads an unsigned integer and notes it.
func (r *specReader) u(offset, length int, what string) uint64 {
	var v uint64
	for i := range length {
		v |= uint64(r.data[offset+i]) << (8 * i)
	}
	r.note(offset, length, "%s: %d", what, v)
	return v
}

func readBySpec(t require.TestingT, data []byte) (*specReader, map[uint32]specEntity) {
	r := &specReader{data: data, start: map[string]int{}, end: map[string]int{}, types: map[string]*specField{}}
	r.header(t)
	r.readTypes(t)
	return r, r.entities(t)
}

func (r *specReader) header(t require.TestingT) {
	require.Equal(t, "89 57 50 4b 0d 0a 1a 0a", fmt.Sprintf("% x", r.data[:8]))
	r.note(0, 8, "magic")
	r.major = r.u(8, 2, "major version")
	r.u(10, 2, "minor version")
	n := int(r.u(12, 4, "sections"))
	r.note(16, 16, "world ID")
	r.note(32, 32, "based_on")
	require.EqualValues(t, len(r.data), r.u(64, 8, "file length"))
	r.u(72, 4, "entities")
	head := slices.Clone(r.data[:80+24*n])
	clear(head[76:80])
	require.Equal(t, le.Uint32(r.data[76:]), crc32.Checksum(head, crc32.MakeTable(0x82f63b78)))
	r.note(76, 4, "checksum of the header")
	for i := range n {
		at := 80 + 24*i
		kind := r.u(at, 4, "section kind")
		name := specSections[kind-1]
		r.notes[len(r.notes)-1].text += ", " + name
		r.note(at+4, 4, "its checksum")
		from := int(r.u(at+8, 8, "its offset"))
		length := int(r.u(at+16, 8, "its length"))
		require.Equal(t, le.Uint32(r.data[at+4:]), crc32.Checksum(r.data[from:from+length], crc32.MakeTable(0x82f63b78)))
		r.start[name], r.end[name] = from, from+length
	}
}

func (r *specReader) readTypes(t require.TestingT) {
	at := r.start["types"]
	for line := range bytes.Lines(r.data[at:r.end["types"]]) {
		f := &specField{Kind: "struct"}
		require.NoError(t, json.Unmarshal(line, f))
		r.note(at, len(line), "type %s", f.Name)
		r.types[f.Name] = f
		at += len(line)
	}
	major := 1
	for _, f := range r.types {
		if f.has("mat3x4", "mat4") {
			major = max(major, 2)
		}
		if f.yields() {
			major = max(major, 3)
		}
		if f.Editor || f.has("expr") {
			major = 4
		}
	}
	require.EqualValues(t, major, r.major)
}

// entities reads every entity by its directory entry and finds each by its ID.
func (r *specReader) entities(t require.TestingT) map[uint32]specEntity {
	out := map[uint32]specEntity{}
	n := (r.end["directory"] - r.start["directory"]) / 8
	for i := range n {
		at := r.start["directory"] + 8*i
		table := r.u(at, 4, fmt.Sprintf("entity %d: table", i))
		row := r.u(at+4, 4, "row")
		id, e := r.row(r.start["tables"]+32*int(table), int(row))
		require.Equal(t, i, r.lookup(id, n))
		out[id] = e
	}
	for at := r.start["index"]; at < r.end["index"]; at += 4 {
		r.u(at, 4, fmt.Sprintf("slot %d", (at-r.start["index"])/4))
	}
	ids := make([]uint32, 0, len(out))
	for id := range out {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for at := r.start["extra"]; at < r.end["extra"]; at += 12 {
		id := ids[r.u(at, 4, "entity")]
		e := out[id]
		e.extra = append(e.extra, entity.Raw{Name: r.text(at+4, "name"), Lines: r.text(at+8, "lines")})
		out[id] = e
	}
	return out
}

// lookup finds the place of an ID in the directory.
func (r *specReader) lookup(id uint32, n int) int {
	slots := uint64(n + n/2 + 1)
	h := id
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	h ^= h >> 16
	for slot := uint64(h) * slots >> 32; ; slot = (slot + 1) % slots {
		v := le.Uint32(r.data[r.start["index"]+int(4*slot):])
		if v == 0 {
			return -1
		}
		at := r.start["directory"] + 8*int(v-1)
		entry := r.start["tables"] + 32*int(le.Uint32(r.data[at:]))
		row := le.Uint32(r.data[at+4:])
		place := r.start["rows"] + int(le.Uint64(r.data[entry+8:])) + int(row*le.Uint32(r.data[entry+20:]))
		if le.Uint32(r.data[place+int(le.Uint32(r.data[entry+24:])):]) == id {
			return int(v - 1)
		}
	}
}

func (r *specReader) row(entry, row int) (uint32, specEntity) {
	e := specEntity{typ: r.text(entry, "type"), revision: uint32(r.u(entry+4, 4, "revision"))}
	rows := int(r.u(entry+8, 8, "offset of the rows"))
	r.u(entry+16, 4, "rows")
	stride := int(r.u(entry+20, 4, "bytes a row"))
	idAt := int(r.u(entry+24, 4, "offset of the ID in a row"))
	f := &specField{Kind: "struct"}
	if r.u(entry+28, 4, "flags") == 0 {
		f = r.types[e.typ]
	}
	at := r.start["rows"] + rows + row*stride
	id := uint32(r.u(at+idAt, 4, "ID"))
	e.values = r.group(f.members(e.revision), at, true, e.revision)
	return id, e
}

func (f *specField) members(revision uint32) (out []*specField) {
	for _, m := range f.Fields {
		if m.Since <= revision && (m.Until == 0 || revision < m.Until) {
			out = append(out, m)
		}
	}
	return out
}

// element returns what "of" says.
func (f *specField) element() *specField {
	e := &specField{}
	if json.Unmarshal(f.Of, &e.Kind) != nil {
		_ = json.Unmarshal(f.Of, e)
	}
	e.Name = "element"
	return e
}

// has reports whether the field, an element or a member is of one of the kinds.
func (f *specField) has(kinds ...string) bool {
	return slices.Contains(kinds, f.Kind) || f.Of != nil && f.element().has(kinds...) ||
		slices.ContainsFunc(f.Fields, func(m *specField) bool { return m.has(kinds...) })
}

// wide reports whether flags name a bit beyond the 32nd.
func (f *specField) wide() bool {
	var list []string
	if json.Unmarshal(f.Values, &list) == nil {
		return len(list) > 32
	}
	var bits map[string]int
	_ = json.Unmarshal(f.Values, &bits)
	for _, bit := range bits {
		if bit >= 32 {
			return true
		}
	}
	return false
}

var specSizes = map[string][2]int{
	"bool": {1, 1}, "i8": {1, 1}, "u8": {1, 1}, "i16": {2, 2}, "u16": {2, 2},
	"i32": {4, 4}, "u32": {4, 4}, "f32": {4, 4}, "enum": {4, 4}, "ref": {4, 4},
	"i64": {8, 8}, "u64": {8, 8}, "f64": {8, 8}, "vec2": {8, 4}, "vec3": {12, 4},
	"vec4": {16, 4}, "quat": {16, 4}, "mat3x4": {48, 4}, "mat4": {64, 4}, "guid": {16, 4},
	"string": {4, 4}, "blob": {4, 4}, "expr": {4, 4}, "set": {4, 4}, "array": {4, 4},
}

func (f *specField) size(revision uint32) (size, align int) {
	switch {
	case f.Kind == "struct":
		_, _, size, align = specLayout(f.members(revision), false, revision)
		return size, align
	case f.Kind == "flags" && f.wide():
		return 8, 8
	case f.Kind == "flags":
		return 4, 4
	}
	return specSizes[f.Kind][0], specSizes[f.Kind][1]
}

// specLayout is the rule "Layout of a row".
func specLayout(fields []*specField, row bool, revision uint32) (offsets []int, presence, size, align int) {
	offsets = make([]int, len(fields))
	at, bits := 0, 0
	align = 1
	for _, a := range []int{8, 4, 2, 1} {
		if row && a == 4 {
			at, align = at+4, max(align, 4)
		}
		for i, f := range fields {
			if s, fa := f.size(revision); fa == a {
				offsets[i], at, align = at, at+s, max(align, a)
			}
		}
	}
	for _, f := range fields {
		if f.Optional || row && f.SaveWhen != "" {
			bits++
		}
	}
	size = max(1, at+(bits+7)/8)
	return offsets, at, (size + align - 1) / align * align, align
}

func (r *specReader) group(fields []*specField, at int, row bool, revision uint32) []any {
	offsets, presence, _, _ := specLayout(fields, row, revision)
	values := make([]any, len(fields))
	bit := 0
	for i, f := range fields {
		present := true
		if f.Optional || row && f.SaveWhen != "" {
			present = r.data[at+presence+bit/8]>>(bit%8)&1 != 0
			bit++
		}
		if present {
			values[i] = r.value(f, at+offsets[i], revision)
		} else {
			s, _ := f.size(revision)
			r.note(at+offsets[i], s, "%s: absent", f.Name)
		}
	}
	if bit > 0 {
		r.note(at+presence, (bit+7)/8, "presence bits")
	}
	return values
}

func (r *specReader) value(f *specField, at int, revision uint32) any {
	size, _ := f.size(revision)
	switch f.Kind {
	case "struct":
		return r.group(f.members(revision), at, false, revision)
	case "string", "blob", "expr":
		return r.text(at, f.Name)
	case "set", "array":
		return r.list(f, at, revision)
	case "guid":
		r.note(at, 16, "%s", f.Name)
		return string(r.data[at : at+16])
	case "vec2", "vec3", "vec4", "quat":
		out := make([]uint64, size/4)
		for i := range out {
			out[i] = uint64(le.Uint32(r.data[at+4*i:]))
			r.note(at+4*i, 4, "%s.%c: %g", f.Name, "xyzw"[i], math.Float32frombits(uint32(out[i])))
		}
		return out
	case "mat3x4", "mat4":
		out := make([]uint64, size/4)
		for i := range out {
			out[i] = uint64(le.Uint32(r.data[at+4*i:]))
			r.note(at+4*i, 4, "%s[%d][%d]: %g", f.Name, i/4, i%4, math.Float32frombits(uint32(out[i])))
		}
		return out
	}
	v := r.u(at, size, f.Name)
	if f.Kind == "f64" {
		r.notes[len(r.notes)-1].text = fmt.Sprintf("%s: %g", f.Name, math.Float64frombits(v))
	}
	return v
}

func (r *specReader) text(at int, what string) string {
	ref := int(r.u(at, 4, what+": heap unit"))
	if ref == 0 {
		return ""
	}
	at = r.start["heap"] + 4*ref
	n := int(le.Uint32(r.data[at:]))
	r.note(at, 4, "length: %d", n)
	s := string(r.data[at+4 : at+4+n])
	if r.visit != nil {
		r.visit(ref, 4+n, 4, s)
	}
	r.note(at+4, n, "%q", s)
	return s
}

func (r *specReader) list(f *specField, at int, revision uint32) any {
	ref := int(r.u(at, 4, f.Name+": heap unit"))
	if ref == 0 {
		return []any{}
	}
	at = r.start["heap"] + 4*ref
	items := make([]any, le.Uint32(r.data[at:]))
	r.note(at, 4, "count: %d", len(items))
	element := []*specField{f.element()}
	_, _, stride, align := specLayout(element, false, revision)
	if r.visit != nil {
		r.visit(ref, 4+len(items)*stride, align, "")
	}
	for i := range items {
		items[i] = r.group(element, at+4+i*stride, false, revision)[0]
	}
	return items
}

// plain returns a value as a specReader does.
func plain(v entity.Value) any {
	switch k := v.Kind(); {
	case k == entity.KindNull:
		return nil
	case k == entity.KindString || k == entity.KindBlob || k == entity.KindExpr:
		return v.Text()
	case k == entity.KindGUID:
		g := v.GUID()
		return string(g[:])
	case k == entity.KindF32:
		return uint64(v.F32())
	case k.Components() > 0:
		out := make([]uint64, k.Components())
		for i := range out {
			out[i] = uint64(v.Component(i))
		}
		return out
	case k.IsList() || k == entity.KindStruct:
		out := make([]any, len(v.Items()))
		for i := range out {
			out[i] = plain(v.Items()[i])
		}
		return out
	case k.IsSigned():
		return v.Uint() << (64 - k.Bits()) >> (64 - k.Bits())
	}
	return v.Uint()
}

func requireReadBySpec(t require.TestingT, w *entity.World, data []byte) {
	_, got := readBySpec(t, data)
	require.Len(t, got, w.Len())
	for e := range w.All() {
		o := got[uint32(e.ID)]
		require.Equal(t, e.Type(), o.typ)
		require.Equal(t, e.Revision(), o.revision)
		require.Equal(t, plain(entity.NewStruct(e.Values)), any(o.values))
		require.True(t, slices.Equal(e.Unknown, o.extra))
	}
}

// requireCanonicalHeap goes through a pack in the order of the heap and finds
// everything where the specification puts it.
func requireCanonicalHeap(t require.TestingT, data []byte) {
	r, _ := readBySpec(t, data)
	next, texts := 1, map[string]int{}
	r.visit = func(ref, length, align int, text string) {
		if known, ok := texts[text]; ok {
			require.Equal(t, known, ref)
			return
		}
		if align == 8 && next%2 == 0 {
			next++
		}
		require.Equal(t, next, ref)
		next += (length + 3) / 4
		if text != "" {
			texts[text] = ref
		}
	}
	for at := r.start["tables"]; at < r.end["tables"]; at += 32 {
		r.text(at, "type")
	}
	for at := r.start["tables"]; at < r.end["tables"]; at += 32 {
		for i := range int(le.Uint32(data[at+16:])) {
			r.row(at, i)
		}
	}
	for at := r.start["extra"]; at < r.end["extra"]; at += 12 {
		r.text(at+4, "name")
		r.text(at+8, "lines")
	}
	require.Equal(t, r.end["heap"]-r.start["heap"], 4*next)
}

func TestTheSpecificationIsEnoughToRead(t *testing.T) {
	requireReadBySpec(t, doorAndLamp(), encode(t, doorAndLamp()))
	requireReadBySpec(t, everyKind(), encode(t, everyKind()))
	requireCanonicalHeap(t, encode(t, everyKind()))
	rapid.Check(t, func(t *rapid.T) {
		w := worlds().Draw(t, "world")
		requireReadBySpec(t, w, encode(t, w))
		requireCanonicalHeap(t, encode(t, w))
	})
}

func TestTheContentHashIsAsSpecified(t *testing.T) {
	data := encode(t, doorAndLamp())
	want := slices.Clone(data)
	clear(want[32:64])
	clear(want[76:80])
	p := parse(t, data)
	sum := sha256.Sum256(want)
	hash := p.Hash()
	require.Equal(t, hex.EncodeToString(sum[:]), hex.EncodeToString(hash[:]))
}

// annotated returns the pack's bytes in order, each with what it is. Bytes
// that nothing is said about are zero.
func (r *specReader) annotated() string {
	for _, name := range specSections {
		r.note(r.start[name], 0, "\n-- section %s", name)
	}
	slices.SortStableFunc(r.notes, func(a, b note) int {
		return cmp.Or(a.offset-b.offset, a.length-b.length)
	})
	var out strings.Builder
	at := 0
	for _, n := range append(r.notes, note{offset: len(r.data)}) {
		if n.offset < at {
			continue // read twice
		}
		r.dump(&out, note{at, n.offset - at, "zero"})
		if n.length == 0 && n.text != "" {
			fmt.Fprintln(&out, n.text)
		}
		r.dump(&out, n)
		at = n.offset + n.length
	}
	return out.String()
}

// dump writes lines of up to 16 bytes, the first with the note.
func (r *specReader) dump(out *strings.Builder, n note) {
	text := n.text
	for at := n.offset; at < n.offset+n.length; at += 16 {
		line := r.data[at:min(at+16, n.offset+n.length)]
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%04x  %-48s %s", at, fmt.Sprintf("% x", line), text), " "))
		text = ""
		if strings.HasPrefix(n.text, "type ") {
			text = printable(r.data[at+len(line) : min(at+32, n.offset+n.length)])
		}
	}
}

func printable(b []byte) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return '.'
		}
		return c
	}, string(b))
}
