package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// subject is one world in every form.
type subject struct {
	world    *entity.World
	entities []*entity.Entity
	texts    [][]byte
	lines    [][]byte // interchange lines
	pack     string   // path
	packSize int
	files    []string // paths of the plain text files
	textSize int
}

func newSubject(dir string, entities int) (*subject, error) {
	s := &subject{world: island.Generate(entities, 1), pack: filepath.Join(dir, "world.pack")}
	plain := filepath.Join(dir, "entities")
	if err := os.Mkdir(plain, 0o755); err != nil {
		return nil, err
	}
	for e := range s.world.All() {
		text := textcodec.Append(nil, e)
		s.entities = append(s.entities, e)
		s.texts = append(s.texts, text)
		s.lines = append(s.lines, interchange.AppendEntity(nil, e))
		s.files = append(s.files, filepath.Join(plain, fmt.Sprintf("%d.entity_text", e.ID)))
		s.textSize += len(text)
	}
	if err := s.writeTexts(plain); err != nil {
		return nil, err
	}
	data, err := packfile.Encode(s.world.ID, s.world.Types, s.world)
	if err != nil {
		return nil, err
	}
	s.packSize = len(data)
	return s, os.WriteFile(s.pack, data, 0o644)
}

// writeTexts writes every entity's text as a plain file into dir.
func (s *subject) writeTexts(dir string) error {
	for i, path := range s.files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), s.texts[i], 0o644); err != nil {
			return err
		}
	}
	return nil
}
