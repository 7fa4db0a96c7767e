// Package cache is the live world behind a mount: the pack and the edits that it does
// not have yet, as files that can be read and written. It knows no FUSE; package fsnode
// shows it to the kernel.
//
// Looking up and reading an untouched entity decodes one row of the pack and renders its
// text, a few microseconds. An edit costs its text's size in memory and one put in the
// state. A checkpoint writes the whole pack, in the background.
//
// # Parts
//
// World is made of parts, each with its own fields:
//
//	entities      the table of entities, as processes see it (package table)
//	keep          what looks after that table
//	feed          what happened and is not in the history yet (package table, too)
//	publisher     puts packs into the place of the published one
//	saveWatcher   sees that another program has saved world.pack, and takes it in
//	plainSync     takes in what changed in the plain files, and writes them
//	declarations  has the types in force follow types/
//	notes         what the parts have to say in the world's status
//
// Below them are the packages table (the entities with their one lock, and how they are
// committed), state (the durable local facts), packstore (the kept packs) and plainfiles
// (files, stamps and layouts).
//
// # Invariants
//
// Tests cite these by number.
//
//  1. At every instant pack + edits = the world: a crash at any point loses nothing that
//     was synced.
//  2. Bytes written are bytes read until something changes the entity's values.
//  3. A text that does not parse changes no values: the last good ones stay.
//  4. Served bytes never change because a type did.
//  5. What the edits in state.db stand on is published or kept, durably, before the
//     edits that it holds are dropped.
//  6. Everything from outside comes in through one three-way merge (takeInLocked), against
//     the last state that both sides knew; what loses is in the history.
//  7. A great loss is never published unless it is allowed (refuseLossLocked), and no
//     deletion of it gets into the history while it waits.
//  8. One text gives one pack: nothing in a pack depends on local state.
//  9. A process that writes a file does not wait for a pack, for the history or for
//     another text to be read as an entity.
//
// # Locks
//
// In the order in which they are taken:
//
//	World.publishing       one checkpoint or intake at a time; guards what publisher,
//	                       saveWatcher and plainSync have, and the cause of an intake
//	those of package table
//	declarations.mu        guards what is known of types/
//	notes.mu               guards the notes
//
// The last two are leaves: nothing is taken under them.
//
// A function whose name ends in Locked expects the lock that its comment names. No lock
// is held during a call of an Invalidator.
//
// # Goroutines
//
//	World.run             commits, judges and checkpoints in the background; from Open to Close
//	saveWatcher.watchPack looks at world.pack; from Open to Close
//	Feed.Run              writes the feed into the history; from Open to Close
//	plainSync.startScan   scans the plain files while the pack is read; ends by itself,
//	                      and takeEarlyScanLocked waits for it
//	packs.CopyBeside, packs.Tidy  beside a publishing; awaited before it returns
package cache
