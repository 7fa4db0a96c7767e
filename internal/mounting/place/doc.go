// Package place knows where the nodes of a mount lie, and opens what lies there.
//
//	Dir        a directory of the mount
//	Dentry     a name in one
//	Location   the names of a node, as far as they are known
//	Tree       leads from locations to files
//	Handle     works with a regular file, wherever it lies by then
//
// What it guarantees:
//
//  1. A node is reached as long as any of its known names leads to it, whatever renames
//     and removals came before; once its last one has gone, by the descriptor that it was
//     given (Tree.SetDesc, Handle.HoldLocked) or by its link in the moving directory
//     (Tree.LinkOrphan).
//  2. No descriptor is kept for a file because a process has it open: each operation of a
//     Handle finds its file anew, unless the descriptor is cached.
//  3. A name is resolved from the backing directory that it is in (see package realfs).
//
// Locks: Tree's guards every Dir and Location. Their methods expect it, for writing those
// that change something. A method of Tree that ends in Locked expects it, the others take
// it. A Handle is guarded by a lock of its user's.
package place
