package packfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/packfile"
)

func islandPack(b *testing.B) []byte {
	data := encode(b, island.Generate(island.DefaultEntities, 1))
	b.SetBytes(int64(len(data)))
	return data
}

func BenchmarkParse(b *testing.B) {
	data := islandPack(b)
	b.ReportAllocs()
	for b.Loop() {
		parse(b, data)
	}
}

// BenchmarkParseFirst opens a pack whose types are not known yet.
func BenchmarkParseFirst(b *testing.B) {
	data := islandPack(b)
	b.ReportAllocs()
	for b.Loop() {
		packfile.ForgetTypes()
		parse(b, data)
	}
}

// BenchmarkParseAndWalk opens the pack and reads every byte of every row in
// place, as a game's loader does.
func BenchmarkParseAndWalk(b *testing.B) {
	data := islandPack(b)
	touched := 0
	var sum uint32
	b.ReportAllocs()
	for b.Loop() {
		touched = len(data) // the checksums touch all of it
		for _, t := range parse(b, data).Tables() {
			for i := range t.Len() {
				row := t.Row(i)
				for at := 0; at+4 <= len(row); at += 4 {
					sum += le.Uint32(row[at:])
				}
				touched += len(row)
			}
		}
	}
	b.ReportMetric(float64(touched), "touched-B/op")
	require.NotZero(b, sum)
}

func BenchmarkDecodeAll(b *testing.B) {
	p := parse(b, islandPack(b))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, p.Check())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*p.Len()), "ns/entity")
}

func BenchmarkGet(b *testing.B) {
	p := parse(b, encode(b, island.Generate(island.DefaultEntities, 1)))
	var ids []entity.ID
	for id := range p.IDs() {
		ids = append(ids, id)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_, ok := p.Get(ids[i*7919%len(ids)])
		if !ok {
			b.Fatal("not found")
		}
		i++
	}
}

func BenchmarkHas(b *testing.B) {
	p := parse(b, encode(b, island.Generate(island.DefaultEntities, 1)))
	i := uint32(0)
	for b.Loop() {
		p.Has(entity.ID(i*7919%100000 + 1))
		i++
	}
}

func BenchmarkHash(b *testing.B) {
	data := islandPack(b)
	for b.Loop() {
		packfile.Hash(data)
	}
}

func BenchmarkEncode(b *testing.B) {
	w := island.Generate(island.DefaultEntities, 1)
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		size = len(encode(b, w))
	}
	b.ReportMetric(float64(size)/float64(w.Len()), "pack-B/entity")
}
