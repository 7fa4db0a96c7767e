package cache

import (
	"runtime"
	"sync"
)

// partLeast is how many files are worth a goroutine of their own.
const partLeast = 64

// inParts cuts n things into parts, one for each core, calls do for all of them
// at the same time, and returns the first part's error that has one.
func inParts(n int, do func(part, from, to int) error) error {
	parts := partsOf(n)
	errs := make([]error, parts)
	var working sync.WaitGroup
	for i := range parts {
		working.Go(func() { errs[i] = do(i, i*n/parts, (i+1)*n/parts) })
	}
	working.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// partsOf returns how many parts inParts makes of n things.
func partsOf(n int) int { return max(1, min(runtime.GOMAXPROCS(0), n/partLeast)) }
