//go:build !linux

package mount

// becomeUser does nothing: mount(8) calls no helper here.
func (c mountCall) becomeUser() error { return nil }
