package cache

// Crash stops the world as a kill would: nothing more is written.
func (w *World) Crash() {
	close(w.stop)
	w.stopped.Wait()
	if err := w.store.db.Close(); err != nil {
		panic(err)
	}
}
