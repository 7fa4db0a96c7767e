package mergestudy

import (
	"fmt"
	"io"
	"strings"
)

const preface = `# Merging, compared

Generated three-way cases, merged in five ways. ` + "`make study`" + ` writes this page, in a quarter of an hour; the same seed gives
the same cases, and their first 200 run with the tests, the first 50 with the real git and svn.

`

const method = `
**The cases.** A base of 8 to 12 entities: of a type with a field of every kind (scalars, vectors, strings of one line and of
many, blobs, enums, flags, structs, sets, arrays, an array of structs with a key, direct and indirect refs), or of a plain
one. Each side makes one to four edits: it sets a value or a part of one, adds to and removes from sets and arrays, moves an
element of an array, gives a number that no other entity has, changes a line of a text, creates an entity (there are few IDs, so both sides use one now and then), deletes one, or lets one follow
another. It brings an entity to a new revision, in which a field has a successor, declares a field of its own, or writes lines
of a field that its type does not know and that the other side may declare, as a number or not. A field that a side declares
stands in all its texts of that type, so git has more to merge than where texts are left as they were. In a third of the cases a
program makes the entities of a range, so that there theirs count alone where both changed something. Who deletes an entity deletes what follows it and takes away the refs to it. Half of the edits are in three entities
or six fields, so that the sides meet. No side by itself has a dangling ref or a circle.

**The ways.** One big text file: all entities' texts in the order of their IDs, with a blank line between them, and
` + "`git merge-file`" + `. A file an entity: the same for each file that both changed (with an empty base where both made it); a file
that one side changed is taken; one deleted and the other modified is git's conflict. Renames are not looked for. worldfs:
package merge, conflicts left to people.

` + "`git merge` and `resolve`" + `: a clone in which ` + "`worldfs vcs install`" + ` was typed. Theirs is what origin has; ` + "`git merge origin/main`" + ` with the
merge driver and the hooks, then ` + "`worldfs resolve`" + `, then, where it leaves no conflict, ` + "`git commit`" + ` where it says so. ` + "`svn update` and `resolve`" + `:
a working copy of svn, set up likewise, in which ours is not committed, and theirs is in the repository; ` + "`svn update`" + `, ` + "`worldfs resolve`" + `
and, where no conflict is left, ` + "`svn commit`" + `. What is not committed then, counts as a lost edit.

**What counts.** The sides *disagree* where their edits are about one property, or one about a part of the other's, and do not do
the same there; where one deletes an entity that the other changed; where
they give two entities one number of which each may have its own; and where one deletes an entity that something follows
which the other changed or made. Two entities made under one ID are no disagreement; two lines or elements put in at one
place are taken for one, in git's favour: a merge may keep both or call it a conflict. A conflict is false if the sides
disagree about nothing in the whole case: where they do, whatever else a way takes for a conflict is not held against it.

A merge without a conflict is damaged if a text does not parse or lacks a field; if an ID, a key of an array or a field is
there twice; if a ref dangles or direct refs go in a circle; or if an edit is lost: it is not in the merged world.
Repairs and new IDs that worldfs reports are not lost edits: they are what it says instead of a dangling ref or a circle. Mixed
values are edits about which the sides disagree, merged without a word, so that at least one side's value is gone: half of
one side's vector and half of the other's. A case can be damaged in more than one way.

What worldfs does is also judged where it reports a conflict: its result must be whole, every edit must be there with which no side
disagrees, and every conflict must be about an entity about which the sides disagree.

Where nothing is set up, svn merges lines, and tells nothing of an update that met no conflict. What does not go together then
` + "`resolve`" + ` finds all the same; but where both changed parts of one value, and the lines between them are the same, it has
become a mixed one.
`

// WriteTo writes the study as a page for people.
func (s *Study) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	b.WriteString(preface)
	fmt.Fprintf(&b, "Cases: %d, seed %d, %s. In %d of them the sides disagree about something.\n\n", s.Cases, s.Seed, s.Git, s.Disagreeing)
	names := make([]string, len(s.Ran))
	for i, way := range s.Ran {
		names[i] = WayNames[way]
	}
	fmt.Fprintf(&b, "| | %s |\n|---%s|\n", strings.Join(names, " | "), strings.Repeat("|---:", len(names)))
	s.row(&b, "merged, and everything is there", func(t *Tally) int { return t.Right })
	s.row(&b, "· of these, with a repair or a new ID reported", func(t *Tally) int { return t.Repaired })
	s.row(&b, "conflict, and the sides do disagree", func(t *Tally) int { return t.True })
	s.row(&b, "**false conflict**", func(t *Tally) int { return t.False })
	s.row(&b, "**merged without a word, and damaged**", func(t *Tally) int { return t.Damaged })
	s.row(&b, "· text that does not parse, or lacks a field", func(t *Tally) int { return t.Damage.Unreadable })
	s.row(&b, "· duplicates", func(t *Tally) int { return t.Damage.Duplicates })
	s.row(&b, "· dangling refs", func(t *Tally) int { return t.Damage.Dangling })
	s.row(&b, "· circles of direct refs", func(t *Tally) int { return t.Damage.Cycles })
	s.row(&b, "· lost edits", func(t *Tally) int { return t.Damage.Lost })
	s.row(&b, "· mixed values", func(t *Tally) int { return t.Damage.Mixed })
	b.WriteByte('\n')
	for _, way := range s.Ran {
		if t := &s.Ways[way]; way >= Worldfs {
			fmt.Fprintf(&b, "- %s, where it reports a conflict: %d results broken, %d cases with a conflict in the wrong place.\n",
				WayNames[way], t.BrokenInConflict, t.Misplaced)
		}
	}
	b.WriteString(method)
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (s *Study) row(b *strings.Builder, name string, count func(*Tally) int) {
	fmt.Fprintf(b, "| %s |", name)
	for _, way := range s.Ran {
		fmt.Fprintf(b, " %d |", count(&s.Ways[way]))
	}
	b.WriteByte('\n')
}
