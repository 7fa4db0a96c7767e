package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// PrintJSON prints v on one line.
func PrintJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// PrintReport says what a change came to.
func PrintReport(cmd *cobra.Command, asJSON bool, r cache.Report) error {
	if asJSON {
		return PrintJSON(cmd.OutOrStdout(), r)
	}
	text := fmt.Sprintf("%s created, %s changed, %s deleted, %s unchanged",
		Count(r.Created), Count(r.Changed), Count(r.Deleted), Count(r.Unchanged))
	if r.Broken > 0 {
		text += fmt.Sprintf(", %s (see worldfs status)", Counted(r.Broken, "broken text", "broken texts"))
	}
	if n := r.Noise.Insignificant + r.Noise.Derived; n > 0 {
		text += fmt.Sprintf(", %s left out as noise", Counted(n, "change", "changes"))
	}
	if r.Carried > 0 {
		text += "; " + CameAlong(r.Carried)
	}
	if n := len(r.Types); n > 0 {
		text += fmt.Sprintf("; %s declared as the other side has it", Counted(n, "type", "types"))
	}
	printRepairs(cmd.OutOrStdout(), r.Repairs)
	_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}

// printRepairs says what a change did beyond what it was asked for.
func printRepairs(w io.Writer, repairs []string) {
	const most = 20
	for _, line := range repairs[:min(most, len(repairs))] {
		fmt.Fprintf(w, "repair: %s\n", line)
	}
	if more := len(repairs) - most; more > 0 {
		fmt.Fprintf(w, "and %s more\n", Counted(more, "repair", "repairs"))
	}
}

// CameAlong says how many entities moved with what they are mounted on.
func CameAlong(n int) string {
	return Counted(n, "entity that is mounted came along", "entities that are mounted came along")
}

// NoEffect prints which changes of poses have no effect, in words, and returns the error that
// there are any.
func NoEffect(cmd *cobra.Command, words []string) error {
	for _, w := range words {
		fmt.Fprintln(cmd.ErrOrStderr(), w)
	}
	if n := len(words); n > 0 {
		return Problemsf("%s", Counted(n, "pose of what is mounted stayed as it is", "poses of what is mounted stayed as they are"))
	}
	return nil
}

// Count is a number as people read it, such as 10,422.
func Count(n int) string { return humanize.Comma(int64(n)) }

// Counted is "1 entity" or "10,422 entities".
func Counted(n int, one, many string) string {
	return Count(n) + " " + english.PluralWord(n, one, many)
}

// BytesOf is a size as people read it, such as 1.2 MB.
func BytesOf(n int) string { return humanize.Bytes(uint64(n)) }

// Blocking returns those of the findings that stop a ship build.
func Blocking(findings []entity.Finding) []entity.Finding {
	blocks := []entity.Finding{}
	for _, f := range findings {
		if f.Blocks {
			blocks = append(blocks, f)
		}
	}
	return blocks
}

// CheckOutput reports, before any work is done, that a file could not be put there, or that it
// would take the place of a world's own pack.
func CheckOutput(path string) error {
	if filepath.Base(path) == worlddir.PackName {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), worlddir.ConfigName)); err == nil {
			return Usagef("-o: %s is a world's own pack, which the game loads and saves; name another file", path)
		}
	}
	return CheckPackOutput(path)
}

// CheckPackOutput is CheckOutput of a pack that a world can go on from.
func CheckPackOutput(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("-o: %s is not a directory", dir)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("-o: %s is a directory; name a file in it", path)
	}
	return CheckOwn("-o", path)
}

// CheckOwn refuses to put what a flag names where a world has files of its own.
func CheckOwn(flag, path string) error {
	root, rest, err := worlddir.PartOf(path)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	if worlddir.IsOwn(rest) {
		return Usagef("%s: %s is %s of the world %s itself; name another place", flag, path, rest, root)
	}
	return nil
}
