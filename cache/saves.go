package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/packfile"
)

// saves is what is known of the packs that other programs save, by replacing
// world.pack or by writing over it. Guarded by World.publishing.
type saves struct {
	ours      fileattr.Stamp // world.pack when it was last found to be the published one
	seen      fileattr.Stamp // world.pack when it was last looked at
	since     time.Time      // when it was first seen so; of a missing one, missing
	displaced []displaced
	taking    bool      // one, or plain files, are being taken in; what that displaces comes after it
	held      heldSaves // what waits with a great loss that is not published
}

// heldSaves is when saves were found to have to wait, since what else changed is a
// great loss. Nothing is tried again before something is otherwise.
type heldSaves struct {
	err    error // a *LossError, nil: none waits
	stamp  fileattr.Stamp
	edited uint64
	pack   *packfile.Pack
}

// holdSaves notes that a save waits because of err. The caller has publishing.
func (w *World) holdSaves(err error, stamp fileattr.Stamp) {
	w.saves.held = heldSaves{err, stamp, w.generation(), w.pack}
	w.saveTrouble("another program saved world.pack; its save is taken in once the entities that are gone are back, or are to go: " + err.Error())
}

// savesHeld returns why saves wait, nil if they are to be tried. stamp is that of
// world.pack. The caller has publishing.
func (w *World) savesHeld(stamp fileattr.Stamp) error {
	h := &w.saves.held
	if w.lossAllowed || h.err == nil || h.stamp != stamp || h.edited != w.generation() || h.pack != w.pack {
		*h = heldSaves{}
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
	saveClosed = 3 * time.Millisecond   // whole, and nobody has it open for writing
	saveQuiet  = 25 * time.Millisecond  // it is looked at, whoever has it open
	saveOpen   = 120 * time.Millisecond // whole, but still open for writing
	saveTorn   = 2 * time.Second        // not whole, and nobody has it open: cut off
	saveUnsure = 4 * time.Second        // the same where it is not known whether anybody has
	saveWait   = 3 * time.Second        // a checkpoint waits so long for one that is under way
	packIdle   = 2 * time.Second        // how often the file's times are looked at anyway
	packNoHelp = 50 * time.Millisecond  // the same where the kernel does not tell of changes
)

// errSaving is why a checkpoint is put off: another program is writing
// world.pack.
var errSaving = errors.New("another program is saving world.pack")

// watchPack takes in what other programs save.
func (w *World) watchPack(brief bool) {
	defer w.stopped.Done()
	idle := packNoHelp
	var events <-chan struct{}
	if !brief {
		var closeEvents func()
		events, closeEvents, idle = w.packChanges()
		defer closeEvents()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		told := false
		select {
		case <-w.stop:
			return
		case <-events:
			told = true
		case <-timer.C:
		}
		timer.Reset(min(w.attendSaves(told), idle))
	}
}

// packChanges has the kernel tell of changes to world.pack, and returns how often
// the file's times are to be looked at even so.
func (w *World) packChanges() (events <-chan struct{}, stop func(), idle time.Duration) {
	events, stop, err := disk.Changes(w.dir.PackPath())
	if err != nil {
		w.log.Warn("the kernel does not tell of changes to world.pack; its times are looked at instead", "error", err)
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
func (w *World) attendSaves(told bool) time.Duration {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if told {
		w.saves.ours = fileattr.Stamp{}
	}
	wait, err := w.attendDisplaced()
	if err == nil {
		var a attention
		a, err = w.attendPack(true)
		wait = min(wait, a.wait)
	}
	if IsLoss(err) {
		return packIdle
	}
	if err != nil {
		w.log.Error("a saved pack is not taken in", "error", err)
		w.saveTrouble(fmt.Sprintf("world.pack was saved by another program and is not taken in yet: %v", err))
		return retry
	}
	return wait
}

// savesFirst takes in what was saved before something is published. A save
// that is still being written is waited for: what a program writes by name
// would get into the wrong file if the pack were exchanged now. With final it
// is waited for here; otherwise the error is errSaving. Neither is so for
// longer than saveWait. The caller has publishing.
func (w *World) savesFirst(final bool) error {
	for begin := w.now(); ; {
		a, err := w.attendPack(false)
		now := w.now()
		switch {
		case err != nil || !a.saving || now.Sub(w.saves.since) > saveWait:
			return err
		case !final:
			return errSaving
		case now.Sub(begin) > saveWait:
			return nil
		}
		time.Sleep(min(max(a.wait, time.Millisecond), 20*time.Millisecond))
	}
}

// attendPack looks whether world.pack is still the published pack, and takes
// it in once it is whole, patiently once it has been quiet for a moment. The
// caller has publishing.
func (w *World) attendPack(patiently bool) (attention, error) {
	path, s, now := w.dir.PackPath(), &w.saves, w.now()
	stamp, err := fileattr.StampFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return attention{}, err
	case missing && w.pack.Len() == 0, !missing && stamp == s.ours:
		return attention{wait: packIdle}, nil
	}
	if err := w.savesHeld(stamp); err != nil {
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
		return w.attendMissing(now.Sub(s.since))
	}
	a, err := w.judgePack(path, stamp)
	if IsLoss(err) {
		w.holdSaves(err, stamp)
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

// attendMissing puts the pack back that somebody removed, unless it is about
// to be replaced.
func (w *World) attendMissing(gone time.Duration) (attention, error) {
	if gone < saveTorn {
		return attention{wait: saveTorn - gone}, nil
	}
	w.log.Warn("world.pack was removed; it is put back")
	return attention{wait: saveQuiet}, w.placeOurs()
}

// judgePack reads world.pack, which is not known to be ours.
func (w *World) judgePack(path string, stamp fileattr.Stamp) (attention, error) {
	p, by, err := readWhole(path, w.pack)
	quiet := w.now().Sub(w.saves.since)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return attention{wait: saveQuiet}, nil
	case p == w.pack, err == nil && w.placed != ([32]byte{}) && p.Hash() == w.placed:
		return w.packIsOurs(path, stamp), nil
	case err == nil && p.World() != w.dir.ID:
		err = ErrOtherWorld
	case err == nil && by != nobody && quiet < saveOpen:
		return attention{saveOpen - quiet, true}, nil
	case err == nil:
		return attention{wait: saveQuiet}, w.takeInPlace(p)
	}
	if !by.isCutOff(quiet) {
		if quiet > saveTorn/4 {
			w.saveTrouble("another program is writing world.pack and has not finished; what it saves is taken in once it is whole")
		}
		return attention{max(saveQuiet, quiet/8), true}, nil // seldomer, the longer it lasts
	}
	w.log.Error("world.pack is no whole pack of this world; the good one is put back", "error", err)
	return attention{wait: saveQuiet}, w.placeOurs()
}

// packIsOurs notes how the file is, so that it is not read again. A file
// changed in this tick of the clock can change again and have the same times.
func (w *World) packIsOurs(path string, stamp fileattr.Stamp) attention {
	again, err := fileattr.StampFile(path)
	if err != nil || again != stamp {
		return attention{wait: saveQuiet}
	}
	w.noSaveTrouble()
	if w.now().UnixNano()-stamp.Ctime.Nano() < fileattr.Tick {
		return attention{wait: time.Duration(fileattr.Tick)}
	}
	w.saves.ours = stamp
	return attention{wait: packIdle}
}

// writer is who has a file open for writing.
type writer int

const (
	nobody    writer = iota
	ourselves        // a mount that covers the file holds it open for whoever writes, or once did
	another
)

func writerOf(f *os.File, busy bool) writer {
	switch {
	case !busy:
		return nobody
	case heldHere(f):
		return ourselves
	}
	return another
}

// isCutOff reports whether a file that is not whole will not become so, after
// it has been quiet for that long.
func (by writer) isCutOff(quiet time.Duration) bool {
	return by == nobody && quiet >= saveTorn || by == ourselves && quiet >= saveUnsure
}

// readWhole reads a pack whole and checks what it does not share with good. It
// returns good itself where the bytes are the same.
func readWhole(path string, good *packfile.Pack) (p *packfile.Pack, by writer, err error) {
	f, err := packfile.OpenQuietly(path)
	if err != nil {
		return nil, nobody, err
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
func (w *World) takeInPlace(p *packfile.Pack) error {
	w.placed, w.placedSave = p.Hash(), true
	err := w.takeInPack(p, w.pack)
	if w.placedSave { // it still lies there
		w.placed, w.placedSave = [32]byte{}, false
	}
	return err
}

// ensurePlaced puts the published pack at world.pack if nothing is there.
func (w *World) ensurePlaced() error {
	if _, err := os.Lstat(w.dir.PackPath()); errors.Is(err, fs.ErrNotExist) && w.pack.Len() > 0 {
		return w.placeOurs()
	}
	return nil
}

// placeOurs puts the published pack at world.pack. What is there is put aside,
// with the kept packs.
func (w *World) placeOurs() error {
	displaced, err := packfile.Publish(w.disk, w.dir.PackPath(), w.pack.Bytes(), [32]byte{})
	if errors.Is(err, packfile.ErrDisplaced) {
		err = nil
	}
	w.laterDisplaced(displaced)
	return err
}

// laterDisplaced has a file looked at that came out of an exchange, "" for
// none.
func (w *World) laterDisplaced(path string) {
	if path != "" {
		w.saves.displaced = append(w.saves.displaced, displaced{path: path, since: w.now()})
	}
}

// attendDisplaced looks at what came out of exchanges, unless that has to wait for
// a save's intake to end. The caller has publishing.
func (w *World) attendDisplaced() (time.Duration, error) {
	wait := packIdle
	if w.saves.taking {
		return wait, nil
	}
	left := w.saves.displaced
	w.saves.displaced = nil
	for i := range left {
		done, err := w.attendOneDisplaced(&left[i])
		if !done || err != nil {
			w.saves.displaced = append(w.saves.displaced, left[i])
			wait = saveOpen
		}
		if err != nil {
			w.saves.displaced = append(w.saves.displaced, left[i+1:]...)
			return wait, err
		}
	}
	return wait, nil
}

func (w *World) attendOneDisplaced(d *displaced) (done bool, err error) {
	stamp, err := fileattr.StampFile(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	if stamp != d.seen {
		d.seen, d.since = stamp, w.now()
	}
	if err := w.savesHeld(stamp); err != nil {
		return false, err
	}
	p, by, err := readWhole(d.path, w.pack)
	quiet := w.now().Sub(d.since)
	switch {
	case err == nil && p.World() != w.dir.ID:
		return true, w.packs.Quarantine(d.path)
	case err == nil && by != nobody && quiet < saveOpen:
		return false, nil
	case err == nil && w.packs.IsKnown(p):
		return true, w.disk.Remove("displaced pack", d.path)
	case err == nil:
		if err := w.takeInPack(p, w.pack); IsLoss(err) {
			w.holdSaves(err, stamp)
			return false, err
		} else if err != nil {
			return false, err
		}
		return true, w.disk.Remove("displaced pack", d.path)
	case !by.isCutOff(quiet):
		return false, nil
	}
	w.log.Error("a save was cut off; what there is of it is put aside", "error", err)
	return true, w.packs.Quarantine(d.path)
}

// saveTrouble has status say what is wrong with a save, until noSaveTrouble.
func (w *World) saveTrouble(message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.saveFinding = []entity.Finding{{Code: entity.CodeSaveTorn, File: filepath.Base(w.dir.PackPath()), Message: message}}
}

func (w *World) noSaveTrouble() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.saveFinding = nil
}
