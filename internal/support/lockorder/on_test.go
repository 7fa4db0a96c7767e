//go:build lockorder

package lockorder

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	low  = Class{Rank: 1, Name: "low"}
	high = Class{Rank: 2, Name: "high"}
	many = Class{Rank: 3, Name: "many", Many: true}
)

func mutex(c *Class) *Mutex {
	m := new(Mutex)
	m.Init(c)
	return m
}

func lockOnce(l sync.Locker) {
	l.Lock()
	defer l.Unlock()
}

func TestTheOrderIsChecked(t *testing.T) {
	a, b := mutex(&low), mutex(&high)
	a.Lock()
	b.Lock()
	a.Unlock()
	require.PanicsWithValue(t, "lockorder: low (rank 1) is locked while high (rank 2) is held", a.Lock)
	b.Unlock()
	a.Lock()
	require.PanicsWithValue(t, "lockorder: low is locked twice", a.Lock)
	require.PanicsWithValue(t, "lockorder: low (rank 1) is locked while low (rank 1) is held", mutex(&low).Lock)
	a.Unlock()
	require.PanicsWithValue(t, "lockorder: low is unlocked by a goroutine that does not hold it", a.Unlock)
	require.PanicsWithValue(t, "lockorder: a mutex has no class", new(Mutex).Lock)
	require.Empty(t, held.by)
	require.True(t, Violated())
}

func TestSeveralOfAClassThatAllowsIt(t *testing.T) {
	a, b := mutex(&many), mutex(&many)
	a.Lock()
	b.Lock()
	require.Panics(t, a.Lock)
	require.Panics(t, mutex(&high).Lock)
	a.Unlock()
	b.Unlock()
	require.Empty(t, held.by)
}

func TestReadersCount(t *testing.T) {
	var a RWMutex
	a.Init(&high)
	a.RLock()
	require.Panics(t, a.RLock, "a writer may have come in between")
	require.Panics(t, mutex(&low).Lock)
	a.RUnlock()
	require.True(t, a.TryRLock())
	require.False(t, a.TryLock())
	a.RUnlock()
	lockOnce(a.RLocker())
	lockOnce(&a)
	require.Empty(t, held.by)
}

// What is tried does not wait, so it is in no order, but what comes after it is.
func TestATriedLockIsHeld(t *testing.T) {
	a, b := mutex(&low), mutex(&high)
	b.Lock()
	require.True(t, a.TryLock())
	require.False(t, a.TryLock())
	a.Unlock()
	b.Unlock()
	require.True(t, b.TryLock())
	require.Panics(t, a.Lock)
	b.Unlock()
	require.Empty(t, held.by)
}

func TestEachGoroutineHoldsItsOwn(t *testing.T) {
	a, b := mutex(&low), mutex(&high)
	b.Lock()
	var other sync.WaitGroup
	other.Go(func() { lockOnce(a) })
	other.Wait()
	b.Unlock()
	require.Empty(t, held.by)
}

func TestACondUnlocksAndLocks(t *testing.T) {
	a := mutex(&low)
	cond, woken := sync.NewCond(a), false
	var other sync.WaitGroup
	other.Go(func() {
		a.Lock()
		defer a.Unlock()
		for !woken {
			cond.Wait()
		}
	})
	a.Lock()
	woken = true
	cond.Broadcast()
	a.Unlock()
	other.Wait()
	require.Empty(t, held.by)
}
