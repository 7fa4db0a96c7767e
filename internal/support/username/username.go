// Package username names users by their numbers, for words about what a user did. A
// user without a name is called by the number. Each is looked up once in a process: the
// lookup may ask a server.
package username

import (
	"os/user"
	"strconv"
	"sync"
)

var names sync.Map // uint32 -> string

// Of returns the name of a user, or the number where there is none.
func Of(uid uint32) string {
	if name, ok := names.Load(uid); ok {
		return name.(string)
	}
	name := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(name); err == nil && u.Username != "" {
		name = u.Username
	}
	names.Store(uid, name)
	return name
}
