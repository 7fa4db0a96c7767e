// Package fsnode shows a live world to the kernel: the FUSE nodes over package
// cache. It is the only package that imports go-fuse.
//
// The mount is the entities directory. A name <number>.entity_text directly in
// it is an entity, whose bytes and attributes are the cache's. Every other name,
// and everything in its subdirectories, is a real file in the scratch directory
// with ordinary semantics: editors' swap and backup files, lock symlinks, a
// whole .git.
//
// In a world with shards (see package layout) entities are in those, and a
// shard is a directory like any other but for what docs/posix.md says.
//
// Or, in the cover shape, the mount is a directory that the world lies in, and
// everything but its entities directory is a real file beneath the mount. The
// world's own state is shown there, and nothing in it can be changed: EPERM.
//
// What is refused: a directory, symlink or special file under an entity's name,
// and hard links of entities (EPERM); moving a scratch file that has other hard
// links to an entity's name (EXDEV, on which tools copy).
//
// What it costs: a looked-up name takes most of a kilobyte here and in the
// kernel. A scratch file takes a descriptor while it is unlinked and not yet
// forgotten by the kernel, and up to 256 that were used last; half of what the
// process may have open, at most (see package realfs). A rename across
// the boundary waits for the disk, except that of a file created just now.
//
// # Parts
//
// A request goes through the parts from the top down. Each owns its fields and the
// lock that guards them.
//
//	connection      reads requests and writes answers, with package fuseconn
//	replayFilter    answers the process that replays for watchers; passes on the rest
//	rawFS           what go-fuse's nodes cannot do: it knows the kernel's numbers of nodes
//	Dir, File,      the nodes; what stands behind a File, package backing has
//	Special
//	fsys            the mount: what spans several nodes, such as a rename
//	nodeTable       which nodes the kernel may know
//	memFiles        makes, and flushes, files that were created just now
//	cover           the directory beneath, in the cover shape
//	cachePolicy     for how long the kernel may go by what it was told
//	notices         tells the kernel of changes that did not come through the mount
//
// Others are packages: place knows where nodes lie (fsys.tree), realfs has the real files
// behind them, which are the scratch directory, descriptors and inode numbers. prepared
// puts files that were made ready into their places. seal, once closed, refuses every
// change before any other part sees it. truncation has a short read wait after a file was
// made shorter. replay has programs that watch files hear of what did not come through the
// mount, prefetch makes all of it known to the kernel while the mount opens.
//
// # Invariants
//
//  1. A file is one node whatever stands behind it. A rename across the boundary
//     between entities and scratch swaps the backing; the node, its inode number and
//     the files that processes have open stay.
//  2. In a rename across the boundary the source's name goes only after the file is
//     durable under the new one, unless it was created less than volatileTime ago and
//     not synced. A crash leaves a file under both names, never under none.
//  3. No crash leaves one inode number on two files in scratch: while a file moves
//     across the boundary its number is on neither.
//  4. No operation depends on a file handle, and none that has begun is cut short
//     because its request was interrupted. (A directory is not opened yet while it waits
//     for a checkout to be through: see Dir.OpendirHandle.)
//  5. Paths below the scratch directory, and beneath the mount, are resolved from
//     a descriptor opened at mount, never through a symlink and never out of it.
//  6. The kernel checks permissions (default_permissions), and what is created
//     belongs to the caller.
//  7. What the kernel may remember is true, or a notice is on its way that says it is
//     not. A notice is sent after the change, and by a goroutine that holds no lock for
//     which a request may wait.
//  8. No answer that was made up before a change is believed after the notice of it
//     (see notices).
//  9. No node is forgotten between its lookup and the reply that tells the kernel of it
//     (see rawFS): two nodes would stand for one file.
//  10. A request finds all entities in one layout.
//  11. Nothing changes in a sealed mount, and no change is accepted and lost on the way
//     to the seal.
//  12. What is in memory beside the entities is lost in a crash only if it was not
//     synced and is younger than half a second. It looks as if it were on the disk.
//  13. No request of the process that replays changes anything (see package replay).
//  14. A descriptor that is scarce is not kept (see package realfs).
//
// # Locks
//
// They are taken in the order in which locks.go lists them. Of two files, the one with
// the lower inode number is locked first; a goroutine with namesMu may lock files in any
// order, since only it locks several. What a lock guards, its struct says. A function
// that expects a lock ends in Locked: the one that its comment names, else the one of its
// receiver's struct. One that returns holding a lock returns the unlock. The methods of
// File.back expect the File's mu, the places of nodes fsys.tree. No lock is held while a
// notice is sent, but for Barrier.pages of package prefetch and Replayer.turn of package
// replay: no request waits for those.
//
// # Goroutines
//
//	goroutine                owner        ends
//	serve                    Mounted      when the kernel has let go of the mount; it closes
//	                                      all else, then Wait returns
//	readers of requests      fuseconn     before serve does
//	notices.notify's           backlog      notices.close, called by serve
//	Replayer.run             replay       Replayer.Close, called by serve and by Detach
//	prefetch's               Prefetch     Prefetch.Close, called by serve, Unmount and Detach
//	Store.flushOld           backing      a timer's, while there are files in memory;
//	                                      Store.Close waits for it
//	notices.refreshLater     notices      a timer's, refreshDelay after a change; once the
//	                                      mount is gone the kernel refuses what it sends
package fsnode
