// Package packstore keeps the recent packs of a world under .worldfs/packs: as bases
// for saves that come in later, to be restored, and, of the plain files, as the last
// state that both sides knew. It finds the pack that another program's save was made
// from, puts aside what is no whole pack, and removes what is too old or too many.
//
// A kept pack is a file named by its content hash, a copy and no link; beside it lie
// the digests of its entities (.sums), by which a save is compared with every kept pack
// without reading those. What is remembered of a pack longer than the pack itself (when
// it was published or saved, whether another program has loaded it) is in package
// state.
//
// # Invariants
//
// Tests cite these by number.
//
//  1. A kept pack has the hash that its name says, or Get returns an error.
//  2. A pack that plain files refer to as their base is never pruned.
//  3. No two packs have the same time, so "the newest before" has one answer.
//  4. Where nothing certain is known of a save's base, an older one is chosen rather
//     than a newer one: that can make a conflict, where the other would undo edits
//     silently.
//  5. No file that could not be read as a pack of this world is removed before MaxAge:
//     it is put aside.
//
// A Store is not safe for concurrent use but for Get, List, Path, Keep and Tidy: its
// caller serializes the rest (World.publishing in package cache). CopyBeside starts a
// goroutine, which ends before the function that it returns does.
package packstore
