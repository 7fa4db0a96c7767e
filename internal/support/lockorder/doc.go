// Package lockorder has mutexes that know their place in an order, and in a test build
// panic where they are locked against it.
//
// A mutex has a Class, which is a name and a rank. A goroutine may lock a mutex only
// while all that it holds have lower ranks. So no two goroutines can wait for each
// other, whether or not a test happens to have them do so.
//
//	var classTree = lockorder.Class{Rank: 40, Name: "tree"}
//
//	type tree struct{ mu lockorder.RWMutex }
//
//	t.mu.Init(&classTree)
//
// Without the build tag lockorder a Mutex is a sync.Mutex, an RWMutex a sync.RWMutex,
// and Init does nothing: they cost no memory and no time. With the tag each lock and
// unlock costs some microseconds, and a mutex that was not initialized panics. Where
// a panic may be recovered from, a test asks Violated at its end.
//
// A reader counts as a holder: to read-lock a mutex twice is a deadlock where a writer
// comes in between. What TryLock locks is held, but is not checked, since it does not
// wait. A mutex is unlocked by the goroutine that locked it.
package lockorder

// Class is what the mutexes of one field have in common.
type Class struct {
	// Rank is the class's place: a mutex is locked while lower ones are held, and not
	// while equal or higher ones are.
	Rank int
	// Name is what a panic calls it.
	Name string
	// Many says that a goroutine may hold several mutexes of the class. In which order
	// it locks them, or which other lock it holds meanwhile, its owner has to say.
	Many bool
}
