package fsnode

import "github.com/worldfs/worldfs/internal/support/lockorder"

// The locks, in their order: each is taken only while those above it are held. A build
// with the tag lockorder checks that. Those of the parts that are packages stand between
// them:
//
//	10             replay.Replayer.turn
//	60, 90, 100    backing
//	80             place.Tree
//	110 to 130     realfs
//	150            realfs.Handed
//	160 to 180     replay, the others
//	190            seal
//
// Above them all come the locks of the daemon and of package prefetch, below them those of
// package cache, but for those of notices, the first of which a change of the world takes,
// too.
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
