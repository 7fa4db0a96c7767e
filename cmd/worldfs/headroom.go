package main

import "runtime"

// headroom is how much garbage a command may make before any is collected.
// What most commands allocate in their tenths of a second is less; collecting it
// took pack a third of its time.
const headroom = 64 << 20

// withHeadroom calls do. The collector begins when the heap has doubled; so bytes
// that nobody touches, and that take no memory therefore, put it off.
func withHeadroom(do func() error) error {
	ballast := make([]byte, headroom)
	defer runtime.KeepAlive(ballast)
	return do()
}
