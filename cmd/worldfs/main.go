// Command worldfs keeps a game's world as one binary pack and shows it as one
// text file per entity.
package main

import "os"

func main() {
	if isMountHelper(os.Args[0]) {
		os.Exit(runMountHelper(os.Args[1:]))
	}
	os.Exit(run())
}
