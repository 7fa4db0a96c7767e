// Command cmd runs the comparison of package mergestudy and writes its page.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/worldfs/worldfs/internal/dev/mergestudy"
)

func main() {
	cases := flag.Int("cases", 2000, "how many cases")
	seed := flag.Uint64("seed", 1, "the cases' seed")
	out := flag.String("o", "/dev/stdout", "the file to write")
	flag.Parse()
	if err := run(*seed, *cases, *out); err != nil {
		fmt.Fprintln(os.Stderr, "mergestudy:", err)
		os.Exit(1)
	}
}

func run(seed uint64, cases int, out string) error {
	s, err := mergestudy.Run(seed, cases)
	if err != nil {
		return err
	}
	for _, failure := range s.Failures {
		fmt.Fprintln(os.Stderr, failure)
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	if _, err := s.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
