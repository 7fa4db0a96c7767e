package wal_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/wal"
)

const salt = 0x1234567890abcdef

var errBroken = errors.New("broken by the test")

// logs returns a new log and its path.
func newLog(t require.TestingT, dir string) (*wal.Log, string) {
	path := filepath.Join(dir, "state.wal")
	log, err := wal.Create(&disk.Disk{}, path, salt)
	require.NoError(t, err)
	return log, path
}

func appendAll(t require.TestingT, log *wal.Log, first uint64, payloads ...string) {
	for i, p := range payloads {
		require.NoError(t, log.Append(first+uint64(i), []byte(p)))
	}
}

func read(t require.TestingT, path string, after uint64) (payloads []string, last uint64) {
	found, last, err := wal.Read(path, salt, after)
	require.NoError(t, err)
	for _, p := range found {
		payloads = append(payloads, string(p))
	}
	return payloads, last
}

func TestWhatWasAppendedIsRead(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	found, last := read(t, path, 7)
	require.Empty(t, found)
	require.Equal(t, uint64(7), last)
	appendAll(t, log, 8, "a", "bc", "def")
	found, last = read(t, path, 7)
	require.Equal(t, []string{"a", "bc", "def"}, found)
	require.Equal(t, uint64(10), last)
	found, last = read(t, path, 9)
	require.Equal(t, []string{"def"}, found)
	require.Equal(t, uint64(10), last)
}

func TestAnAppendChangesNothingButTheBytes(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	appendAll(t, log, 1, "a", "bc")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, int64(wal.Size), info.Size())
	require.Equal(t, fs.FileMode(0o600), info.Mode())
}

// Every block is valid at all times: what a fault leaves of one is never taken for
// the end of the log, even where no record lies in it or behind it.
func TestAFaultAnywhereIsDamage(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	appendAll(t, log, 1, "first", "second", strings.Repeat("third", 500))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		data := slices.Clone(whole)
		at := random.IntN(len(data))
		if n%2 == 0 {
			at = random.IntN(8 * 512) // where the records are
		}
		switch n % 4 {
		case 0, 1:
			data[at] ^= 1 << random.IntN(8)
		case 2:
			clear(data[at&^511 : min(at&^511+1+random.IntN(8192), len(data))])
		case 3:
			data = data[:at]
		}
		_, _, err := wal.Parse(data, salt, 0)
		require.ErrorIs(t, err, wal.ErrDamaged, "%d at %d", n%4, at)
		for _, r := range wal.Salvage(data, salt) {
			require.Equal(t, []string{"first", "second", strings.Repeat("third", 500)}[r.Number-1], string(r.Payload))
		}
	}
}

func TestWholeRecordsOfADamagedLogAreSalvaged(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	appendAll(t, log, 1, "first", "second", "third")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[2*512+30] ^= 1
	clear(data[:100]) // its header
	require.Equal(t, []wal.Record{{Number: 1, Payload: []byte("first")}, {Number: 3, Payload: []byte("third")}}, wal.Salvage(data, salt))
}

func TestBlocksThatHaveChangedPlacesAreDamage(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	appendAll(t, log, 1, "first", "second", "third")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	a := slices.Clone(data[512:1024])
	copy(data[512:], data[1024:1536])
	copy(data[1024:], a)
	_, _, err = wal.Parse(data, salt, 0)
	require.ErrorIs(t, err, wal.ErrDamaged)
}

func TestWhatIsMissingInBetweenIsDamage(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	appendAll(t, log, 5, "five")
	_, _, err := wal.Read(path, salt, 3)
	require.ErrorIs(t, err, wal.ErrDamaged)
	require.ErrorContains(t, err, "record 4 is missing before record 5")
	appendAll(t, log, 7, "seven")
	_, _, err = wal.Read(path, salt, 4)
	require.ErrorIs(t, err, wal.ErrDamaged)
}

func TestTheLogOfAnotherOwnerIsRefused(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	appendAll(t, log, 1, "a")
	_, _, err := wal.Read(path, salt+1, 0)
	require.ErrorIs(t, err, wal.ErrDamaged)
}

func TestAnEmptyFileIsDamageAndNoEmptyLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.wal")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, _, err := wal.Read(path, salt, 0)
	require.ErrorIs(t, err, wal.ErrDamaged)
}

// oldRecord is a record as the format before had it.
func oldRecord(seq uint64, payload string) []byte {
	le := binary.LittleEndian
	record := le.AppendUint64(append(le.AppendUint32(nil, uint32(len(payload))), 0, 0, 0, 0), seq)
	record = append(record, payload...)
	sum := crc32.Checksum(le.AppendUint64(nil, salt), crc32.MakeTable(crc32.Castagnoli))
	sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), record[8:])
	sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), record[:4])
	le.PutUint32(record[4:], sum)
	return record
}

func TestALogOfTheFormatBeforeIsRead(t *testing.T) {
	data := make([]byte, wal.Size)
	copy(data, slices.Concat(oldRecord(5, "five"), oldRecord(6, "six"), oldRecord(7, "seven")))
	found, last, err := wal.ParseOld(data, salt, 4)
	require.NoError(t, err)
	require.Equal(t, uint64(7), last)
	require.Len(t, found, 3)
	data[16+4+16] ^= 1 // in six
	found, last, err = wal.ParseOld(data, salt, 4)
	require.ErrorIs(t, err, wal.ErrDamaged, "seven is whole behind it")
	require.Equal(t, uint64(5), last)
	require.Equal(t, [][]byte{[]byte("five")}, found)
}

func TestALogThatIsNotThereIsEmpty(t *testing.T) {
	found, last := read(t, filepath.Join(t.TempDir(), "state.wal"), 3)
	require.Empty(t, found)
	require.Equal(t, uint64(3), last)
}

func TestAFullLogTakesNothing(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	appendAll(t, log, 1, "a")
	require.ErrorIs(t, log.Append(2, make([]byte, wal.Size-2*512-(wal.Size/512-2)*20+1)), wal.ErrFull)
	found, _ := read(t, path, 0)
	require.Equal(t, []string{"a"}, found)
	require.NoError(t, log.Append(2, make([]byte, wal.Size-2*512-(wal.Size/512-2)*20)))
	found, last := read(t, path, 1)
	require.Len(t, found, 1)
	require.Equal(t, uint64(2), last)
	require.ErrorIs(t, log.Append(3, []byte("b")), wal.ErrFull)
	log.Begin()
	require.NoError(t, log.Append(3, []byte("b")))
	found, _ = read(t, path, 2)
	require.Equal(t, []string{"b"}, found)
}

func TestALogThatWasRemovedIsNoticed(t *testing.T) {
	log, path := newLog(t, t.TempDir())
	defer log.Close()
	require.True(t, log.IsAt(path))
	require.NoError(t, os.Remove(path))
	require.False(t, log.IsAt(path))
	other, _ := newLog(t, filepath.Dir(path))
	defer other.Close()
	require.False(t, log.IsAt(path))
	require.True(t, other.IsAt(path))
}

func TestEachStepOfMakingALogCanFail(t *testing.T) {
	for _, step := range []string{"write wal", "fsync wal", "rename wal", "fsync directory of wal"} {
		t.Run(step, func(t *testing.T) {
			log, path := newLog(t, t.TempDir())
			require.NoError(t, log.Close())
			_, err := wal.Create(broken(step), path, salt)
			require.ErrorIs(t, err, errBroken)
			log, err = wal.Create(&disk.Disk{}, path, salt)
			require.NoError(t, err)
			require.NoError(t, log.Close())
		})
	}
}

func broken(step string) *disk.Disk {
	return &disk.Disk{Fault: func(s string) error {
		if s == step {
			return errBroken
		}
		return nil
	}}
}

func TestEachStepOfAnAppendCanFail(t *testing.T) {
	for _, step := range []string{"write wal", "fsync wal"} {
		t.Run(step, func(t *testing.T) {
			d := &disk.Disk{}
			path := filepath.Join(t.TempDir(), "state.wal")
			log, err := wal.Create(d, path, salt)
			require.NoError(t, err)
			defer log.Close()
			appendAll(t, log, 1, "a")
			d.Fault = broken(step).Fault
			require.ErrorIs(t, log.Append(2, []byte("b")), errBroken)
			found, _ := read(t, path, 0)
			require.Equal(t, "a", found[0])
		})
	}
}

// Whatever a power cut leaves of the record that was being appended, in whatever
// life of the log: those before it are read, and it is read whole or not at all.
func TestPowerCutsInEveryLife(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		log, path := newLog(t, dir)
		defer log.Close()
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var before []byte
		var want [][]byte
		seq, after := uint64(0), uint64(0) // of the last record, and of the last of the lives before
		for range rapid.IntRange(1, 12).Draw(t, "appends") {
			if random.IntN(3) == 0 {
				log.Begin()
				want, after = nil, seq
			}
			var err error
			before, err = os.ReadFile(path)
			require.NoError(t, err)
			payload := bytes.Repeat([]byte{byte(random.IntN(4))}, 1+random.IntN(9000))
			seq++
			require.NoError(t, log.Append(seq, payload))
			want = append(want, payload)
		}
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		left := slices.Clone(before)
		for page := 0; page < len(left); page += 512 {
			if random.IntN(2) == 0 {
				copy(left[page:page+512], now[page:])
			}
		}
		found, last, err := wal.Parse(left, salt, after)
		require.NoError(t, err)
		if !bytes.Equal(left, now) {
			want, seq = want[:len(want)-1], seq-1
		}
		require.Equal(t, len(want), len(found))
		require.Equal(t, seq, last)
		for i := range want {
			require.Equal(t, want[i], found[i])
		}
	})
}

// FuzzParse reads logs of any content.
func FuzzParse(f *testing.F) {
	dir := f.TempDir()
	log, path := newLog(f, dir)
	appendAll(f, log, 1, "one", "two", "three")
	two, err := os.ReadFile(path)
	require.NoError(f, err)
	log.Begin()
	appendAll(f, log, 4, "four")
	later, err := os.ReadFile(path)
	require.NoError(f, err)
	require.NoError(f, log.Close())
	f.Add(two[:2048], uint64(salt), uint64(0))
	f.Add(later[:2048], uint64(salt), uint64(3))
	f.Add(make([]byte, 64), uint64(0), uint64(0))
	f.Add(append(oldRecord(1, "one"), oldRecord(2, "two")...), uint64(salt), uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, salt, after uint64) {
		whole := blankFilled(two, data)
		for _, data := range [][]byte{data, whole} {
			payloads, last, err := wal.Parse(data, salt, after)
			if err == nil {
				require.Equal(t, after+uint64(len(payloads)), last)
			}
			wal.Salvage(data, salt)
			_, _, _ = wal.ParseOld(data[:min(len(data), 4096)], salt, after)
		}
	})
}

// blankFilled is a log whose beginning is data.
func blankFilled(log, data []byte) []byte {
	whole := slices.Clone(log)
	copy(whole, data)
	return whole
}
