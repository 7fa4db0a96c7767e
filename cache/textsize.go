package cache

import (
	"fmt"
	"iter"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// checkTextSizes returns an error that names the first entity whose text would be
// larger than a file may be. It does not print what the entity is called, which may be
// what is so large.
func checkTextSizes(entities iter.Seq[*entity.Entity]) error {
	for e := range entities {
		if e == nil || e.TextAtMost() <= MaxFileSize {
			continue
		}
		if n := len(textcodec.Append(nil, e)); n > MaxFileSize {
			return fmt.Errorf("entity %d: its text would have %d bytes: %w; nothing is taken in", e.ID, n, ErrTooLarge)
		}
	}
	return nil
}
