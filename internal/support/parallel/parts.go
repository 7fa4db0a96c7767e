// Package parallel divides work among the processors.
package parallel

import (
	"runtime"
	"sync"
)

// minPart is how many files are worth a goroutine of their own.
const minPart = 64

// Do cuts n things into parts, one for each core, calls do for all of them
// at the same time, and returns the first part's error that has one.
func Do(n int, do func(part, from, to int) error) error {
	parts := Parts(n)
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

// Parts returns how many parts Do makes of n things.
func Parts(n int) int { return max(1, min(runtime.GOMAXPROCS(0), n/minPart)) }
