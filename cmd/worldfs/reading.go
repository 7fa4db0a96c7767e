package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/daemon"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/worlddir"
)

// readOptions are those of commands that only read a world, which can be any
// that has a name.
type readOptions struct{ from string }

func (o *readOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.from, "from", "",
		"read `WORLD` instead: a .pack, a .jsonl or .jsonl.gz, or another world's directory")
}

// read has a world read, of the form that its name says.
func (o *readOptions) read(a *app, cmd *cobra.Command, do func(daemon.Reading) error) error {
	switch {
	case o.from == "":
		return a.use(cmd, func(_ *worlddir.Dir, w daemon.World) error { return readWorld(w, do) })
	case strings.HasSuffix(o.from, ".pack"):
		return readPack(o.from, do)
	case strings.HasSuffix(o.from, ".jsonl"), strings.HasSuffix(o.from, ".jsonl.gz"):
		return readInterchange(o.from, do)
	}
	dir, err := worlddir.Open(o.from)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	world, err := daemon.Open(dir, a.noter(cmd))
	if err != nil {
		return err
	}
	defer world.Close()
	return readWorld(world, do)
}

func readWorld(w daemon.World, do func(daemon.Reading) error) error {
	r, err := w.Read()
	if err != nil {
		return err
	}
	return do(r)
}

func readPack(path string, do func(daemon.Reading) error) error {
	pack, err := packfile.ReadFile(path)
	if err != nil {
		return err
	}
	if err := pack.Check(); err != nil {
		return err
	}
	return do(daemon.Reading{World: pack.World(), Types: pack.Types(), Source: pack})
}

func readInterchange(path string, do func(daemon.Reading) error) error {
	f, err := interchange.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	doc, err := interchange.Read(f, path, nil, nil)
	if err != nil {
		return err
	}
	types := entity.NewTypes(doc.Types...)
	world := entity.NewWorld(entity.GUID{}, types)
	for _, e := range doc.Entities {
		world.Put(e)
	}
	return do(daemon.Reading{Types: types, Source: world})
}
