// Package prefetch makes the names, attributes and contents of a mount known to the
// kernel before programs ask for them: no read costs a round trip then, not even the
// first.
//
// Names and attributes the kernel only learns by asking, so another process lists the
// entities directory (Serve). Contents are handed over (NOTIFY_STORE), which costs a
// tenth of what a process pays that reads them; what there is no time for that process
// reads afterwards. A mount that is being prefetched keeps other callers waiting for a
// moment (Barrier), since they would ask for the same, one round trip at a time.
//
// The parts:
//
//	Prefetch   one run: starts the process, renders, lists, fills, reads the rest
//	Barrier    what callers of the mount wait for
//	Process    the process that lists and reads
//	renderer   renders texts while the mount is being made and listed
//	filler     hands contents over
//
// The invariants:
//
//  1. Contents are handed over only while no program can have a file open, created,
//     renamed or truncated since the mount (Barrier.WaitFilled): the kernel stores what
//     it is handed over a page that a program has just written and whose WRITE has not
//     reached us yet, and that write would be lost.
//  2. No notice that a file has changed is sent between rendering its text and handing
//     it over (Barrier.Invalidate): the kernel would keep the old text.
//  3. Callers wait for names for maxListTime at most, and for files for maxFillTime.
//
// Locks: Barrier.pages is held while a text is rendered and handed over, so it comes
// before the locks of package cache. The others are held over no call.
//
// Goroutines: one of Prefetch.Render, until all is rendered or Close; one of
// Prefetch.Begin, until the mount is prefetched or Close; and the filler's, which end
// before that one. Close waits for all of them.
package prefetch
