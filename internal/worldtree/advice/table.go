package advice

import "github.com/worldfs/worldfs/entity"

const (
	warning = entity.SeverityWarning
	note    = entity.SeverityNote
)

// table has an entry for each code; docs/findings.md shows it.
var table = map[string]Entry{
	entity.CodeBroken: {warning, "This file cannot be read, so the world goes on with what the entity was before. " +
		"Mend the line, or take the edit back.", takeBack},
	entity.CodeComputed:    {note, "A value is given as a calculation. It works; the number can be written in its place.", onEntity("worldfs fmt")},
	entity.CodeConflict:    {warning, "Two people changed the same thing, and nobody has chosen yet. One side is loaded meanwhile.", calls("worldfs resolve")},
	entity.CodeIDDiffers:   {warning, "This file was copied: it still says the ID of the one that it was copied from. The file's name counts.", onEntity("worldfs fmt")},
	entity.CodeFloatEdited: {note, "A number was changed by hand. The new one counts; the hex beside it is still the old one's.", onEntity("worldfs fmt")},
	entity.CodeFieldMissing: {note, "A field has no value in this file, so it has its default. " +
		"That is right if it is meant.", onEntity("worldfs fmt")},
	entity.CodeFieldTwice: {warning, "A field is given twice in this file; the last one counts. " +
		"A merge may have left the other: look which one is meant.", edit},
	entity.CodeFieldUnknown: {note, "The file has a field that the type does not. It is kept, but the game does not see it. " +
		"The types here may be older than the entity, or the name is misspelt.", edit},
	entity.CodeFieldNotSaved: {note, "A field is given that does not count while the others are as they are.", onEntity("worldfs fmt")},
	entity.CodeTypeUnknown: {warning, "Nobody here has told worldfs what entities of this type are. " +
		"Its declaration comes with your colleagues' changes.", calls("worldfs pull")},
	entity.CodeRevisionNewer: {warning, "The entity is newer than the types here. They come with your colleagues' changes.", calls("worldfs pull")},
	entity.CodeSetUnordered:  {note, "A set is not in order, or has something twice. It is read as it is meant.", onEntity("worldfs fmt")},
	entity.CodeKeyTwice:      {warning, "Two elements of a list have the same key, and the game can find only one of them.", edit},
	entity.CodeRefDangling:   {warning, "This entity refers to one that is not there any more.", edit},
	entity.CodeRefCycle:      {warning, "These entities follow one another in a circle, so none of them has a place.", edit},
	entity.CodeNotUnique:     {warning, "Two entities have the same value where each needs its own.", edit},
	entity.CodeTypeFile:      {warning, "A file that declares types cannot be read. The one from before is in force.", typeFile},
	entity.CodeCondition:     {warning, "A condition in the types cannot be answered, so it is as if it were not there.", edit},
	entity.CodeExpression:    {warning, "An expression in this entity is wrong, so the game cannot calculate it. What is typed is kept: mend it.", edit},
	entity.CodeMisplaced:     {warning, "This file lies where no entity of this world does, so it is not read.", toItsPlace},
	entity.CodeUnreadable:    {warning, "This file may not be read, so the entity stays as it was.", readable},
	entity.CodeUpgrade: {warning, "The entity is of an older revision of its type, " +
		"and has a value that the newer one has no place for.", edit},
	entity.CodeNotCanonical: {note, "The file is written otherwise than worldfs would. That is all right, and it is kept as it is.", onEntity("worldfs fmt")},
	entity.CodeBaseUnknown: {note, "Something came in from an older state of the world than is remembered here. " +
		"Look whether it is what you expect; earlier states can be brought back.", calls("worldfs restore --list")},
	entity.CodeSaveOld:  {note, "A program saved the world as it was some time ago. Nothing of that is taken in.", nil},
	entity.CodeSaveTorn: {warning, "A program's save is not whole. The good pack is in its place: save again, or see what there is.", calls("worldfs restore --list")},
	entity.CodePackRefused: {note, "A ship build, or a pack of another world, was copied to where the game saves. " +
		"It is put aside, and the world's own pack is back.", nil},
	entity.CodeConflictFiles: {warning, "Version control has left both sides of a conflict beside this entity's file. " +
		"One of them is loaded meanwhile.", beside},
	entity.CodeConflictRest: {note, "A conflict is over, and one of its sides still lies beside the entity's file. It is not read.", remove},
	entity.CodeGreatLoss: {warning, "Most of the world is gone from entities/. Nothing is deleted yet: " +
		"bring it back, or say that it is meant with worldfs sync --allow-loss.", calls("worldfs unpack")},
	entity.CodeSaveLoss: {note, "A program saved a world that has lost most of its entities. The one from before is in its place.", nil},
	entity.CodeFormatNewer: {warning, "A colleague uses a newer worldfs. With this one the world can be looked at, not changed: " +
		"get the newer one. This says which you have.", calls("worldfs version")},
	entity.CodeFormatUnset: {note, "Colleagues with an older worldfs would take these types for broken. One line in world.toml tells them.", calls("worldfs fmt")},
	entity.CodeHistory: {warning, "What was there before an edit could not be kept, so undo cannot bring it back. " +
		"The edits are safe. Make room on the disk.", calls("df -h .worldfs")},
	entity.CodeFileName:   {warning, "This file is meant to be an entity, it seems, but its name is not quite one, so it is not read.", edit},
	entity.CodeNoEntities: {warning, "There is nothing in entities/, though the world has entities. They are safe in world.pack.", calls("worldfs unpack")},
	entity.CodePoseStale: {warning, "This entity is mounted on another, and is not where that one carries it: " +
		"the other was moved, and this one has stayed.", edit},
	entity.CodePoseDerived: {note, "Where this entity is follows from what it is mounted on, so what was written there has gone back. " +
		"Change its offset, or what it is mounted on.", edit},
	entity.CodeMountCrashed: {warning, "The process behind the mount was killed. What was edited is taken up again; " +
		"the last second may be missing.", calls("worldfs mount")},
	entity.CodeVCSSetup: {warning, "This copy of the world is not set up for merging by property, so a merge may leave conflicts that are none.",
		calls("worldfs vcs install")},
	entity.CodeVCSSparse: {warning, "A part of the world is left out of this working copy, as git or svn was told to, so it is not in your game. Others have it.",
		calls("git sparse-checkout disable")},
	entity.CodeVCSUnmerged: {warning, "Version control has begun to bring two versions of the world together, and waits for you to finish it.",
		calls("worldfs resolve")},
	entity.CodeVCSUntold: {warning, "Version control does not know yet what was created or deleted here, and a commit would leave it out.",
		calls("worldfs vcs sync")},
	entity.CodeDisk: {warning, "What you edit cannot be written as it should be. Do not switch the machine off; make room on the disk, " +
		"or see that it can be written.", calls("df -h .")},
	entity.CodeRangesFile: {warning, "The file that says who may create which IDs cannot be read. The last good one is in force.",
		calls("$EDITOR id_ranges")},
	entity.CodeRangesGone: {warning, "The file that says who may create which IDs is gone. The last good one is in force.",
		calls("cp .worldfs/id_ranges.good id_ranges")},
	entity.CodeRangesOverlap: {warning, "Two people have the same range of IDs. Until that is settled, an ID that both have is nobody's.",
		calls("worldfs ids check --fix")},
	entity.CodeRangeUnknown: {warning, "A range of IDs is yours here, and nobody else has been told of it: two people may take the same.",
		calls("worldfs ids claim --commit")},
	entity.CodeIDOutside:   {note, "There are entities whose IDs are in nobody's range.", calls("worldfs ids check --fix")},
	entity.CodeIDForeign:   {warning, "A new entity has an ID out of another's range, who may take the same.", edit},
	entity.CodeNameUnknown: {warning, "A name here stands for nothing, so what it is in never does what was meant.", edit},
	entity.CodeRoleShared: {warning, "The file world.toml, which everybody has, says who creates IDs here. It is for one machine to say.",
		calls("$EDITOR world.toml")},
}
