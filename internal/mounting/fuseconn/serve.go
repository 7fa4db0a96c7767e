// Package fuseconn is the connection to the kernel behind a FUSE mount: it
// mounts, reads the kernel's requests, and writes the answers. What the requests mean it
// does not know, but for how each begins.
//
// It is there for one thing, the time between a request and its answer. Most of
// that is not work. The kernel wakes the goroutine that waits for requests, on a
// processor that has fallen asleep, and then the program that asked, on one that has,
// too. So after an answer the connection is polled for a while before the goroutine
// sleeps (pace.go), where the last request came as soon: the kernel's own halt polling
// does the same for a virtual machine (Documentation/virt/guest-halt-polling.rst).
//
// One goroutine at a time leads: it looks for a request and answers it (leader and
// followers: Schmidt et al., Pattern Languages of Program Design 4, 2000). While it
// answers, no goroutine looks; that is best while answers take some microseconds. Where
// several threads ask, it hands the lead on before it answers what waits for the
// disk; and it is relieved of it when any answer takes longer than a millisecond or
// two (see watch.go). So no request waits for good for another that waits for it.
package fuseconn

import (
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A Handler answers a request. It writes the answer to out, whose length it
// returns; 0 where the kernel expects none. Neither slice is used any more when it
// returns. Several run at once.
type Handler func(in, out []byte) int

// Server answers what the kernel asks on a connection.
type Server struct {
	file   *os.File
	fd     int
	max    int // how many bytes a request's or an answer's contents are at most
	handle Handler

	// turn is even while the leader looks for a request, odd while it answers
	// one. The goroutine that moves it on from there leads.
	turn    atomic.Uint64
	lead    chan struct{} // to a follower: lead
	ended   chan struct{} // closed when the kernel asks no more
	err     error         // why, if not because the mount is gone; set before ended is closed
	idle    atomic.Int32  // followers
	workers sync.WaitGroup
	watch   watch
	pace    pace
	halts   haltPolling // the watch's
	counts  counts
	epoch   time.Time // what pace counts from
}

const (
	// headRoom is what a request or an answer needs beside its contents.
	headRoom = 4096
	// maxIdle is how many goroutines wait to lead; others end.
	maxIdle = 8
)

// NewServer returns a server of requests with up to max bytes of contents, read
// and written. From now on no read from file waits.
func NewServer(file *os.File, max int, handle Handler) (*Server, error) {
	fd := int(file.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	s := &Server{
		file: file, fd: fd, max: max, handle: handle,
		lead: make(chan struct{}), ended: make(chan struct{}), epoch: time.Now(),
	}
	s.watch.stir = make(chan struct{}, 1)
	return s, nil
}

// Serve answers until the mount is gone and what was asked before is answered.
func (s *Server) Serve() error {
	s.workers.Go(s.work)
	watching := make(chan struct{})
	go func() { s.watchLeader(); close(watching) }()
	<-s.ended
	s.workers.Wait()
	<-watching
	return errors.Join(s.err, s.file.Close())
}

func (s *Server) work() {
	w := &worker{s: s, in: make([]byte, s.max+headRoom), out: make([]byte, s.max+headRoom)}
	for {
		w.leads()
		if s.idle.Add(1) > maxIdle {
			s.idle.Add(-1)
			return
		}
		select {
		case <-s.lead:
			s.idle.Add(-1)
		case <-s.ended:
			return
		}
	}
}

// HandOn has another goroutine look for requests though one is being answered. A
// handler may call it before it waits for long; otherwise the watchdog notices after
// watchTime.
func (s *Server) HandOn() {
	if turn := s.turn.Load(); turn%2 == 1 {
		s.handOn(turn)
	}
}

// handOn has another goroutine lead, if the turn is still that.
func (s *Server) handOn(turn uint64) {
	if !s.turn.CompareAndSwap(turn, turn+1) {
		return
	}
	s.pace.leftBehind()
	select {
	case s.lead <- struct{}{}:
	default:
		s.workers.Go(s.work)
	}
}

func (s *Server) now() time.Duration { return time.Since(s.epoch) }

type worker struct {
	s       *Server
	in, out []byte
}

// leads takes requests and answers them until another goroutine leads, or the kernel
// asks no more.
func (w *worker) leads() {
	for {
		n, err := w.next()
		if err != nil {
			if err != unix.ENODEV {
				w.s.err = os.NewSyscallError("read", err)
			}
			close(w.s.ended)
			return
		}
		in := w.in[:n]
		w.s.counts.add(in)
		crowd := w.s.pace.asked(Thread(in), w.s.now())
		turn := w.s.turn.Add(1) // from now on another goroutine may come to lead
		w.s.watch.stirred()
		if crowd && waitsForDisk(in) {
			w.s.handOn(turn)
		}
		w.answer(in)
		if !w.s.turn.CompareAndSwap(turn, turn+1) {
			w.s.pace.caughtUp()
			return
		}
	}
}

// next reads the next request and returns its length.
func (w *worker) next() (int, error) {
	look := w.s.pace.begin(w.s.now())
	for {
		n, err := w.s.read(w.in)
		if err == nil {
			look.found(w.s.now())
			return n, nil
		}
		if err != unix.EAGAIN {
			return 0, err
		}
		if !look.again(w.s.now()) {
			w.s.sleep()
		}
	}
}

// answer has a request answered and writes the answer.
func (w *worker) answer(in []byte) {
	n := w.s.handle(in, w.out)
	if n == 0 {
		return
	}
	// ENOENT: the caller has gone, or the whole mount.
	if _, err := w.s.write(w.out[:n]); err != nil && err != unix.ENOENT && err != unix.ENODEV {
		w.s.refuse(in)
	}
}

// refuse tells the kernel that there is no answer: otherwise the caller would wait for
// good.
func (s *Server) refuse(in []byte) {
	var out [outHeaderSize]byte
	_, _ = s.write(Refusal(out[:], in, unix.EIO))
}

// The beginning of each request, and of each answer (linux/fuse.h: fuse_in_header,
// fuse_out_header).
const (
	opcodeAt, uniqueAt, threadAt = 4, 8, 32
	inHeaderSize                 = 40
	outHeaderSize                = 16
)

// Refusal makes the answer that says no more than what went wrong.
func Refusal(out, in []byte, errno unix.Errno) []byte {
	binary.NativeEndian.PutUint32(out, outHeaderSize)
	binary.NativeEndian.PutUint32(out[4:], uint32(-int32(errno)))
	copy(out[uniqueAt:outHeaderSize], in[uniqueAt:])
	return out[:outHeaderSize]
}

// Opcode returns what a request asks for (linux/fuse.h: fuse_opcode), 0 if it is none.
func Opcode(in []byte) uint32 {
	if len(in) < inHeaderSize {
		return 0
	}
	return binary.NativeEndian.Uint32(in[opcodeAt:])
}

// Thread returns the ID of the thread that asks, 0 if it is not known.
func Thread(in []byte) uint32 {
	if len(in) < inHeaderSize {
		return 0
	}
	return binary.NativeEndian.Uint32(in[threadAt:])
}

// waitsForDisk reports whether a request waits for the disk as a matter of course.
func waitsForDisk(in []byte) bool {
	op := Opcode(in)
	return op == opFsync || op == opFsyncDir
}
