package daemon

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/conflicts"
	"github.com/worldfs/worldfs/internal/mounting/notable"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/namecheck"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

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
	// VCS is what git or svn could not be told yet.
	VCS vcssync.Record `json:"vcs,omitzero"`
	cache.Status
}

var statusCommand = define(command[nothing, Status]{
	name: "status", inDaemon: (*daemon).status, alone: (*local).status, fromPack: (*readOnly).status,
})

// Status returns the state of the world.
func (w *World) Status() (Status, error) { return statusCommand.on(w, nothing{}) }

func (s service) status() (Status, error) {
	st, err := s.world.Status()
	ranges, rangesErr := s.ranges()
	names, namesErr := namecheck.World(s.dir, s.world.Types())
	ranges = append(ranges, names...)
	st.Findings = append(st.Findings, ranges...)
	record, recordErr := vcssync.ReadRecord(s.dir)
	return Status{
		Root: s.dir.Root, World: uuid.UUID(s.dir.ID).String(), Pack: s.dir.Plainly(s.dir.PackPath()), VCS: record, Status: st,
	}, errors.Join(err, recordErr, rangesErr, namesErr)
}

// ranges returns what is wrong with id_ranges and with whose the entities' IDs are, as far as
// no process has to be started to find it out.
func (s service) ranges() ([]entity.Finding, error) {
	found, err := rangecheck.File(s.dir)
	if err != nil {
		return nil, err
	}
	outside, err := s.outside()
	return append(found, outside...), err
}

// outside returns the finding that entities' IDs are in nobody's range.
func (s service) outside() ([]entity.Finding, error) {
	view, err := s.world.View()
	if err != nil {
		return nil, err
	}
	return rangecheck.Outside(idalloc.New(s.dir, view, nil))
}

func (d *daemon) status(nothing) (Status, error) {
	d.vcs.Flush()
	st, err := d.service.status()
	st.Failure = d.dir.Plainly(st.Failure)
	st.Mounted, st.Shape, st.Mount = true, d.record.Shape, d.record.Mount
	st.Pid, st.Started = d.record.Pid, d.record.Started
	st.Counters = d.counters()
	if err != nil {
		return st, err
	}
	if newer := d.newer(); newer != nil {
		st.Findings = append(st.Findings, newerFinding(newer))
	}
	misplaced, err := d.mount.Misplaced()
	for _, at := range slices.Sorted(maps.Keys(misplaced)) {
		st.Findings = append(st.Findings, conflicts.Misplaced(d.world, misplaced[at], path.Join(worlddir.EntitiesName, at)))
	}
	scratch, scratchErr := d.mount.Scratch()
	left, leftErr := conflicts.Leftovers(d.world, scratch, st.Findings)
	st.Findings = append(st.Findings, left...)
	st.Findings = notable.Complete(d.world, st.Status, st.VCS)
	return st, errors.Join(err, scratchErr, leftErr)
}

func (l *local) status(nothing) (Status, error) {
	st, err := l.service.status()
	if l.full != nil {
		st.Failure = l.full.Error()
	}
	if err != nil {
		return st, err
	}
	left, err := conflicts.Leftovers(l.world, l.dir.EntitiesPath(), st.Findings)
	if l.full != nil && errors.Is(err, fs.ErrNotExist) { // it could not be made
		err = nil
	}
	st.Findings = append(st.Findings, left...)
	st.Findings = notable.Complete(l.world, st.Status, st.VCS)
	return st, err
}

func (r *readOnly) status(nothing) (Status, error) {
	st := Status{Root: r.dir.Root, World: uuid.UUID(r.dir.ID).String(), Pack: r.dir.PackPath()}
	st.Findings = []entity.Finding{newerFinding(r.newer)}
	if r.pack != nil {
		st.Entities, st.Types = r.pack.Len(), r.pack.Types().Len()
	}
	return st, nil
}
