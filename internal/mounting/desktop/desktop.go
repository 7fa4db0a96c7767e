// Package desktop tells a person on their desktop that a text which was saved cannot be
// read: a person who saves in an editor does not look at worldfs status.
//
// It reads the history, as a watcher does, and runs notify-send. It can neither delay nor
// end the process that it is in: it has a goroutine of its own that nothing waits for, runs
// one program at a time and gives each a few seconds, and tells of many texts at once. Where
// there is no notify-send, or no desktop, nothing happens.
package desktop

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
)

const (
	gather   = 300 * time.Millisecond // texts that break within it are told of at once
	between  = 2 * time.Second        // from one to the next
	patience = 5 * time.Second        // with notify-send
	batch    = 1 << 20                // bytes of the history read at once
	most     = 5                      // texts that are named
)

// Run tells of what breaks from now on, until ended is closed or the log is.
func Run(ended <-chan struct{}, log *history.Log, report *slog.Logger) {
	last, err := log.Last()
	if err != nil {
		report.Warn("nothing is told on the desktop", "error", err)
		return
	}
	runFrom(last, ended, log, report)
}

// runFrom is Run that begins behind a position.
func runFrom(last uint64, ended <-chan struct{}, log *history.Log, report *slog.Logger) {
	defer func() {
		if problem := recover(); problem != nil {
			report.Error("nothing is told on the desktop any more", "problem", problem)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	for reader := log.From(last); ; {
		if err := log.Wait(ctx, reader.Position()); err != nil || !pause(ctx, gather) {
			return
		}
		broken, err := read(reader)
		if err != nil {
			report.Warn("nothing is told on the desktop any more", "error", err)
			return
		}
		if len(broken) == 0 {
			continue
		}
		if told := tell(ctx, broken); told != nil {
			report.Warn("what cannot be read is not told on the desktop", "error", told)
		}
		if !pause(ctx, between) {
			return
		}
	}
}

// pause waits, and reports whether the context still goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// read returns which texts have broken since, each once, without those that were mended.
func read(reader *history.Reader) (broken []history.Entry, err error) {
	for {
		entries, _, err := reader.Next(batch)
		if err != nil || len(entries) == 0 {
			return broken, err
		}
		for _, e := range entries {
			switch e.Kind {
			case history.Broken:
				broken = append(without(broken, e.ID), e)
			case history.Mended:
				broken = without(broken, e.ID)
			}
		}
	}
}

func without(entries []history.Entry, id entity.ID) (left []history.Entry) {
	for _, e := range entries {
		if e.ID != id {
			left = append(left, e)
		}
	}
	return left
}

// tell shows one notification about all of them.
func tell(ctx context.Context, broken []history.Entry) error {
	program, err := exec.LookPath("notify-send")
	if err != nil {
		return nil // this is no desktop
	}
	summary, body := words(broken)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--app-name=worldfs", "--", summary, body)
	cmd.Dir = "/" // so that it keeps no mount busy
	cmd.WaitDelay = time.Second
	// The kernel ends it when the thread ends which has started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	endWithUs(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	return nil
}

// words is what a notification says: a line and a text, in which a desktop may take markup
// for such.
func words(broken []history.Entry) (summary, body string) {
	var lines []string
	for _, e := range broken[:min(len(broken), most)] {
		lines = append(lines, fmt.Sprintf("%s: %s", describe(e), e.Note))
	}
	if more := len(broken) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: worldfs status", more))
	}
	summary = describe(broken[0]) + " cannot be read"
	if len(broken) > 1 {
		summary = fmt.Sprintf("%d entities cannot be read", len(broken))
	} else {
		lines = []string{broken[0].Note, "worldfs undo " + broken[0].ID.String() + " takes the edit back"}
	}
	return summary, html.EscapeString(printable(strings.Join(lines, "\n")))
}

// describe names an entity whose text cannot be read: by its first line, if that is a type's name.
func describe(e history.Entry) string {
	first, _, _ := strings.Cut(string(e.Is), "\n")
	if first = strings.TrimSpace(first); first == "" || len(first) > 40 || printable(first) != first {
		return "entity " + e.ID.String()
	}
	return first + " " + e.ID.String()
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}
