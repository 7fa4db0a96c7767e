package interchange

import (
	"bufio"
	"fmt"
	"io"

	"github.com/worldfs/worldfs/entity"
)

// Write writes a whole world: its types by name, then its entities by ID.
// progress may be nil; it is told how many entities have been written.
func Write(w io.Writer, types *entity.Types, src entity.Source, progress func(n int)) error {
	out := bufio.NewWriterSize(w, 256<<10)
	var line []byte
	for _, t := range types.All() {
		if t.Unknown {
			continue
		}
		line = AppendType(append(line[:0], `{"type":`...), t)
		out.Write(append(line, "}\n"...))
	}
	n := 0
	for e := range src.All() {
		line = AppendEntity(append(line[:0], `{"entity":`...), e)
		line = append(line, "}\n"...)
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write entity %d: %w", e.ID, err)
		}
		if n++; progress != nil {
			progress(n)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write world: %w", err)
	}
	return nil
}
