package entity

import (
	"fmt"
	"strings"
)

// Finding is something that people should know about a world: what, where,
// and what to do. docs/findings.md lists the codes.
type Finding struct {
	Code    string `json:"code"`            // stable, for programs: "broken", "float-edited", …
	Blocks  bool   `json:"blocks_ship"`     // a ship build refuses it
	ID      ID     `json:"id,omitempty"`    // the entity, if it is about one
	Type    string `json:"type,omitempty"`  // its type
	Name    string `json:"name,omitempty"`  // what people call it
	File    string `json:"file,omitempty"`  // the file, if it is about one that is no entity
	Line    int    `json:"line,omitempty"`  // from 1
	Field   string `json:"field,omitempty"` // the field, if it is about one
	Message string `json:"message"`         // what is so, and what to do

	Other    ID       `json:"other,omitempty"`    // the other entity that it is about: one that a ref leads to, or that has the same value
	Severity Severity `json:"severity,omitempty"` // how bad it is
	Advice   string   `json:"advice,omitempty"`   // the same in a designer's words
	Mend     string   `json:"mend,omitempty"`     // the command that mends it, as it is typed in the world directory
}

// Severity says how bad a finding is.
type Severity string

// The severities. Package advice says which each code has.
const (
	SeverityError   Severity = "error"   // a ship build refuses it
	SeverityWarning Severity = "warning" // something is not as people mean it to be
	SeverityNote    Severity = "note"    // good to know; nothing has to be done
)

// AdviceUndone is the Advice of a broken text that an undo has brought.
const AdviceUndone = "An undo has brought this text back, and it cannot be read. Mend the line; worldfs redo makes again what was undone."

// AdviceTypesChanged is the Advice of a broken text that was not edited since it could be read.
const AdviceTypesChanged = "The types have changed, and this file cannot be read any more. There is no edit of it to be taken back: " +
	"mend the line, or have the types be as they were."

// AdviceBrought is the Advice of a broken text that came in so from others.
const AdviceBrought = "This file came so from others and cannot be read. There is no edit of yours to be taken back: mend the line."

// The codes of findings. Those that Blocks holds for stop a ship build.
const (
	CodeBroken        = "broken"          // the text does not parse; the last good values stand
	CodeComputed      = "computed"        // an expression stands for a value; fmt writes the value
	CodeConflict      = "conflict"        // conflict markers; our side's value is loaded
	CodeIDDiffers     = "id-differs"      // the ID line is not the file's name
	CodeFloatEdited   = "float-edited"    // decimal and hex disagree; the decimal counts
	CodeFieldMissing  = "field-missing"   // a field that is not optional has its default
	CodeFieldTwice    = "field-twice"     // a field is given twice; the last counts
	CodeFieldUnknown  = "field-unknown"   // the type has no such field; its lines are kept
	CodeFieldNotSaved = "field-not-saved" // its condition does not hold; the value is dropped by fmt
	CodeTypeUnknown   = "type-unknown"    // no declaration of the type; the text is kept
	CodeRevisionNewer = "revision-newer"  // the entity is newer than its type's declaration
	CodeSetUnordered  = "set-unordered"   // a set out of order or with duplicates
	CodeKeyTwice      = "key-twice"       // two elements of a keyed array share a key
	CodeRefDangling   = "ref-dangling"    // a ref to an entity that there is not
	CodeRefCycle      = "ref-cycle"       // direct refs that go round in a circle
	CodeNotUnique     = "not-unique"      // two entities share a value that is declared unique
	CodeTypeFile      = "type-file"       // a types file that does not parse, or none where there were some; the last good ones count
	CodeCondition     = "condition"       // a condition of a type that can be evaluated for no entity
	CodeExpression    = "expression"      // an expression in data is wrong; its text is kept
	CodeNotCanonical  = "not-canonical"   // the text is not as fmt would write it
	CodeUnreadable    = "unreadable"      // a plain file that cannot be read
	CodeSaveOld       = "save-old"        // a program saved what the world was, with nothing changed
	CodeBaseUnknown   = "base-unknown"    // something came in whose base is not known
	CodeMisplaced     = "misplaced"       // an entity's file name in another place than the world's shards say
	CodeSaveTorn      = "save-torn"       // a save of world.pack that is not whole, or not taken in yet
	CodePackRefused   = "pack-refused"    // a ship build, or another world's pack, lay where saves do
	CodeConflictFiles = "conflict-files"  // version control left the sides of a conflict beside an entity's file
	CodeHistory       = "history"         // what was superseded could not be kept
	CodeFormatNewer   = "format-newer"    // the world needs a newer build, and is only read
	CodeFormatUnset   = "format-unset"    // world.toml does not record the format that the types need
	CodeGreatLoss     = "great-loss"      // so many entities are gone that they are not published as deleted yet
	CodeSaveLoss      = "save-loss"       // a save of world.pack without most entities, which is not taken in
	CodeRangesFile    = "ranges-file"     // id_ranges does not parse; the last good one counts
	CodeRangesGone    = "ranges-gone"     // id_ranges is gone, and had ranges; the last good one counts
	CodeRangesOverlap = "ranges-overlap"  // two lines of id_ranges have the same IDs
	CodeRangeUnknown  = "range-unknown"   // a range of ours that no one else has been told of
	CodeIDOutside     = "id-outside"      // entities whose IDs are in no range
	CodeIDForeign     = "id-foreign"      // a new entity whose ID is in another's range
	CodeRoleShared    = "role-shared"     // world.toml gives everybody the same role
	CodeUpgrade       = "upgrade"         // it cannot be brought to the current revision without loss
	CodeFileName      = "file-name"       // a file whose name is nearly an entity's
	CodeConflictRest  = "conflict-rest"   // a side of a conflict that is over lies beside an entity's file
	CodeNoEntities    = "no-entities"     // entities/ is gone, or has no entity in it, though the world has some
	CodePoseStale     = "pose-stale"      // a mounted entity is not where its parent and its offset put it
	CodePoseDerived   = "pose-derived"    // a pose was edited that follows from the parent and the offset: that has no effect
	CodeMountCrashed  = "mount-crashed"   // the process behind a mount was killed
	CodeVCSSetup      = "vcs-setup"       // this clone or working copy lacks what worldfs vcs install sets up
	CodeVCSSparse     = "vcs-sparse"      // git's or svn's checkout is sparse, and lacks entities
	CodeVCSUnmerged   = "vcs-unmerged"    // git has stopped in the middle of a merge or the like
	CodeVCSUntold     = "vcs-untold"      // git or svn has not heard, or could not be told, what was created and deleted
	CodeNameUnknown   = "name-unknown"    // a name in types/ or world.toml that stands for nothing
	CodeDisk          = "disk"            // edits cannot be made durable, or not be published
)

// Blocks reports whether findings of that code stop a ship build. Of
// ref-dangling those about direct refs do: the finding itself says.
func Blocks(code string) bool {
	switch code {
	case CodeBroken, CodeConflict, CodeIDDiffers, CodeTypeUnknown, CodeRevisionNewer,
		CodeKeyTwice, CodeRefCycle, CodeNotUnique, CodeTypeFile, CodeCondition, CodeExpression, CodeUpgrade, CodeUnreadable, CodeFormatNewer,
		CodeGreatLoss, CodeRangesFile:
		return true
	}
	return false
}

// About fills in whom the finding is about.
func (f Finding) About(e *Entity) Finding {
	f.ID, f.Type, f.Name = e.ID, e.Type(), e.Name()
	return f
}

// String returns the finding on one line.
func (f Finding) String() string {
	where, what := f.Place()
	if where == "" {
		return what
	}
	return where + ": " + what
}

// Place returns where the finding is, as far as it says, such as
// Door 6555 "bunker door", line 12, field position; and what is so.
func (f Finding) Place() (where, what string) {
	var parts []string
	switch {
	case f.ID != 0 && f.Name != "":
		parts = append(parts, fmt.Sprintf("%s %d %q", f.Type, f.ID, clip(f.Name)))
	case f.ID != 0:
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %d", f.Type, f.ID)))
	case f.File != "":
		parts = append(parts, f.File)
	}
	if f.Line != 0 {
		parts = append(parts, fmt.Sprintf("line %d", f.Line))
	}
	if f.Field != "" {
		parts = append(parts, "field "+f.Field)
	}
	return strings.Join(parts, ", "), f.Message
}
