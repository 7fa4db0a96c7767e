package main

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
)

// printJSON prints v on one line.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// printReport says what a change came to.
func printReport(cmd *cobra.Command, asJSON bool, r cache.Report) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), r)
	}
	text := fmt.Sprintf("%s created, %s changed, %s deleted, %s unchanged",
		count(r.Created), count(r.Changed), count(r.Deleted), count(r.Unchanged))
	if r.Broken > 0 {
		text += fmt.Sprintf(", %s (see worldfs status)", counted(r.Broken, "broken text", "broken texts"))
	}
	if n := r.Noise.Insignificant + r.Noise.Derived; n > 0 {
		text += fmt.Sprintf(", %s left out as noise", counted(n, "change", "changes"))
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}

func count(n int) string { return humanize.Comma(int64(n)) }

// counted is "1 entity" or "10,422 entities".
func counted(n int, one, many string) string {
	return count(n) + " " + english.PluralWord(n, one, many)
}

func bytesOf(n int) string { return humanize.Bytes(uint64(n)) }

// blocking returns those of the findings that stop a ship build.
func blocking(findings []entity.Finding) []entity.Finding {
	blocks := []entity.Finding{}
	for _, f := range findings {
		if f.Blocks {
			blocks = append(blocks, f)
		}
	}
	return blocks
}

// checkOutput reports, before any work is done, that a file could not be put
// there.
func checkOutput(path string) error {
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
	return nil
}
