// Package notable completes the findings about a world: with what is so of the world as a
// whole (nothing in entities/, a disk that does not take what is written, version control
// that has not heard), with what the history knows of what a ref led to, and with advice on
// each (see package advice).
//
// It asks the world and starts no process: the daemon answers status by it, so that a game
// that is running can draw the findings. It changes nothing, but that what has happened is
// written into the history before that is read.
package notable

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/events"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
)

// Complete returns the findings of a world's status with those about the world as a whole,
// and with advice on all.
func Complete(world *cache.World, st cache.Status, record vcssync.Record) []entity.Finding {
	found := append(st.Findings, emptied(st)...)
	found = append(found, disk(st)...)
	found = append(found, untold(record)...)
	return Explain(world, found)
}

// Explain returns findings with what the history knows of what refs led to, and with advice
// on all.
func Explain(world *cache.World, findings []entity.Finding) []entity.Finding {
	return advice.Give(world.Layout(), withPast(world, findings))
}

// emptied says that all entities' files are gone.
func emptied(st cache.Status) []entity.Finding {
	if st.Loss == nil || st.Loss.Gone < st.Loss.Had {
		return nil
	}
	f := entity.Finding{Code: entity.CodeNoEntities, File: "entities", Message: fmt.Sprintf(
		"there is no entity's file in entities/ any more, and world.pack has %s: nothing is deleted until you say so",
		english.Plural(st.Loss.Had, "entity", "entities"))}
	for _, other := range st.Findings {
		if other.Code == entity.CodeGreatLoss {
			f.Mend = other.Mend
		}
	}
	return []entity.Finding{f}
}

// disk says that what is edited is not written as it should be.
func disk(st cache.Status) []entity.Finding {
	if st.Failure == "" || st.Loss != nil { // of a loss there is a finding
		return nil
	}
	return []entity.Finding{{Code: entity.CodeDisk, Message: st.Failure}}
}

// untold says what git or svn has not heard of.
func untold(r vcssync.Record) (found []entity.Finding) {
	if n := len(r.Deleted); n > 0 {
		found = append(found, entity.Finding{Code: entity.CodeVCSUntold, File: r.Deleted[0].Name, Message: fmt.Sprintf(
			"svn has %s that it does not know of yet: its next update would bring back what is gone", english.Plural(n, "deletion", "deletions"))})
	}
	if r.Failure != "" {
		found = append(found, entity.Finding{Code: entity.CodeVCSUntold, File: "entities", Message: fmt.Sprintf(
			"version control could not be told what was created and deleted, last at %s: %s", clock(r.Since), r.Failure)})
	}
	return found
}

// withPast has the findings about refs that lead nowhere say what was there, when and how it
// went, and which command brings it back.
func withPast(world *cache.World, findings []entity.Finding) []entity.Finding {
	ids := make(map[entity.ID]bool)
	for _, f := range findings {
		if f.Code == entity.CodeRefDangling && f.Other != 0 {
			ids[f.Other] = true
		}
	}
	if len(ids) == 0 {
		return findings
	}
	world.WriteHistory()
	latest, err := world.Log().Latest(ids)
	if err != nil {
		return findings // a history that cannot be read has a finding of its own
	}
	types, past := world.Types(), make(map[entity.ID]events.Event, len(latest))
	for id, entry := range latest {
		if e := events.Of(entry, types); e.Event == events.Deleted {
			past[id] = e
		}
	}
	told := make([]entity.Finding, len(findings))
	for i, f := range findings {
		if e, ok := past[f.Other]; ok && f.Code == entity.CodeRefDangling {
			f.Message += "; " + went(e)
			if f.Mend = "worldfs undo " + e.ID.String(); !e.Own {
				f.Mend += " --any"
			}
		}
		told[i] = f
	}
	return told
}

// went says what was deleted, when and how.
func went(e events.Event) string {
	what := e.ID.String()
	if e.Type != "" {
		what = e.Type + " " + what
	}
	if e.Name != "" {
		what += fmt.Sprintf(" %q", e.Name)
	}
	text := fmt.Sprintf("%s was deleted at %s", what, clock(e.Time))
	if by := causes[e.By]; by != "" {
		text += " by " + by
	} else if e.By != "" {
		text += " by " + e.By
	}
	if e.Note != "" {
		text += " (" + e.Note + ")"
	}
	return text
}

// causes are what changes a world, for people.
var causes = map[string]string{
	cache.ByEdit: "a program in the mount", cache.ByPlain: "a program in entities/, while the world was not mounted",
	cache.ByImport: "an import", cache.ByApply: "a change set", cache.ByUndo: "undo", cache.ByMerge: "a merge",
	cache.ByPack: "a program that saved world.pack",
}

func clock(t time.Time) string { return t.Local().Format(time.DateTime) }
