//go:build lockorder

package lockorder

import "sync"

// Violated reports whether a mutex was locked against the order so far: where a panic
// is recovered from, it may pass unseen.
func Violated() bool { return violated.Load() }

// Mutex is a sync.Mutex with a class.
type Mutex struct {
	mu    sync.Mutex
	class *Class
}

// Init gives the mutex its class.
func (m *Mutex) Init(c *Class) { m.class = c }

// Lock locks the mutex. It panics where that is against the order.
func (m *Mutex) Lock() {
	before(m, m.class)
	m.mu.Lock()
	locked(m, m.class)
}

// TryLock locks the mutex if it is free, and reports whether it did.
func (m *Mutex) TryLock() bool {
	if !m.mu.TryLock() {
		return false
	}
	locked(m, m.class)
	return true
}

// Unlock unlocks the mutex.
func (m *Mutex) Unlock() {
	unlocked(m, m.class)
	m.mu.Unlock()
}

// RWMutex is a sync.RWMutex with a class.
type RWMutex struct {
	mu    sync.RWMutex
	class *Class
}

// Init gives the mutex its class.
func (m *RWMutex) Init(c *Class) { m.class = c }

// Lock locks the mutex for writing. It panics where that is against the order.
func (m *RWMutex) Lock() {
	before(m, m.class)
	m.mu.Lock()
	locked(m, m.class)
}

// TryLock locks the mutex for writing if it is free, and reports whether it did.
func (m *RWMutex) TryLock() bool {
	if !m.mu.TryLock() {
		return false
	}
	locked(m, m.class)
	return true
}

// Unlock unlocks the mutex after Lock.
func (m *RWMutex) Unlock() {
	unlocked(m, m.class)
	m.mu.Unlock()
}

// RLock locks the mutex for reading. It panics where that is against the order.
func (m *RWMutex) RLock() {
	before(m, m.class)
	m.mu.RLock()
	locked(m, m.class)
}

// TryRLock locks the mutex for reading if that does not wait, and reports whether it did.
func (m *RWMutex) TryRLock() bool {
	if !m.mu.TryRLock() {
		return false
	}
	locked(m, m.class)
	return true
}

// RUnlock unlocks the mutex after RLock.
func (m *RWMutex) RUnlock() {
	unlocked(m, m.class)
	m.mu.RUnlock()
}

// RLocker returns a Locker whose methods are RLock and RUnlock.
func (m *RWMutex) RLocker() sync.Locker { return reader{m} }

type reader struct{ m *RWMutex }

func (r reader) Lock()   { r.m.RLock() }
func (r reader) Unlock() { r.m.RUnlock() }
