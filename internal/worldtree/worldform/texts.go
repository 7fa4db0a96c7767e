package worldform

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/pelletier/go-toml/v2"
	"golang.org/x/sync/errgroup"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/textcodec"
)

// The names of what a world of texts consists of, in the order in which it is
// read: an entity's text says nothing without its type.
const (
	nameConfig   = "world.toml"
	nameTypes    = "types"
	nameEntities = "entities"
)

// textQuery asks for a world of texts.
func textQuery(rev string) vcs.Query {
	return vcs.Query{Rev: rev, Names: []string{nameConfig, nameTypes, nameEntities}, Want: wanted, Limit: cache.MaxFileSize}
}

// wanted reports whether a file is part of a world.
func wanted(name string) bool {
	if name == nameConfig {
		return true
	}
	if file, ok := strings.CutPrefix(name, nameTypes+"/"); ok {
		return strings.HasSuffix(file, ".toml") && !strings.HasPrefix(file, ".") && !strings.Contains(file, "/")
	}
	_, ok := entityOf(name)
	return ok
}

// entityOf returns the entity whose text a file is: entities/6555.entity_text,
// or in a shard entities/5/6555.entity_text.
func entityOf(name string) (entity.ID, bool) {
	file, ok := strings.CutPrefix(name, nameEntities+"/")
	if !ok {
		return 0, false
	}
	_, id, ok := layout.Of(file)
	return id, ok
}

// text is an entity's text, and what it says.
type text struct {
	id     entity.ID
	file   string
	bytes  []byte
	result textcodec.Result
	err    error
}

// textReading makes a world of texts.
type textReading struct {
	options Options
	world   *World
	config  bool           // there is a world.toml
	shard   *layout.Layout // where it says that the texts are; nil: anywhere
	files   int

	types    *entity.Types
	declared map[string]string // types to the files that declare them
	damaged  bool              // a types file could not be read

	batch   []*text
	batches chan []*text // nil until the types are in force
	group   errgroup.Group
	texts   []*text
}

// readTexts makes a world of the files, which come in the order of textQuery.
func readTexts(files iter.Seq2[vcs.File, error], o Options) (*textReading, error) {
	r := newTextReading(o)
	if err := r.readAll(files); err != nil {
		return nil, err
	}
	r.world.Types = r.inForce()
	r.world.Source = r.collect()
	return r, nil
}

func newTextReading(o Options) *textReading {
	return &textReading{options: o, world: &World{}, types: &entity.Types{}, declared: make(map[string]string)}
}

// readAll reads the files, and decodes all texts among them.
func (r *textReading) readAll(files iter.Seq2[vcs.File, error]) error {
	err := r.readEach(files)
	r.flush()
	if r.batches != nil {
		close(r.batches)
		r.batches = nil
	}
	_ = r.group.Wait() // decoding has no errors of its own
	return err
}

func (r *textReading) readEach(files iter.Seq2[vcs.File, error]) error {
	for f, err := range files {
		var alone *fileError
		if err != nil && !errors.As(err, &alone) {
			return err
		}
		r.files++
		if alone != nil {
			r.unreadable(f.Name, alone.Error())
			continue
		}
		switch problem := problemOf(f); {
		case problem != "":
			r.unreadable(f.Name, problem)
		case f.Name == nameConfig:
			if err := r.readConfig(f.Name, f.Data); err != nil {
				return err
			}
		case strings.HasPrefix(f.Name, nameTypes+"/"):
			r.readType(f)
		default:
			r.readText(f)
		}
	}
	return nil
}

// fileError is an error of one file: the others can still be read.
type fileError struct{ error }

func problemOf(f vcs.File) string {
	switch {
	case f.Kind == vcs.Symlink:
		return "it is a symlink, and those are not followed"
	case f.Kind != vcs.Regular:
		return "it is no regular file"
	case strings.HasPrefix(f.Name, nameTypes+"/") && f.Size > typefile.MaxSize, f.Size > cache.MaxFileSize:
		return "it is too large"
	}
	return ""
}

func (r *textReading) unreadable(name, problem string) {
	f := entity.Finding{Code: entity.CodeUnreadable, Blocks: true, File: name, Message: "the file is not read: " + problem}
	f.ID, _ = entityOf(name)
	if strings.HasPrefix(name, nameTypes+"/") {
		f.Code, r.damaged = entity.CodeTypeFile, true
	}
	r.world.Findings = append(r.world.Findings, f)
}

// readConfig reads the world's ID. One that cannot be read is not known. A world
// that needs a newer build is an error: its types would be misread.
func (r *textReading) readConfig(name string, data []byte) error {
	r.config = true
	var config struct {
		ID     string `toml:"id"`
		Shard  string `toml:"shard"`
		Format int    `toml:"format"`
	}
	if toml.Unmarshal(data, &config) == nil {
		if l, err := layout.Parse(cmp.Or(config.Shard, layout.None.String())); err == nil {
			r.shard = &l
		}
		if id, err := uuid.Parse(config.ID); err == nil {
			r.world.ID = entity.GUID(id)
		}
	}
	if config.Format > worlddir.Format {
		return &worlddir.NewerError{Where: name, Needs: config.Format}
	}
	return nil
}

func (r *textReading) readType(f vcs.File) {
	t, conflict, err := typefile.Read(f.Data, f.Name)
	if err == nil && r.declared[t.Name] != "" {
		err = &typefile.Error{File: f.Name, Reason: fmt.Sprintf(
			"the type %q is declared in %s already; remove it from one of them", t.Name, r.declared[t.Name])}
	}
	if err == nil {
		r.declared[t.Name] = f.Name
		r.types.Put(t)
		if conflict != nil {
			r.world.Findings = append(r.world.Findings, entity.Finding{Code: entity.CodeConflict, Blocks: true,
				File: f.Name, Line: conflict.Line, Type: t.Name, Message: conflict.Reason})
		}
		return
	}
	r.damaged = true
	found := entity.Finding{Code: entity.CodeTypeFile, Blocks: true, File: f.Name, Message: err.Error()}
	var at *typefile.Error
	if errors.As(err, &at) {
		found.Line, found.Field, found.Message = at.Line, at.Field, at.Reason
	}
	r.world.Findings = append(r.world.Findings, found)
}

// inForce returns the types to go by: those read; where some could not be, or
// there are none, also those that were known.
func (r *textReading) inForce() *entity.Types {
	if r.options.Types == nil || r.types.Len() > 0 && !r.damaged {
		return r.types
	}
	types := r.options.Types.Clone()
	for _, t := range r.types.All() {
		types.Put(t)
	}
	return types
}

const batchSize = 64 // texts that go from one core to another at once

// placed returns the entity whose text a file is, and reports whether the file lies
// where world.toml says.
func (r *textReading) placed(name string) (entity.ID, bool) {
	l, id, _ := layout.Of(strings.TrimPrefix(name, nameEntities+"/"))
	return id, r.shard == nil || l == *r.shard
}

func (r *textReading) readText(f vcs.File) {
	id, ok := r.placed(f.Name)
	if !ok {
		r.world.Findings = append(r.world.Findings, r.shard.Misplaced(id, f.Name))
		return
	}
	r.batch = append(r.batch, &text{id: id, file: f.Name, bytes: f.Data})
	if len(r.batch) == batchSize {
		r.flush()
	}
}

func (r *textReading) flush() {
	if len(r.batch) == 0 {
		return
	}
	if r.batches == nil {
		r.startDecoding()
	}
	r.texts = append(r.texts, r.batch...)
	r.batches <- r.batch
	r.batch = nil
}

func (r *textReading) startDecoding() {
	batches := make(chan []*text, 4)
	r.batches = batches
	types := r.inForce()
	for range runtime.GOMAXPROCS(0) {
		r.group.Go(func() error {
			for batch := range batches {
				for _, t := range batch {
					t.decode(types, r.options.Exact)
				}
			}
			return nil
		})
	}
}

// decode reads the text, and keeps its bytes only if they will be wanted.
func (t *text) decode(types *entity.Types, exact bool) {
	t.result, t.err = textcodec.Decode(t.bytes, t.id, types)
	if t.err == nil && (t.result.Canonical || !exact && !textcodec.HasMarkers(t.bytes)) {
		t.bytes = nil
	}
}

// collect makes the world of the texts that were read.
func (r *textReading) collect() *entity.World {
	slices.SortStableFunc(r.texts, func(a, b *text) int { return cmp.Compare(a.id, b.id) })
	world := entity.NewWorld(r.world.ID, r.world.Types)
	for i, t := range r.texts {
		if i > 0 && r.texts[i-1].id == t.id {
			r.unreadable(t.file, fmt.Sprintf("the entity has another text, %s, which counts; remove one of them", r.texts[i-1].file))
			r.texts[i] = r.texts[i-1]
			continue
		}
		r.world.add(world, t)
	}
	return world
}

func (w *World) add(world *entity.World, t *text) {
	if t.bytes != nil {
		w.keepText(t.id, t.bytes)
	}
	if t.err != nil {
		w.Findings = append(w.Findings, brokenFinding(t))
		return
	}
	world.Put(t.result.Entity)
	for _, f := range t.result.Findings {
		if aboutText(f) {
			w.Findings = append(w.Findings, f)
		}
	}
}

func brokenFinding(t *text) entity.Finding {
	f := entity.Finding{Code: entity.CodeBroken, Blocks: true, ID: t.id, File: t.file, Message: t.err.Error()}
	var at *textcodec.Error
	if errors.As(t.err, &at) {
		f.Line, f.Field, f.Message = at.Line, at.Field, at.Reason
	}
	if name, _, _, err := textcodec.Header(t.bytes); err == nil {
		f.Type = name
	}
	return f
}
