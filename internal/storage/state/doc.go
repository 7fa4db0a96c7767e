// Package state keeps the durable local facts of a world: state.db, a bbolt file,
// and state.wal, its write-ahead log. It alone knows bbolt, the buckets and the log.
//
// A Store holds, for each entity's file, what the pack does not have (Record), and
// what is local to this machine: exact texts, times, inode numbers, the stamps of the
// plain files and the packs that they were written from, and notes about packs by
// their hash. Package cache decides what is written and when.
//
// The doors:
//
//   - Open brings state.db to the present format, takes in what a process left in the
//     log, and refuses what is damaged (*Damage) without changing anything.
//   - Apply makes an Update durable in state.db: one transaction, two fdatasync.
//   - ApplyFast makes it durable in the log: one fdatasync, for callers that wait.
//   - Flush brings state.db up to date with the log; FlushDue says when that is due.
//   - Mend makes a new state of what is whole of a damaged one, and lists what is not.
//
// # Invariants
//
// Tests cite these by number.
//
//  1. An update is durable, whole, when Apply or ApplyFast has returned nil, and else
//     is as if it had not been asked for, whenever the process ends.
//  2. state.db and the log never disagree: each transaction of state.db begins with
//     what only the log has and notes the number of the log's last record.
//  3. Every value ends in a checksum over its bucket, key and bytes, and one value has
//     the count and the sum of them all: a changed, missing or stale value is *Damage,
//     and so is a log that is missing, another one's, or broken before its end.
//  4. state.db and a new log get their names when they are whole: an empty one is damage.
//  5. No inode number is handed out before a durable update has set it aside.
//  6. A panic of bbolt, or a fault of its mapping, is *Damage and ends no process. After
//     one that an update met there are no further updates.
//
// # Locks
//
// Store.writing serializes updates of state.db and its log and is taken before
// Store.mu, which guards what the log is ahead by. database.mu is held, shared, during
// a transaction, and is taken last. The package starts no goroutine.
package state
