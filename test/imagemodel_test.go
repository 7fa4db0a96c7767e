package test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a power cut leaves is what was synced and, by chance, more.
func TestWhatAPowerCutLeaves(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.MkdirAll(b.path("under/d"), 0o755))
	require.NoError(t, os.WriteFile(b.path("under/d/old"), []byte("old"), 0o644))
	j := recordingDisk(b, b.path("under"), b.path("disk"))
	d := b.cd("disk/d")
	require.NoError(t, putAt(d.path("new"), os.O_CREATE|os.O_WRONLY, "new", true))
	require.NoError(t, os.Rename(d.path("new"), d.path("old")))
	renamed := j.now()
	b.run("sync", d.dir)
	synced := j.now()
	require.NoError(t, putAt(d.path("lazy"), os.O_CREATE|os.O_WRONLY, "lazy", false))
	require.NoError(t, putAt(d.path("old"), os.O_WRONLY, "NEW", false))

	left := func(n int) (found []string) {
		for seed := range uint64(800) {
			dir := b.path("image")
			require.NoError(t, j.powerCut(n, rand.New(rand.NewPCG(seed, 0))).write(dir))
			image, text := b.cd("image/d"), ""
			for _, name := range image.names(".") {
				text += name + "=" + image.read(name) + " "
			}
			require.NoError(t, os.RemoveAll(dir))
			if !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
		return found
	}
	require.ElementsMatch(t, []string{"new=new old=old ", "old=new "}, left(renamed))
	require.ElementsMatch(t, []string{"old=new "}, left(synced))
	require.ElementsMatch(t, []string{
		"old=new ", "old=NEW ",
		"lazy= old=new ", "lazy= old=NEW ", "lazy=\x00\x00\x00\x00 old=new ", "lazy=\x00\x00\x00\x00 old=NEW ", "lazy=lazy old=new ", "lazy=lazy old=NEW ",
	}, left(j.now()))
}
