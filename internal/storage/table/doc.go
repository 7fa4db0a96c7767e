// Package table is the entities of a live world: the published pack and what is known of
// each entity that is not just as the pack has it, which files a process reads and writes.
// It owns the one lock that guards them: no other package sees a slot.
//
// What goes on in it by itself is nothing: package cache says when something is committed,
// read, published or taken in. The table says what is due.
//
// # The door
//
//	Table     the entities as processes see them: names, files, directories, layout
//	File      an entity's text as a file
//	Control   what looks after the table: commits, reads, publishes, says what is due
//	Opening   brings in what there is when a world is opened
//	View      all entities' last good values at one moment
//	Intake    changes from outside, on their way into the files
//	Feed      what happened and is not in the history yet
//	Hooks     for the tests of the packages above
//
// A Publication is what ties these together: a pack that was made of a View takes the
// published one's place, the files get what the Intake brings, and the edits that the pack
// holds are dropped from the state.
//
// # Guarantees
//
//   - Bytes written are bytes read until something changes the entity's values; a type
//     that changes does not.
//   - A text that does not parse changes no values: the last good ones stay.
//   - What Table.SyncAll returned for is in the state, or its log, durably.
//   - An edit leaves the state only for a pack that has it, after Publication.Copy.
//   - What was written since the View of an Intake was taken stands: what came in about it
//     has lost, and is in the history.
//   - A process that writes a file waits for no other text, for no pack and for no history.
//
// # Locks
//
// In the order in which they are taken:
//
//	committer.committing   one update of the state from slots at a time; guards the
//	                       updates that it could not take
//	Feed.mu                one batch of entries for the history at a time
//	Table.mu               guards the table
//	File.mu                guards one file's bytes and attributes
//	batches.mu, counts.mu  leaves: nothing is taken under them
//
// A function whose name ends in Locked expects the lock that its comment names. Neither
// Table.mu nor File.mu is held during a call of an Invalidator.
//
// The package starts no goroutine; Feed.Run is one of its caller's.
package table
