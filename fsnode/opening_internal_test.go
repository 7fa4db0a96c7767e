package fsnode

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// leaves tells for how long a core is left to who waited for names, where only
// meddle does something meanwhile.
func leaves(awaited bool, meddle func(o *opening, over chan struct{}, cancel func())) time.Duration {
	o, over := beginOpening(0), make(chan struct{})
	o.waits = func() {}
	o.awaited.Store(awaited)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		time.Sleep(time.Millisecond)
		meddle(o, over, cancel)
	}()
	begun := time.Now()
	o.leaveCore(ctx, over)
	took := time.Since(begun)
	o.end()
	time.Sleep(time.Second) // whoever waits has gone on
	return took
}

func TestACoreIsLeftToWhoWaitedForNames(t *testing.T) {
	nothing := func(*opening, chan struct{}, func()) {}
	for name, test := range map[string]struct {
		awaited bool
		meddle  func(*opening, chan struct{}, func())
		want    time.Duration
	}{
		"nobody waited":         {false, nothing, 0},
		"they list":             {true, nothing, listTime},
		"a file is opened":      {true, func(o *opening, _ chan struct{}, _ func()) { o.passFiles() }, time.Millisecond},
		"all is handed over":    {true, func(_ *opening, over chan struct{}, _ func()) { close(over) }, time.Millisecond},
		"the mount is given up": {true, func(_ *opening, _ chan struct{}, cancel func()) { cancel() }, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { require.Equal(t, test.want, leaves(test.awaited, test.meddle)) })
		})
	}
}
