package typefile

import (
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// writeAnew is the command that has the types in force be declared by files again, as it is
// typed in the world directory. It takes in no entities: texts that cannot be read stay.
const writeAnew = `worldfs export | grep '^{"type"' >types.jsonl && worldfs import types.jsonl && rm types.jsonl`

// Undeclared returns the finding about a directory, called dir, of which no file declares
// anything, while types stay in force that entities have: without what is known here, as
// in a clone, these cannot be read. Where there are no such entities there is none.
func Undeclared(dir string, inForce *entity.Types, world entity.Source) []entity.Finding {
	count := make(map[string]int)
	for e := range world.All() {
		count[e.Type()]++
	}
	var lost []string
	entities := 0
	for _, t := range inForce.All() {
		if n := count[t.Name]; n > 0 {
			lost, entities = append(lost, t.Name), entities+n
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return []entity.Finding{{
		Code: entity.CodeTypeFile, Blocks: true, // with no File: nothing in a directory can be resolved
		Message: fmt.Sprintf("no %[1]s file in %[4]s/ declares %[2]s, which %[3]d of the entities are of: the last good declarations stay in force in this copy of the world, "+
			"and no other can read these entities; bring the files back from version control (git checkout -- %[4]s, or svn revert -R %[4]s), "+
			"or have worldfs write them anew, without their comments", extension, strings.Join(lost, ", "), entities, dir),
		Advice: "There is no file any more that declares the types of these entities. What was declared before is in force, here and nowhere else.",
		Mend:   writeAnew,
	}}
}
