package resolve

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// editedMarked returns the files with conflict markers that a person has edited since they
// were marked, some of the markers being there still: what is in such a file is nowhere else.
func (r *Resolution) editedMarked(broken []entity.ID) (map[string]bool, error) {
	edited := make(map[string]bool)
	var stages []vcs.Listed
	sides := make(map[string]*[3][]byte)
	for _, name := range slices.Sorted(maps.Keys(r.files.marked)) {
		id, ok := layout.EntityOf(name)
		if !ok || !r.files.marked[name] {
			continue
		}
		if wrote, written := r.past.Wrote[name]; written {
			edited[name] = wrote != r.files.object(name)
			continue
		}
		all := r.files.unmerged[name]
		if all[2].Object == "" || all[3].Object == "" || !r.files.driver[name] && !slices.Contains(broken, id) {
			continue
		}
		sides[name] = new([3][]byte)
		for _, stage := range all[1:] {
			if stage.Object != "" {
				stages = append(stages, stage.Listed)
			}
		}
	}
	i := 0
	for f, err := range r.index.Tree(nil).Read(stages) {
		if err != nil {
			return nil, err
		}
		all := r.files.unmerged[f.Name]
		for n, stage := range all[1:] {
			if stage.Object == stages[i].Object {
				sides[f.Name][n] = f.Data
			}
		}
		i++
	}
	for name, texts := range sides {
		text, err := disk.ReadFile(filepath.Join(r.files.root, filepath.FromSlash(name)), cache.MaxFileSize)
		if err != nil {
			return nil, err
		}
		id, _ := layout.EntityOf(name)
		edited[name] = r.isEdited(id, *texts, text, slices.Contains(broken, id))
	}
	return edited, nil
}

// isEdited reports whether a marked text is not as the driver, or version control, has marked
// it. What the driver marks parses, so that a text that does is compared with just that.
func (r *Resolution) isEdited(id entity.ID, sides [3][]byte, text []byte, broken bool) bool {
	if r.isByDriver(id, sides, func(merged []byte, _ bool) bool { return string(merged) == string(text) }) {
		return false
	}
	return !broken || !isMarkedOf(sides, text)
}

// isMarkedOf reports whether a text is what version control can have made of three line by line,
// by whatever algorithm and in whatever style: its markers are complete, what stands in a field
// without one is a side's or comes of both, and in one with markers no line is of no side.
func isMarkedOf(sides [3][]byte, text []byte) bool {
	marked, ok := textmerge.Unmark(text)
	if !ok {
		return false
	}
	fields := [3]map[string][]byte{fieldsOf(sides[0]), fieldsOf(sides[1]), fieldsOf(sides[2])}
	if !haveSame(fields) { // git may have put lines of one field in another
		return isMergedOf(sides, marked[0], false) && isMergedOf(sides, marked[1], false)
	}
	first, second := fieldsOf(marked[0]), fieldsOf(marked[1])
	for name := range fields[0] {
		of := [3][]byte{fields[0][name], fields[1][name], fields[2][name]}
		exact := bytes.Equal(first[name], second[name])
		if first[name] == nil || second[name] == nil || !isMergedOf(of, first[name], exact) || !isMergedOf(of, second[name], exact) {
			return false
		}
	}
	return len(first) == len(fields[0]) && len(second) == len(fields[0])
}

// haveSame reports whether all sides have the same fields.
func haveSame(sides [3]map[string][]byte) bool {
	for name := range sides[0] {
		if sides[1][name] == nil || sides[2][name] == nil {
			return false
		}
	}
	return len(sides[1]) == len(sides[0]) && len(sides[2]) == len(sides[0])
}

// isMergedOf reports whether lines can be what comes of three; exact says that they have no
// conflict.
func isMergedOf(sides [3][]byte, lines []byte, exact bool) bool {
	if bytes.Equal(lines, sides[1]) || bytes.Equal(lines, sides[2]) {
		return true
	}
	if merged, clean := mergeText(sides[0], sides[1], sides[2]); exact && clean {
		return bytes.Equal(lines, merged)
	}
	of := make(map[string]bool)
	for _, side := range sides {
		for line := range bytes.Lines(side) {
			of[string(line)] = true
		}
	}
	for line := range bytes.Lines(lines) {
		if !of[string(line)] {
			return false
		}
	}
	return true
}

// fieldsOf returns the lines of each field of an entity's text, its own included, and those
// above the first as "".
func fieldsOf(text []byte) map[string][]byte {
	fields := make(map[string][]byte)
	name := ""
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("; ")) {
			name = string(line)
		}
		fields[name] = append(fields[name], line...)
	}
	return fields
}
