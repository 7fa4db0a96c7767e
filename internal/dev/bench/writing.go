package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// writer changes files of a place: each round writes texts that differ from
// the last round's.
type writer struct {
	names []string
	texts [2][][]byte
	turn  map[*place]int
}

func newWriter(s *subject, n int) *writer {
	w := &writer{turn: make(map[*place]int)}
	for i, path := range s.files {
		other, ok := moved(s.entities[i])
		if !ok {
			continue
		}
		w.names = append(w.names, filepath.Base(path))
		w.texts[0] = append(w.texts[0], s.texts[i])
		w.texts[1] = append(w.texts[1], other)
		if len(w.names) == n {
			break
		}
	}
	return w
}

// moved returns the text of an entity that stands elsewhere by one last bit,
// as an engine writes it.
func moved(e *entity.Entity) ([]byte, bool) {
	i := e.Layout.Index("position")
	if i < 0 {
		return nil, false
	}
	n, at := e.Clone(), e.Values[i]
	n.Values[i] = entity.NewVec(entity.KindVec3, [4]uint32{at.Component(0) ^ 1, at.Component(1), at.Component(2)})
	return textcodec.Append(nil, n), true
}

// round returns what is to be written at a place this time.
func (w *writer) round(p *place) [][]byte {
	w.turn[p]++
	return w.texts[w.turn[p]%2]
}

// inPlace writes over files, as a shell and most programs do.
func (w *writer) inPlace(p *place) error {
	for i, text := range w.round(p) {
		if err := os.WriteFile(filepath.Join(p.entities(), w.names[i]), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tempAndRename writes beside and renames, as careful programs do.
func (w *writer) tempAndRename(p *place) error {
	for i, text := range w.round(p) {
		path := filepath.Join(p.entities(), w.names[i])
		if err := os.WriteFile(path+".tmp", text, 0o644); err != nil {
			return err
		}
		// os.Rename would first ask what is at path, as few other programs do.
		if err := unix.Rename(path+".tmp", path); err != nil {
			return &os.LinkError{Op: "rename", Old: path + ".tmp", New: path, Err: err}
		}
	}
	return nil
}

// synced saves each file and waits until it is durable, in several programs at
// once.
func (w *writer) synced(writers int) func(*place) error {
	return func(p *place) error {
		texts := w.round(p)
		errs := make([]error, writers)
		var wg sync.WaitGroup
		for k := range writers {
			wg.Go(func() {
				for i := k; i < len(texts) && errs[k] == nil; i += writers {
					errs[k] = saveSynced(filepath.Join(p.entities(), w.names[i]), texts[i])
				}
			})
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func saveSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Sync()
}

// writingRows are the rows of the table that change files one by one.
func writingRows(s *subject) ([]row, error) {
	const many, few = 2000, 200
	w, saves := newWriter(s, many), newWriter(s, few)
	if len(w.names) < many {
		return nil, fmt.Errorf("only %d of %d files have a value to change", len(w.names), many)
	}
	return []row{
		{what: "overwrite 2,000 files in place", goal: 3, files: many, do: w.inPlace},
		{what: "overwrite 2,000 files by temp and rename", goal: 1.5, files: many, do: w.tempAndRename},
		{what: "save and fsync 200 files, alone", goal: 1.7, files: few, durable: true, do: saves.synced(1)},
		{what: "save and fsync 200 files, 8 writers", goal: 1, files: few, durable: true, do: saves.synced(8)},
	}, nil
}
