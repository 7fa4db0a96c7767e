// Package replay has programs that watch files hear of what did not come through the
// mount.
//
// They hear (inotify) of what processes do through the mount, and of nothing else: the
// kernel makes events of system calls, never of a notice. So after worldfs itself has
// changed an entity, a process of ours makes the system calls that a program would have
// made (Lines), and the daemon answers them without changing anything (Answers). Such a
// call is an event:
//
//	a file changed   open for writing, FALLOCATE of no room, close
//	a file is new    mknod, then as above
//	a file is gone   unlink
//	too many did     utimensat of their directory
//
// The parts:
//
//	Replayer     starts and ends the process, and gives it the events
//	eventQueue   the events that wait
//	Answers      which of the process's requests are answered, and how
//	Lines        what the process does
//
// The invariants, whatever else goes on in the mount, and wherever the process is
// killed:
//
//  1. No request of that process changes the world, or anything in scratch.
//  2. An event is answered only while what was announced is still so: the file that
//     was announced is there, or no file of that name is. Any other is refused, and
//     makes no event.
//  3. No answer to an event has the kernel believe anything about a file that another
//     process may be changing. What mknod makes and unlink removes is a node that
//     stands for no file (a placeholder), whose name is good for no time; FALLOCATE has
//     the kernel believe nothing. Package fsnode sees to it, which sends the answers.
//
// Locks: what each guards, its struct says; locks.go has their order. Replayer.turn is
// held while the process makes its requests and while Options.Forget is called: no
// request waits for it.
//
// Goroutines: one of New, until Replayer.Close.
package replay
