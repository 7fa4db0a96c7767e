package disk

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// A file that another program has open is not replaced here. Virus scanners and indexers
// have each new file open for a moment.
const renameTries, renamePause = 40, 50 * time.Millisecond

func rename(from, to string) (err error) {
	for range renameTries {
		err = os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(renamePause)
	}
	return fmt.Errorf("%w: another program may have it open; close it there, and try again", err)
}
