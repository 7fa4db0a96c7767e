package cache

// Crash stops the world as a kill would: nothing more is written.
func (w *World) Crash() {
	close(w.stop)
	w.stopped.Wait()
	if err := w.store.db.Close(); err != nil {
		panic(err)
	}
}

// SetFault has steps of the disk fail.
func (w *World) SetFault(fault func(step string) error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	w.disk.Fault = fault
}

// BreakState has every later update of state.db fail.
func (w *World) BreakState() {
	close(w.stop)
	w.stopped.Wait()
	if err := w.store.db.Close(); err != nil {
		panic(err)
	}
}
