// Command worldfs keeps a game's world as one binary pack and shows it as one
// text file per entity.
package main

import (
	"os"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/mount"
)

func main() {
	root, a := newRoot()
	if mount.IsHelper(os.Args[0]) {
		os.Exit(mount.RunHelper(root, os.Args[1:]))
	}
	os.Exit(a.Run())
}
