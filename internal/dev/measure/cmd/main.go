// Command cmd prints what package measure counts in a tree, or with -check exits with 1
// where that exceeds a limit.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/worldfs/worldfs/internal/dev/measure"
)

func main() {
	check := flag.Bool("check", false, "print the limits that are exceeded alone, and exit with 1 if there are any")
	root := flag.String("C", ".", "the tree's root")
	flag.Parse()
	t, err := measure.Read(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *check {
		exceeded := t.Exceeded()
		for _, e := range exceeded {
			fmt.Fprintln(os.Stderr, "measure:", e)
		}
		if len(exceeded) > 0 {
			os.Exit(1)
		}
		return
	}
	show(t)
}

func show(t *measure.Tree) {
	fmt.Println("methods fields  type")
	for _, typ := range t.Types[:min(10, len(t.Types))] {
		fmt.Printf("%7d %6d  %s\n", typ.Methods, typ.Fields, typ.Name)
	}
	fmt.Println("\n  lines exported  package")
	for _, p := range t.Packages {
		fmt.Printf("%7d %8d  %s\n", p.Lines, p.Exported, p.Name)
	}
	fmt.Printf("\n%d comments say who, whoever, somebody or nobody\n", len(t.Actors))
}
