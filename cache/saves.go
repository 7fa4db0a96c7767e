package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/packfile"
)

// saveWatcher is what is known of the packs that other programs save, by replacing
// world.pack or by writing over it. Guarded by World.publishing.
type saveWatcher struct {
	world *World

	ours      fileattr.Stamp // world.pack when it was last found to be the published one
	seen      fileattr.Stamp // world.pack when it was last looked at
	since     time.Time      // when it was first seen so; of a missing one, missing
	displaced []displaced
	taking    bool         // one, or plain files, are being taken in; what that displaces comes after it
	delayed   delayedSaves // what waits with a great loss that is not published
}

// delayedSaves is when saves were found to have to wait, since what else changed is a
// great loss. Nothing is tried again before something is otherwise.
type delayedSaves struct {
	err    error // a *LossError, nil: none waits
	stamp  fileattr.Stamp
	edited uint64
	pack   *packfile.Pack
}

// delaySavesLocked notes that a save waits because of err, which was so when the edits had
// come to a generation. The caller has publishing.
func (s *saveWatcher) delaySavesLocked(err error, stamp fileattr.Stamp, edited uint64) {
	s.delayed = delayedSaves{err, stamp, edited, s.world.published()}
	s.saveTrouble("another program saved world.pack; its save is taken in once the entities that are gone are back, or are to go: " + err.Error())
}

// savesDelayedLocked returns why saves wait, nil if they are to be tried. stamp is that of
// world.pack. The caller has publishing.
func (s *saveWatcher) savesDelayedLocked(stamp fileattr.Stamp) error {
	h := &s.delayed
	if s.world.lossAllowed || h.err == nil || h.stamp != stamp || h.edited != s.world.control.Generation() || h.pack != s.world.published() {
		*h = delayedSaves{}
	}
	return h.err
}

// displaced is a file that came out of an exchange and could not be taken in
// or removed yet.
type displaced struct {
	path  string
	seen  fileattr.Stamp
	since time.Time
}

// When a save is judged.
const (
	saveClosed = 3 * time.Millisecond   // whole, and no process has it open for writing
	saveQuiet  = 25 * time.Millisecond  // it is looked at, open for writing or not
	saveOpen   = 120 * time.Millisecond // whole, but still open for writing
	saveTorn   = 2 * time.Second        // not whole, and no process has it open: cut off
	saveUnsure = 4 * time.Second        // the same where it is not known whether one has
	saveWait   = 3 * time.Second        // a checkpoint waits so long for one that is under way
	packIdle   = 2 * time.Second        // how often the file's times are looked at anyway
	packNoHelp = 50 * time.Millisecond  // the same where the kernel does not tell of changes
)

// errSaving is why a checkpoint is put off: another program is writing
// world.pack.
var errSaving = errors.New("another program is saving world.pack")

// watchPack takes in what other programs save.
func (s *saveWatcher) watchPack(brief bool) {
	idle := packNoHelp
	var events <-chan struct{}
	if !brief {
		var closeEvents func()
		events, closeEvents, idle = s.packChanges()
		defer closeEvents()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		told := false
		select {
		case <-s.world.stop:
			return
		case <-events:
			told = true
		case <-timer.C:
		}
		timer.Reset(min(s.attendSaves(told), idle))
	}
}

// packChanges has the kernel tell of changes to world.pack, and returns how often
// the file's times are to be looked at even so.
func (s *saveWatcher) packChanges() (events <-chan struct{}, stop func(), idle time.Duration) {
	events, stop, err := disk.Changes(s.world.dir.PackPath())
	if err != nil {
		s.world.log.Warn("the kernel does not tell of changes to world.pack; its times are looked at instead", "error", err)
		return nil, stop, packNoHelp
	}
	return events, stop, packIdle
}

// attention is what attending to world.pack gives.
type attention struct {
	wait   time.Duration // when to look again
	saving bool          // there is something that is not taken in yet
}

// attendSaves does what is due about saves and returns how long nothing will
// be. told says that the file was touched, whatever its times are.
func (s *saveWatcher) attendSaves(told bool) time.Duration {
	s.world.publishing.Lock()
	defer s.world.publishing.Unlock()
	if told {
		s.ours = fileattr.Stamp{}
	}
	wait, err := s.attendDisplacedLocked()
	if err == nil {
		var a attention
		a, err = s.attendPackLocked(true)
		wait = min(wait, a.wait)
	}
	if IsLoss(err) {
		return packIdle
	}
	if err != nil {
		s.world.log.Error("a saved pack is not taken in", "error", err)
		s.untaken(err)
		return retry
	}
	return wait
}

// savesFirstLocked takes in what was saved before something is published. A save
// that is still being written is waited for: what a program writes by name
// would get into the wrong file if the pack were exchanged now. With final it
// is waited for here; otherwise the error is errSaving. Neither is so for
// longer than saveWait. The caller has publishing.
func (s *saveWatcher) savesFirstLocked(final bool) error {
	for begin := s.world.now(); ; {
		a, err := s.attendPackLocked(false)
		now := s.world.now()
		switch {
		case err != nil || !a.saving || now.Sub(s.since) > saveWait:
			return err
		case !final:
			return errSaving
		case now.Sub(begin) > saveWait:
			return nil
		}
		time.Sleep(min(max(a.wait, time.Millisecond), 20*time.Millisecond))
	}
}

// attendPackLocked looks whether world.pack is still the published pack, and takes
// it in once it is whole, patiently once it has been quiet for a moment. The
// caller has publishing.
func (s *saveWatcher) attendPackLocked(patiently bool) (attention, error) {
	path, now := s.world.dir.PackPath(), s.world.now()
	stamp, err := fileattr.StampFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return attention{}, err
	case missing && s.world.published().Len() == 0, !missing && stamp == s.ours:
		return attention{wait: packIdle}, nil
	}
	if err := s.savesDelayedLocked(stamp); err != nil {
		return attention{}, err
	}
	if stamp != s.seen || s.since.IsZero() {
		s.seen, s.since = stamp, now
	}
	if still := now.Sub(s.since); patiently && still < saveQuiet {
		if quiet := quietOf(path); still < quiet {
			return attention{quiet - still, true}, nil
		}
	}
	if missing {
		return s.attendMissing(now.Sub(s.since))
	}
	edited := s.world.control.Generation()
	a, err := s.judgePack(path, stamp)
	if IsLoss(err) {
		s.delaySavesLocked(err, stamp, edited)
	}
	return a, err
}

// quietOf returns how long a file must have been quiet before it is read. One
// that a program has open is being written, and would be read over and over.
func quietOf(path string) time.Duration {
	f, err := packfile.OpenQuietly(path)
	if err != nil {
		return saveQuiet
	}
	defer f.Close()
	if packfile.HasWriter(f) {
		return saveQuiet
	}
	return saveClosed
}

// attendMissing puts a pack back that was removed, unless it is about to be
// replaced.
func (s *saveWatcher) attendMissing(gone time.Duration) (attention, error) {
	if gone < saveTorn {
		return attention{wait: saveTorn - gone}, nil
	}
	s.world.log.Warn("world.pack was removed; it is put back")
	return attention{wait: saveQuiet}, s.placeOurs(s.world.now())
}

// judgePack reads world.pack, which is not known to be ours.
func (s *saveWatcher) judgePack(path string, stamp fileattr.Stamp) (attention, error) {
	p, by, err := s.readSave(path)
	quiet := s.world.now().Sub(s.since)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return attention{wait: saveQuiet}, nil
	case p == s.world.published(), err == nil && s.world.publisher.placed != ([32]byte{}) && p.Hash() == s.world.publisher.placed:
		return s.packIsOurs(path, stamp), nil
	case (err == nil || packstore.IsRefused(err)) && by != noWriter && quiet < saveOpen:
		return attention{saveOpen - quiet, true}, nil
	case err == nil:
		err := s.takeInPlace(p)
		if err == nil {
			s.noSaveTrouble()
		}
		return attention{wait: saveQuiet}, err
	}
	if !packstore.IsRefused(err) && !by.isCutOff(quiet) {
		if quiet > saveTorn/4 {
			s.saveTrouble("another program is writing world.pack and has not finished; what it saves is taken in once it is whole")
		}
		return attention{max(saveQuiet, quiet/8), true}, nil // seldomer, the longer it lasts
	}
	s.world.log.Error("world.pack is no save of this world; the good one is put back", "error", err)
	if err := s.placeOurs(s.since); err != nil {
		return attention{wait: saveQuiet}, err
	}
	_, err = s.attendDisplacedLocked() // at once, or nothing would tell of it for as long again
	return attention{wait: saveQuiet}, err
}

// packIsOurs notes how the file is, so that it is not read again. A file
// changed in this tick of the clock can change again and have the same times.
func (s *saveWatcher) packIsOurs(path string, stamp fileattr.Stamp) attention {
	again, err := fileattr.StampFile(path)
	if err != nil || again != stamp {
		return attention{wait: saveQuiet}
	}
	s.noSaveTrouble()
	if s.world.now().UnixNano()-stamp.Ctime.Nano() < fileattr.Tick {
		return attention{wait: time.Duration(fileattr.Tick)}
	}
	s.ours = stamp
	return attention{wait: packIdle}
}

// writer says which processes have a file open for writing.
type writer int

const (
	noWriter  writer = iota
	ourselves        // a mount that covers the file holds it open for a process that writes, or once did
	another
)

func writerOf(f *os.File, busy bool) writer {
	switch {
	case !busy:
		return noWriter
	case heldHere(f):
		return ourselves
	}
	return another
}

// isCutOff reports whether a file that is not whole will not become so, after
// it has been quiet for that long.
func (by writer) isCutOff(quiet time.Duration) bool {
	return by == noWriter && quiet >= saveTorn || by == ourselves && quiet >= saveUnsure
}

// readWhole reads a pack whole and checks what it does not share with good. It
// returns good itself where the bytes are the same.
func readWhole(path string, good *packfile.Pack) (p *packfile.Pack, by writer, err error) {
	f, err := packfile.OpenQuietly(path)
	if err != nil {
		return nil, noWriter, err
	}
	defer f.Close()
	same, busy, err := packfile.HasStill(f, good.Bytes())
	if by = writerOf(f, busy); same && err == nil {
		return good, by, nil
	}
	data, busy, err := packfile.ReadStill(f)
	if by = writerOf(f, busy); err != nil {
		return nil, by, err
	}
	if p, err = packfile.Parse(data); err != nil {
		return p, by, err
	}
	go p.Hash() // it takes as long as all the rest, and is asked for next
	return p, by, p.CheckAgainst(good)
}

// takeInPlace takes in the pack that lies at world.pack, and puts the
// published one in its place.
func (s *saveWatcher) takeInPlace(p *packfile.Pack) error {
	s.world.publisher.placed, s.world.publisher.placedSave = p.Hash(), true
	err := s.takeInPack(p, s.world.published())
	if s.world.publisher.placedSave { // it still lies there
		s.world.publisher.placed, s.world.publisher.placedSave = [32]byte{}, false
	}
	return err
}

// ensurePlaced puts the published pack at world.pack if nothing is there.
func (s *saveWatcher) ensurePlaced() error {
	if _, err := os.Lstat(s.world.dir.PackPath()); errors.Is(err, fs.ErrNotExist) && s.world.published().Len() > 0 {
		return s.placeOurs(s.world.now())
	}
	return nil
}

// placeOurs puts the published pack at world.pack. What is there, and has been quiet since
// then, is quarantined with the kept packs.
func (s *saveWatcher) placeOurs(since time.Time) error {
	displaced, err := packfile.Publish(s.world.disk, s.world.dir.PackPath(), s.world.published().Bytes(), [32]byte{})
	if errors.Is(err, packfile.ErrDisplaced) {
		err = nil
	}
	s.laterQuiet(displaced, since)
	return err
}

// laterDisplaced has a file looked at that came out of an exchange, "" for
// none.
func (s *saveWatcher) laterDisplaced(path string) { s.laterQuiet(path, s.world.now()) }

// laterQuiet is laterDisplaced of a file that has been quiet since then.
func (s *saveWatcher) laterQuiet(path string, since time.Time) {
	if path == "" {
		return
	}
	seen, err := fileattr.StampFile(path) // after the exchange, which has changed it
	if err != nil {
		seen = fileattr.Stamp{} // it counts as quiet from the first look on
	}
	s.displaced = append(s.displaced, displaced{path: path, seen: seen, since: since})
}

// attendDisplacedLocked looks at what came out of exchanges, unless that has to wait for
// a save's intake to end. The caller has publishing.
func (s *saveWatcher) attendDisplacedLocked() (time.Duration, error) {
	wait := packIdle
	if s.taking {
		return wait, nil
	}
	left := s.displaced
	s.displaced = nil
	for i := range left {
		done, err := s.attendOneDisplaced(&left[i])
		if !done || err != nil {
			s.displaced = append(s.displaced, left[i])
			wait = saveOpen
		}
		if err != nil {
			s.displaced = append(s.displaced, left[i+1:]...)
			return wait, err
		}
	}
	return wait, nil
}

func (s *saveWatcher) attendOneDisplaced(d *displaced) (done bool, err error) {
	stamp, err := fileattr.StampFile(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	if stamp != d.seen {
		d.seen, d.since = stamp, s.world.now()
	}
	if err := s.savesDelayedLocked(stamp); err != nil {
		return false, err
	}
	p, by, err := s.readSave(d.path)
	quiet := s.world.now().Sub(d.since)
	switch {
	case packstore.IsRefused(err):
		return true, s.world.packs.Quarantine(d.path, err)
	case err == nil && by != noWriter && quiet < saveOpen:
		return false, nil
	case err == nil && s.world.packs.IsKnown(p):
		return true, s.world.disk.Remove("displaced pack", d.path)
	case err == nil:
		edited := s.world.control.Generation()
		if err := s.takeInPack(p, s.world.published()); IsLoss(err) {
			s.delaySavesLocked(err, stamp, edited)
			return false, err
		} else if err != nil {
			return false, err
		}
		return true, s.world.disk.Remove("displaced pack", d.path)
	case !by.isCutOff(quiet):
		return false, nil
	}
	s.world.log.Error("a save was cut off; what there is of it is put aside", "error", err)
	return true, s.world.packs.Quarantine(d.path, err)
}

// untaken has status say that a save could not be taken in yet, until noSaveTrouble.
func (s *saveWatcher) untaken(err error) {
	code := entity.CodeSaveTorn
	if disk.IsNoRoom(err) {
		code = entity.CodeDisk
	}
	s.trouble(code, fmt.Sprintf("world.pack was saved by another program and is not taken in yet: %v", err))
}

// saveTrouble has status say what is wrong with a save, until noSaveTrouble.
func (s *saveWatcher) saveTrouble(message string) { s.trouble(entity.CodeSaveTorn, message) }

func (s *saveWatcher) trouble(code, message string) {
	found := []entity.Finding{{Code: code, File: filepath.Base(s.world.dir.PackPath()), Message: message}}
	s.world.notes.note(func(said *said) { said.save = found })
}

func (s *saveWatcher) noSaveTrouble() {
	s.world.notes.note(func(said *said) { said.save = nil })
}
