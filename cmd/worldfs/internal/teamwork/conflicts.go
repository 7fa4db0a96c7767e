package teamwork

import (
	"bytes"

	"github.com/worldfs/worldfs/internal/compare/conflictfile"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// disputed returns the declarations that a merge leaves to people.
func disputed(result *merge.Result) (out []worldform.Disputed) {
	for _, d := range result.DisputedTypes() {
		out = append(out, worldform.Disputed{Name: d.Stands.Name, Other: d.Other, Names: d.Names})
	}
	return out
}

// writeConflicts writes what a merge of the worlds named leaves to people.
func writeConflicts(path string, names []string, result *merge.Result) error {
	d := &conflictfile.Document{Names: conflictfile.Names{Base: names[0], Ours: names[1], Theirs: names[2]}}
	for _, t := range result.DisputedTypes() {
		d.Types = append(d.Types, conflictfile.Type{Conflicts: conflictsOf(t.Conflicts), Stands: t.Stands, Other: t.Other})
	}
	for _, e := range result.LeftEntities() {
		d.Entities = append(d.Entities, conflictfile.Entity{Conflicts: conflictsOf(e.Conflicts), Base: e.Base, Ours: e.Ours, Theirs: e.Theirs})
	}
	var b bytes.Buffer
	if err := conflictfile.Write(&b, d); err != nil {
		return err
	}
	return (&disk.Disk{}).WriteAtomicUmasked("conflicts", path, 0o666, b.Bytes())
}

func conflictsOf(conflicts []merge.Conflict) []conflictfile.Conflict {
	out := make([]conflictfile.Conflict, len(conflicts))
	for i, c := range conflicts {
		out[i] = conflictfile.Conflict{Kind: string(c.Kind), Field: c.Field, Path: c.Path, Stands: conflictfile.Side(c.Stands.String()), Why: c.Why}
	}
	return out
}
