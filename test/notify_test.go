package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withNotifySend has the bench's commands find a notify-send that is a script.
func (b *bench) withNotifySend(script string) (shown string) {
	b.Helper()
	dir := b.TempDir()
	shown = filepath.Join(dir, "shown")
	require.NoError(b, os.WriteFile(filepath.Join(dir, "notify-send"), []byte("#!/bin/sh\n"+strings.ReplaceAll(script, "SHOWN", shown)), 0o755))
	b.env = append(b.env, "WORLDFS_NOTIFY=true", "PATH="+dir+":"+os.Getenv("PATH"))
	return shown
}

// A save that breaks a text is told on the desktop, and by watch. Whatever the desktop does
// with that, the mount serves on and ends.
func TestASaveThatBreaksATextIsToldAtOnce(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"shown":  `printf '%s|' "$@" >> SHOWN`,
		"hangs":  `printf '%s|' "$@" >> SHOWN; sleep 1000`,
		"killed": `printf '%s|' "$@" >> SHOWN; kill -9 $$`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			shown := b.withNotifySend(script)
			b.run("worldfs", "demo", "--entities", "30", "w")
			b = b.cd("w")
			b.mount()
			w := b.watch("--from", "0")
			file := b.names("entities")[3]
			var id int
			_, err := fmt.Sscanf(filepath.Base(file), "%d", &id)
			require.NoError(t, err)
			good := b.read("entities/" + file)
			b.write("entities/"+file, good+"; position\n    oops\n")
			w.until(fmt.Sprintf("broken %d", id))
			b.eventually(func() bool {
				text, _ := os.ReadFile(shown)
				return strings.Contains(string(text), fmt.Sprintf("%d cannot be read|", id)) &&
					strings.Contains(string(text), fmt.Sprintf("worldfs undo %d takes the edit back|", id))
			})
			b.write("entities/"+file, good)
			w.until(fmt.Sprintf("mended %d", id))
			require.Equal(t, good, b.read("entities/"+file))
			b.run("worldfs", "unmount")
			require.NoError(t, <-w.ended)
			b.run("worldfs", "check")
		})
	}
}
