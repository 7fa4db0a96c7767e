// Package backing has what may stand behind a regular file of a mount, one as good as
// another to its caller:
//
//	Entity     an entity's text
//	Real       a file in scratch or beneath the mount
//	ReadOnly   one that cannot be changed
//	Memory     a file that was created just now, in memory only
//
// A Store has the files in memory, and sees to it that they do not stay there.
//
// What it guarantees:
//
//  1. A file in memory looks as if it were on the disk. What only a real file can do, and
//     what there is no room for, is answered with ErrNeedsDisk, and nothing is done.
//  2. A Store flushes each file once it is flushDelay old, and all of them when it is
//     closed. It has maxMemFiles files and maxMemBytes bytes at most.
//  3. An entity's attributes are its own: of others none can be set.
//
// Locks: the user's guards which File is behind a file. locks.go has the others, each
// struct says what they guard. Store.flushing is held while files are flushed, which
// takes the user's locks.
//
// Goroutines: a Store's timer, while there are files in memory. Store.Close waits for it.
package backing
