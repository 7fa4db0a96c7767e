// Package username names users by their numbers, for words about what a user did. A
// user without a name is called by the number. Each is looked up once in a process: the
// lookup may ask a server.
package username

import (
	"math"
	"os/user"
	"strconv"
	"strings"
	"sync"
)

var names sync.Map // uint32 -> string

// Of returns the name of a user, or the number where there is none.
func Of(uid uint32) string {
	if name, ok := names.Load(uid); ok {
		return name.(string)
	}
	name := strconv.FormatUint(uint64(uid), 10)
	lookup := func() (*user.User, error) { return user.LookupId(name) }
	if uid == unnumbered {
		lookup = user.Current
	}
	if u, err := lookup(); err == nil && u.Username != "" {
		name = Short(u.Username)
	}
	names.Store(uid, name)
	return name
}

// unnumbered is the number that package os has for the user where users have none.
const unnumbered = math.MaxUint32

// Short returns a user's name without the domain that Windows puts before it.
func Short(name string) string { return name[strings.LastIndexByte(name, '\\')+1:] }
