// Command worldfs keeps a game's world as one binary pack and shows it as one
// text file per entity.
package main

import "os"

func main() {
	root, a := newRoot()
	if isHelper(os.Args[0]) {
		os.Exit(runHelper(root, os.Args[1:]))
	}
	os.Exit(a.run())
}
