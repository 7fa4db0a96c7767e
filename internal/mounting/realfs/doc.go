// Package realfs works with the real files that stand behind a mount, and reaches each
// by a descriptor.
//
//	Desc       an open descriptor, perhaps one that only names its file
//	Dir        a directory with all below it: scratch, or what lies beneath the mount
//	Scratch    the scratch directory, and the moving directory in it
//	Prepared   a file that is made ready in the moving directory
//	Inos       the inode numbers that were given to files
//	Cache      descriptors of the files that were used last
//	Handed     descriptors that the kernel works with by itself
//
// What it guarantees:
//
//  1. A path below a Dir is resolved from its descriptor, never through a symlink and
//     never out of it.
//  2. A descriptor that is scarce is not kept in a Cache (see scarcity.go), and what is
//     in one is closed when the process has no other left. None is closed while it is
//     being used.
//  3. What a crash leaves in the moving directory is gone after the next OpenScratch or,
//     where it is the only one, has a name in the root.
//  4. A number is either on a file or remembered, never both, and the mount does not
//     show the attribute that it is in.
//
// Locks: what each guards, its struct says; locks.go has their order. None is held over
// a call into another package.
package realfs
