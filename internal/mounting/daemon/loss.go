package daemon

import (
	"time"

	"github.com/worldfs/worldfs/cache"
)

// plainLossTimeout is how long plain files that are missing are waited for to come
// back, once entities/ is quiet: a checkout removes all before it writes them.
const plainLossTimeout = 10 * time.Second

// awaitPlain waits for plain files of which most are missing, and takes in what came
// back. It returns a *cache.LossError if they are there to miss.
func (l *local) awaitPlain() error {
	for l.lost != nil {
		if err := l.recover(); err != nil {
			return err
		}
		if wait := l.patience(); l.lost != nil && wait <= 0 {
			return cache.AsLoss(l.lost)
		} else if l.lost != nil {
			time.Sleep(min(wait, 500*time.Millisecond))
		}
	}
	return nil
}

// patience returns for how long plain files that are missing are waited for from now on. Where
// entities/ changed in what is the future, the clock was set back, and nothing says since when
// it is quiet.
func (l *local) patience() time.Duration {
	wait := plainLossTimeout - time.Since(l.plain.LastName())
	if wait > 2*plainLossTimeout {
		return 0
	}
	return wait
}

// IsAwaiting reports whether most plain files are missing, and may come back yet: Sync would
// wait for them, and have the world meanwhile.
func (w *World) IsAwaiting() bool {
	l, ok := w.open.(*local)
	return ok && l.lost != nil && l.patience() > 0
}

// waitingLoss returns the great loss that the plain files are, of a world in memory,
// once they have had their time to come back.
func (l *local) waitingLoss() error {
	if err := l.awaitPlain(); cache.IsLoss(err) {
		return err
	}
	return nil
}

// bringBack writes the plain files that are missing, where a great loss waited.
func (l *local) bringBack() error {
	if l.lost == nil || l.plain.Crashed() {
		return nil
	}
	_, err := l.unpack("")
	return err
}

// endAllowance publishes what is meant to be lost, if anything is, before the mount
// begins: nothing else is.
func (d *daemon) endAllowance(allowed bool) error {
	if !allowed {
		return nil
	}
	d.world.SetLossAllowed(false)
	return d.world.AcceptLoss()
}

// resolveLoss publishes what is meant to be lost, or waits for it to come back, before
// the mount ends.
func (d *daemon) resolveLoss(allow bool) error {
	if !allow {
		d.world.AwaitNames(d.ended)
		return nil
	}
	_, err := with(d, func() (nothing, error) { return nothing{}, d.world.AcceptLoss() })
	return err
}
