package resolve

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/leftconflict"
	"github.com/worldfs/worldfs/internal/worldtree/lostedits"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// What a command kept and something has damaged is told and makes do; of a later version
// it is told and stays as it is; nothing panics.
func TestDamagedRecords(t *testing.T) {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	const whole, damaged, later = "", "damaged", "is of a later worldfs (version 2; this one knows 1)"
	for text, want := range map[string]string{
		"": damaged, "{": damaged, "\x00": damaged, "3": damaged, `[{"operation":3,"key":3}]`: damaged,
		`{"version":1,"records":3}`: damaged, `{"version":1,"records":[{"key":"x","operat`: damaged,
		`{"version":2,"records":{"of":"another kind"}}`: later,
		"null": whole, "[]": whole, "[null]": whole, "[{}]": whole, "{}": whole, `{"version":1}`: whole, `{"version":1,"records":[null,{}]}`: whole,
		`[{"operation":"merge a b","key":"x","wrote":null,"choices":[{}],"changes":"nonsense"}]`: whole,
	} {
		for name, use := range map[string]func(note func(error)) error{
			worlddir.LostName: func(note func(error)) error {
				lost, _, err := FindLost(dir, Search{Keep: (*worlddir.Dir).Keep, Note: func(text string) { note(errors.New(text)) }})
				require.Empty(t, lost)
				return err
			},
			worlddir.ResolvedName: func(note func(error)) (err error) {
				op := &vcs.Operation{Kind: vcs.Merging, Ours: "a", Theirs: "b"}
				r := &Resolution{Operation: op, dir: dir, keepFile: (*worlddir.Dir).Keep}
				if r.past, err = readRecord(dir, op); errors.Is(err, keptfile.ErrDamaged) {
					note(err)
				} else if err != nil {
					return err
				}
				r.past.Wrote["x"] = "y"
				return r.keep()
			},
		} {
			path := filepath.Join(dir.StatePath(), name)
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			var notes []string
			err := use(func(note error) { notes = append(notes, note.Error()) })
			now, readErr := os.ReadFile(path)
			require.NoError(t, readErr)
			switch want {
			case later:
				require.ErrorContains(t, err, name+" "+later)
				require.Equal(t, text, string(now))
				continue
			case damaged:
				require.Len(t, notes, 1, "%s: %q", name, text)
				require.Contains(t, notes[0], name+": it is damaged")
			default:
				require.Empty(t, notes, "%s: %q", name, text)
			}
			require.NoError(t, err, "%s: %q", name, text)
			require.NoError(t, use(func(note error) { t.Errorf("it is told again: %v", note) }))
		}
	}
}

// Two processes that keep something at once lose neither's.
func TestRecordsOfTwoProcesses(t *testing.T) {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{})
	require.NoError(t, err)
	op := &vcs.Operation{Kind: vcs.Merging, Ours: "a", Theirs: "b"}
	open := func() *Resolution {
		r := &Resolution{Operation: op, dir: dir, keepFile: (*worlddir.Dir).Keep}
		r.past, err = readRecord(dir, op)
		require.NoError(t, err)
		return r
	}
	one, two := open(), open()
	_, err = one.Remember(Choice{ID: 1, Take: Mine})
	require.NoError(t, err)
	undo, err := two.Remember(Choice{ID: 2, Take: Shared})
	require.NoError(t, err)
	require.Len(t, open().past.Choices, 2)
	require.NoError(t, undo())
	require.Equal(t, []Choice{{ID: 1, Take: Mine}}, open().past.Choices)

	keep := (*worlddir.Dir).Keep
	put := func(key string) func(*lostedits.Records) error {
		return func(r *lostedits.Records) error {
			r.Put(&lostedits.Record{Key: key, By: leftconflict.Author{Time: time.Now()}})
			return nil
		}
	}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() { require.NoError(t, lostedits.Update(dir, keep, put(string(rune('a'+i))))) })
	}
	all.Wait()
	r, err := lostedits.Read(dir)
	require.NoError(t, err)
	require.Len(t, r.All(), 16)
}

// A choice of a value is made of an entity that has such a field.
func TestAValueThatDoesNotFitIsNotTaken(t *testing.T) {
	typ := &entity.Type{Name: "T", Fields: []*entity.Field{{Name: "n", Shape: entity.Shape{Kind: entity.KindU8}}}}
	e := entity.New(1, typ.Layout(0))
	for value, fits := range map[string]bool{"7": true, "700": false, `"x"`: false, "": false, "{": false, "null": false} {
		c := Choice{ID: 1, Field: "n", Value: []byte(value)}
		require.Equal(t, fits, !c.withValue(e).Same(e), "%q", value)
	}
	other := Choice{ID: 1, Field: "m", Value: []byte("7")}
	require.Same(t, e, other.withValue(e))
	require.Nil(t, other.withValue(nil))
}
