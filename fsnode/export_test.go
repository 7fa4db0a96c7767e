package fsnode

// ErrnoOf is the translator of errors.
var ErrnoOf = errnoOf
