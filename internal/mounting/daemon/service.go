package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/compare/conflictfile"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/worldtree/mergerules"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
)

// ApplyOptions say how a change set is applied.
type ApplyOptions struct {
	Reverse      bool   // undo it
	Policy       string // leave, shared, mine; "": as world.toml says
	UnknownTypes bool   // entities of types that are declared nowhere are made, too
	AllowLoss    bool   // even if most entities are deleted
}

// ImportOptions say how an import is taken in.
type ImportOptions struct {
	Whole        bool // what is missing in it is deleted
	UnknownTypes bool // entities of types that are declared nowhere are taken in, too
	AllowLoss    bool // even if most entities are deleted
}

// refuseUnknown returns an error that names the first entity of a type that is
// declared nowhere: a misspelt type has no fields, so the entity would lose its
// values. One that here is of that type already loses nothing.
func refuseUnknown(file string, entities iter.Seq[*entity.Entity], here entity.Source) error {
	for e := range entities {
		if !e.Layout.Type.Unknown {
			continue
		}
		if is, ok := here.Get(e.ID); !ok || is.Type() != e.Type() {
			return &Failure{Exit: ExitFailed, Message: fmt.Sprintf(
				"%s: %s: the type %q is declared neither here nor in types/, so nothing is taken in; "+
					"mend its name or declare it, or give --allow-unknown-types", file, e, e.Type())}
		}
	}
	return nil
}

// Status is the state of a world, as status --json prints it.
type Status struct {
	Root    string    `json:"root"`
	World   string    `json:"world"` // its ID
	Mounted bool      `json:"mounted"`
	Shape   string    `json:"shape,omitempty"` // of the mount: entities or cover
	Mount   string    `json:"mount,omitempty"` // the mountpoint
	Pid     int       `json:"pid,omitempty"`   // the daemon's
	Started time.Time `json:"started,omitzero"`
	Pack    string    `json:"pack"` // its path
	// Counters are the daemon's, where there is one.
	Counters *Counters `json:"counters,omitempty"`
	cache.Status
}

// service is what can be done with an open world. The daemon serves it to
// Client, which has the same methods; a command alone calls it.
type service struct {
	dir   *worlddir.Dir
	world *cache.World
}

func (s service) Status() (Status, error) {
	st, err := s.world.Status()
	return Status{Root: s.dir.Root, World: uuid.UUID(s.dir.ID).String(), Pack: s.dir.Plainly(s.dir.PackPath()), Status: st}, err
}

// Sync makes everything durable and publishes it.
func (s service) Sync() error { return s.world.Sync() }

// Import takes in the interchange form from r; file is its name in messages.
func (s service) Import(r io.Reader, file string, o ImportOptions) (cache.Report, error) {
	view, err := s.world.View()
	if err != nil {
		return cache.Report{}, err
	}
	doc, err := interchange.Read(r, file, view.Types(), nil)
	if err != nil {
		return cache.Report{}, err
	}
	if !o.UnknownTypes {
		if err := refuseUnknown(file, slices.Values(doc.Entities), view); err != nil {
			return cache.Report{}, err
		}
	}
	return s.world.Import(cache.Intake{Types: doc.Types, Entities: doc.Entities, Whole: o.Whole, AllowLoss: o.AllowLoss})
}

// Apply makes the changes of a change set, which is a text from r; file is its
// name in messages. What a merge left to people (see conflictfile) is applied,
// too: it is marked in the texts, or decided by the policy. Where the world has moved on, what was changed here as well
// is a conflict.
func (s service) Apply(r io.Reader, file string, o ApplyOptions) (cache.Report, error) {
	options, err := mergerules.Read(s.dir)
	if err != nil {
		return cache.Report{}, err
	}
	if o.Policy != "" {
		if options.Policy, err = merge.ParsePolicy(o.Policy); err != nil {
			return cache.Report{}, err
		}
	}
	in := bufio.NewReader(r)
	if conflictfile.Is(in) {
		return s.applyConflicts(in, file, o, options)
	}
	var homeless entity.ChangeSet
	cause := cache.Cause{By: cache.ByApply, Note: file}
	if o.Reverse {
		cause.Note = "undone: " + file
	}
	report, err := s.world.Edit(cause, func(v *cache.View) (base, theirs entity.Source, err error) {
		if o.AllowLoss {
			v.AllowLoss()
		}
		set, err := changeset.Parse(in, file, v.Types())
		if err != nil {
			return nil, nil, err
		}
		if !o.UnknownTypes && !o.Reverse { // what is undone was there
			if err := refuseUnknown(file, made(set), v); err != nil {
				return nil, nil, err
			}
		}
		if o.Reverse {
			set = set.Invert()
		}
		base, theirs, homeless = changeset.Sides(set, v.Overlay)
		return base, theirs, nil
	}, options)
	for _, c := range homeless {
		report.Conflicts = append(report.Conflicts, cache.Conflict{
			Kind: merge.PropertyChanged, ID: c.ID, Field: c.Field,
			Words: fmt.Sprintf("entity %d, field %s: there is nothing to make the change on: the entity is gone, or has no such field or value", c.ID, c.Field),
		})
	}
	return report, err
}

// made returns the entities that a change set makes, or makes to be of another
// type.
func made(set entity.ChangeSet) iter.Seq[*entity.Entity] {
	return func(yield func(*entity.Entity) bool) {
		for _, c := range set {
			if c.New != nil && (c.Old == nil || c.Old.Type() != c.New.Type()) && !yield(c.New) {
				return
			}
		}
	}
}

// Kept returns the packs that are kept, the newest first.
func (s service) Kept() ([]packstore.Kept, error) { return s.world.Kept() }

// Restore makes the world what it is in a kept pack.
func (s service) Restore(t cache.Target) (cache.Restored, error) { return s.world.Restore(t) }

// Format rewrites the texts of the entities, nil for all, canonically.
func (s service) Format(ids []entity.ID, upgrade bool) (cache.Report, error) {
	report, err := s.world.Format(ids, upgrade)
	if errors.Is(err, entity.ErrInvalid) { // an entity that cannot be upgraded; the others are done
		err = &Failure{Message: err.Error(), Exit: ExitProblems}
	}
	return report, err
}

// Text returns an entity's text as it is served.
func (s service) Text(id entity.ID) ([]byte, error) {
	view, err := s.world.View()
	if err != nil {
		return nil, err
	}
	text, err := view.Text(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no entity %d", id)
	case err != nil:
		return nil, fmt.Errorf("entity %d: %w", id, err)
	}
	return text, nil
}

// Unpack writes every entity's text into the directory to, which is made; for
// "" it brings the plain files in entities/ up to date.
func (s service) Unpack(to string) (written int, err error) {
	return s.world.WritePlain(to, to != "")
}

// Check returns the findings that would stop a ship build.
func (s service) Check() ([]entity.Finding, error) {
	_, findings, err := s.world.Ship()
	if errors.Is(err, cache.ErrShip) {
		err = nil
	}
	return findings, err
}

// Ship returns the pack of a ship build. Where findings stop it the error is
// cache.ErrShip, and the findings are those.
func (s service) Ship() ([]byte, []entity.Finding, error) { return s.world.Ship() }
