// Command worldfs keeps a game's world as one binary pack and shows it as one
// text file per entity.
package main

import "os"

func main() { os.Exit(run()) }
