package content

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
	"github.com/worldfs/worldfs/packfile"
)

// shipMapOptions are those of show that ask for an entity of a ship build.
type shipMapOptions struct{ shipMap, build string }

func (o *shipMapOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.shipMap, "ship-map", "", "the ID is one of the ship build whose map is `MAP`")
	cmd.Flags().StringVar(&o.build, "build", "", "refuse a map of another build than `BUILD`: its ID, eight digits of it or more, or its pack")
}

// shownShipped is what show says of a ship ID, as --json prints it.
type shownShipped struct {
	ship.Entry
	Build    string `json:"build"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
}

func (o *shipMapOptions) runShipped(cmd *cobra.Command, id entity.ID, asJSON bool, from string) error {
	if o.shipMap == "" {
		return cli.Usagef("--build is of ship builds: give --ship-map MAP")
	}
	if from != "" {
		return cli.Usagef("--from reads a world, and --ship-map needs none: leave one of them out")
	}
	m, err := ship.ReadMap(o.shipMap)
	if err != nil {
		return fmt.Errorf("--ship-map: %w", err)
	}
	if err := o.checkBuild(m); err != nil {
		return err
	}
	in, ok := m.Entity(id)
	if !ok {
		return fmt.Errorf("build %.16s has no entity %d; it has %s", m.BuildID(), id, cli.Counted(m.Live(), "entity", "entities"))
	}
	if asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), shownShipped{in, m.BuildID(), m.Revision, m.Modified})
	}
	return printShipped(cmd.OutOrStdout(), m, in)
}

// checkBuild refuses a map that is of another build than the one that is named.
func (o *shipMapOptions) checkBuild(m *ship.Map) error {
	if o.build == "" {
		return nil
	}
	build := o.build
	if info, err := os.Stat(o.build); err == nil && info.Mode().IsRegular() {
		p, err := packfile.ReadFile(o.build)
		if err != nil {
			return fmt.Errorf("--build: %w", err)
		}
		hash := p.Hash()
		build = hex.EncodeToString(hash[:])
	}
	if !isBuildID(build) {
		return cli.Usagef("--build %s: it is neither a pack nor a build's ID, of which eight digits are needed", o.build)
	}
	if !m.IsOf(build) {
		return fmt.Errorf("%s is the map of build %.16s, not of %.16s: its IDs may mean other entities; the map that was made with that build is needed",
			o.shipMap, m.BuildID(), build)
	}
	return nil
}

// isBuildID reports whether a text is a build's ID, or enough of its beginning.
func isBuildID(text string) bool {
	if len(text) < 8 || len(text) > 64 {
		return false
	}
	_, err := hex.DecodeString(text + "0"[:len(text)%2])
	return err == nil
}

func printShipped(w io.Writer, m *ship.Map, in ship.Entry) error {
	line := in.Named.String()
	if p := in.Position; len(p) == 3 {
		line += fmt.Sprintf(" at %g, %g, %g", float32(p[0]), float32(p[1]), float32(p[2]))
	}
	if in.Gone {
		line += ", gone since an earlier build"
	}
	line += fmt.Sprintf("\nbuild %s", m.BuildID())
	if m.Revision != "" {
		line += " of " + m.Revision
	}
	if m.Modified {
		line += " and changes that are in no revision"
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
