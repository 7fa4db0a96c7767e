package fsnode

import "github.com/worldfs/worldfs/internal/support/lockorder"

// The locks, in their order: each is taken only while those above it are held. A build
// with the tag lockorder checks that. Above them all come the locks of the daemon and of
// package prefetch, below them those of package cache, but for those of notices, of which a
// change of the world takes that of its queue, too. Package backing
// has the ranks 60, 90 and 100, package place 80, package realfs those from 110 to 130 and 150, package replay rank 10 and those
// from 160 to 180, package seal rank 190.
var (
	classClosing = lockorder.Class{Rank: 20, Name: "Mounted.closing"}
	classReplies = lockorder.Class{Rank: 30, Name: "rawFS.replies"}
	classLayout  = lockorder.Class{Rank: 40, Name: "fsys.layoutMu"}
	classNames   = lockorder.Class{Rank: 50, Name: "fsys.namesMu"}
	classFile    = lockorder.Class{Rank: 70, Name: "File.mu", Many: true} // of two files the lower inode number first, or with namesMu
	classNodes   = lockorder.Class{Rank: 140, Name: "nodeTable.mu"}
	classQueue   = lockorder.Class{Rank: 390, Name: "notices.queue"}
	classNotices = lockorder.Class{Rank: 400, Name: "notices.mu"}
)
