package prefetch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// yields returns for how long a CPU is left to callers that waited for names, where
// only meddle does something meanwhile.
func yields(awaited bool, meddle func(b *Barrier, over chan struct{}, cancel func())) time.Duration {
	b, over := closedBarrier(0), make(chan struct{})
	b.OnWait(func() {})
	b.awaited.Store(awaited)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		time.Sleep(time.Millisecond)
		meddle(b, over, cancel)
	}()
	begun := time.Now()
	b.yieldCPU(ctx, over)
	took := time.Since(begun)
	b.open()
	time.Sleep(time.Second) // what waits has gone on
	return took
}

func TestACPUIsLeftToCallersThatWaitedForNames(t *testing.T) {
	nothing := func(*Barrier, chan struct{}, func()) {}
	for name, test := range map[string]struct {
		awaited bool
		meddle  func(*Barrier, chan struct{}, func())
		want    time.Duration
	}{
		"no caller waited":      {false, nothing, 0},
		"they list":             {true, nothing, listTime},
		"a file is opened":      {true, func(b *Barrier, _ chan struct{}, _ func()) { b.WaitFilled() }, time.Millisecond},
		"all is handed over":    {true, func(_ *Barrier, over chan struct{}, _ func()) { close(over) }, time.Millisecond},
		"the mount is given up": {true, func(_ *Barrier, _ chan struct{}, cancel func()) { cancel() }, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { require.Equal(t, test.want, yields(test.awaited, test.meddle)) })
		})
	}
}
