// Command cmd runs the comparison of package mergestudy and writes its page.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/dev/mergestudy"
)

func main() {
	var o mergestudy.Options
	flag.IntVar(&o.Cases, "cases", 2000, "how many cases")
	flag.Uint64Var(&o.Seed, "seed", 1, "the cases' seed")
	flag.StringVar(&o.Built, "worldfs", "bin/worldfs", "the built program, which git and svn are to have")
	out := flag.String("o", "/dev/stdout", "the file to write")
	flag.Parse()
	if err := run(o, *out); err != nil {
		fmt.Fprintln(os.Stderr, "mergestudy:", err)
		os.Exit(1)
	}
}

func run(o mergestudy.Options, out string) (err error) {
	if o.Built, err = filepath.Abs(o.Built); err != nil {
		return err
	}
	s, err := mergestudy.Run(o)
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
