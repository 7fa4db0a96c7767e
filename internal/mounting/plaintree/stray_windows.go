package plaintree

import "github.com/worldfs/worldfs/cache"

// readStray reads a file that may be an entity's text: in scratch, where only a mount
// leaves any.
func readStray(string, string) (cache.Stray, error) { return cache.Stray{}, errNoStray }
