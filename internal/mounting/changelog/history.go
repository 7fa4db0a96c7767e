package changelog

import (
	"slices"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/events"
)

// Summary is a change set, as people and programs read it.
type Summary struct {
	Set      uint64         `json:"set"` // its number
	Time     time.Time      `json:"time"`
	By       string         `json:"by"`                // as in an event: edit, plain, set, apply, …
	Program  string         `json:"program,omitempty"` // what wrote it: "vim", "git checkout"
	Who      string         `json:"who,omitempty"`
	Note     string         `json:"note,omitempty"`
	Own      bool           `json:"own"`              // it was made here, so that undo takes it back
	Undone   bool           `json:"undone"`           // it was taken back, and not made again since
	Undoes   uint64         `json:"undoes,omitempty"` // the set that it takes back
	Created  int            `json:"created"`
	Changed  int            `json:"changed"`
	Deleted  int            `json:"deleted"`
	Broken   int            `json:"broken"`             // texts that do not parse
	Entities []entity.ID    `json:"entities,omitempty"` // at most maxEntities
	More     int            `json:"more,omitempty"`     // how many there are beside them
	Changes  []events.Event `json:"changes,omitempty"`  // what happened to them, where that was asked for
}

// maxEntities bounds how many entities of a set are listed.
const maxEntities = 1000

// How says how the set came: "edit with vim", "git checkout", "set".
func (s Summary) How() string { return events.How(s.By, s.Program, s.Own) }

// summary returns a set as people read it.
func (j *journal) summary(s *set) Summary {
	sum := Summary{
		Set: s.number, Time: s.time.UTC(), By: s.by, Program: s.source.Program, Who: s.source.Who, Note: s.note,
		Own: s.isOwn(), Undone: s.isUndone(), Undoes: s.source.Undoes,
	}
	for _, m := range s.members {
		switch {
		case m.created && m.deleted: // it came and went
		case m.created:
			sum.Created++
		case m.deleted:
			sum.Deleted++
		case m.broken != 0:
			sum.Broken++
		default:
			sum.Changed++
		}
		if len(sum.Entities) < maxEntities {
			sum.Entities = append(sum.Entities, m.id)
		} else {
			sum.More++
		}
	}
	return sum
}

// Filter says which change sets are listed.
type Filter struct {
	Last    int       // at most so many, the latest; 0: all
	Since   time.Time // not before, where it is not zero
	By      string    // that came so: the word of By, or a program; "": all
	Who     string    // of this user; "": all
	Own     bool      // only one's own
	Changes bool      // with what happened to each entity
}

func (f Filter) takes(s Summary) bool {
	switch {
	case f.Own && !s.Own, f.Who != "" && f.Who != s.Who, s.Time.Before(f.Since):
		return false
	}
	return f.By == "" || f.By == s.By || f.By == s.Program || f.By == s.How() || vcsIs(s.Program, f.By)
}

// vcsIs reports whether a program is one of a system: "git checkout" is of git.
func vcsIs(program, system string) bool {
	return len(program) > len(system) && program[:len(system)] == system && program[len(system)] == ' '
}

// List returns the change sets of a world, the latest last.
func List(w *cache.World, f Filter) ([]Summary, error) {
	log, err := w.HistoryNow()
	if err != nil {
		return nil, err
	}
	j, err := readJournal(log)
	if err != nil {
		return nil, err
	}
	listed := []Summary{}
	var members []*step
	for _, s := range slices.Backward(j.sets) {
		if f.Last > 0 && len(listed) == f.Last {
			break
		}
		if sum := j.summary(s); f.takes(sum) {
			listed = append(listed, sum)
			members = append(members, s.members[:min(len(s.members), maxEntities)]...)
		}
	}
	slices.Reverse(listed)
	if !f.Changes {
		return listed, nil
	}
	texts, err := readTexts(log, members)
	if err != nil {
		return nil, err
	}
	x := selection{journal: j, texts: texts}
	for i := range listed {
		for _, id := range listed[i].Entities {
			listed[i].Changes = append(listed[i].Changes, events.Of(x.entry(j.steps[key{listed[i].Set, id}]), w.Types()))
		}
	}
	return listed, nil
}
