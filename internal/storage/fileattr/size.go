package fileattr

import "errors"

// MaxSize is the size in bytes beyond which an entity's file cannot grow: far more than
// any entity, far less than memory.
const MaxSize = 256 << 20

// ErrTooLarge is what writing beyond MaxSize gives.
var ErrTooLarge = errors.New("an entity's file cannot be larger than 256 MiB")
