package content

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/revision"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
	"github.com/worldfs/worldfs/internal/worldtree/shipreport"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// shipOptions are those of pack that need --ship.
type shipOptions struct {
	renumber bool
	byType   bool
	idsFrom  string
	last     string
	report   string
}

func (o *shipOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.renumber, "renumber", false, "number IDs from 1; =false keeps the editor's where world.toml says ship.ids = \"dense\"")
	f.BoolVar(&o.byType, "by-type", false, "number type by type")
	f.StringVar(&o.idsFrom, "ids-from", "", "keep the IDs of an earlier build, whose map is `MAP`, and number what is new after them")
	f.StringVar(&o.last, "last", "", "compare with the ship build in `PACK`, whose map is beside it")
	f.StringVar(&o.report, "report", "", "write a report to `FILE`: .html or .json, or - for tables on the terminal")
}

// check refuses options that are not for what is made.
func (o *shipOptions) check(cmd *cobra.Command, isShip, asJSON bool) error {
	for _, name := range []string{"renumber", "by-type", "ids-from", "last", "report"} {
		if cmd.Flags().Changed(name) && !isShip {
			return cli.Usagef("--%s is of ship builds: give --ship", name)
		}
	}
	if cmd.Flags().Changed("renumber") && !o.renumber && (o.byType || o.idsFrom != "") {
		return cli.Usagef("--renumber=false keeps the editor's IDs: leave --by-type and --ids-from out")
	}
	switch suffix := filepath.Ext(o.report); {
	case o.report == "-" && asJSON:
		return cli.Usagef("--report - and --json both print: name a file for the report")
	case o.report == "" || o.report == "-":
		return nil
	case suffix != ".html" && suffix != ".json":
		return cli.Usagef("--report %s: a report is .html or .json, or - for the terminal", o.report)
	}
	return cli.CheckOutput(o.report)
}

// asked returns what the caller says of the build.
func (o *shipOptions) asked(cmd *cobra.Command) (asked daemon.ShipOptions, earlier *ship.Map, err error) {
	asked.ByType = o.byType
	if cmd.Flags().Changed("renumber") {
		asked.IDs = map[bool]string{true: ship.DenseIDs, false: ship.KeepIDs}[o.renumber]
	} else if o.byType {
		asked.IDs = ship.DenseIDs
	}
	if o.idsFrom == "" {
		return asked, nil, nil
	}
	text, err := os.ReadFile(o.idsFrom)
	if err != nil {
		return asked, nil, fmt.Errorf("--ids-from: %w", err)
	}
	if earlier, err = ship.ParseMap(text); err != nil {
		return asked, nil, fmt.Errorf("--ids-from %s: %w", o.idsFrom, err)
	}
	asked.Earlier = string(text)
	return asked, earlier, nil
}

// shipping is one making of a ship build.
type shipping struct {
	*packOptions
	app *cli.App
	cmd *cobra.Command
}

// shipTo makes a ship build. What stops it is no error, but leaves it without a path.
func (s *shipping) shipTo(dir *worlddir.Dir, w *daemon.World) (packed, error) {
	asked, earlier, err := s.asked(s.cmd)
	if err != nil {
		return packed{}, err
	}
	if earlier != nil && earlier.World != dir.ID {
		return packed{}, fmt.Errorf("--ids-from %s: it is the map of another world, %s; this one is %s", s.idsFrom, earlier.World.Dashed(), dir.ID.Dashed())
	}
	path := s.output
	if path == "" {
		path = filepath.Join(dir.Root, worlddir.ShipPackName)
	}
	last, err := s.lastBuild(dir, path)
	if err != nil {
		return packed{}, err
	}
	built, findings, err := w.Ship(asked)
	if errors.Is(err, cache.ErrShip) && len(cli.Blocking(findings)) > 0 {
		return newPacked("", packfile.Head{}, findings), nil
	}
	if err != nil {
		return packed{}, err
	}
	now, err := s.open(built)
	if err != nil {
		return packed{}, err
	}
	if why := s.loss(now, last, earlier); why != "" {
		p := newPacked("", packfile.Head{}, nil)
		p.Refused = why
		return p, nil
	}
	return s.write(path, now, last, built.Notes)
}

// open reads what was built, and notes in its map which revision it was built of.
func (s *shipping) open(built daemon.Shipped) (*ship.Shipped, error) {
	p, err := packfile.Parse(built.Pack)
	if err != nil {
		return nil, err
	}
	m, err := ship.ParseMap([]byte(built.Map))
	if err != nil {
		return nil, err
	}
	namer := &revision.Namer{Dir: worldPlace()}
	if s.from != "" {
		m.Revision, err = namer.Fixed(s.from)
	} else {
		m.Revision, m.Modified, err = namer.Here()
	}
	if err != nil {
		s.app.Noter(s.cmd)(fmt.Sprintf("the map names no revision: %v", err))
		m.Revision, m.Modified = "", false
	}
	return &ship.Shipped{Pack: p, Map: m}, nil
}

// lastBuild returns the build that the new one is compared with, nil if there is none.
func (s *shipping) lastBuild(dir *worlddir.Dir, path string) (*ship.Shipped, error) {
	named := s.last != ""
	if named {
		path = s.last
	}
	last, err := openLast(path, named)
	if err == nil && last.Map.World != dir.ID {
		err = fmt.Errorf("%s: it is of another world, %s; this one is %s", path, last.Map.World.Dashed(), dir.ID.Dashed())
	}
	switch {
	case err == nil:
		return last, nil
	case named:
		return nil, fmt.Errorf("--last: %w", err)
	case !isMissing(path):
		s.app.Noter(s.cmd)(fmt.Sprintf("not compared with the last build: %v", err))
	}
	return nil, nil
}

// openLast reads a build. What lies where the new one goes may be anything, and is not
// followed elsewhere.
func openLast(path string, named bool) (*ship.Shipped, error) {
	if !named {
		for _, file := range []string{path, path + ship.MapSuffix} {
			if err := disk.CheckFile(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
		}
	}
	return ship.Open(path)
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

// loss says why what was built is too little to ship; "" if it is not.
func (s *shipping) loss(now, last *ship.Shipped, earlier *ship.Map) string {
	if cli.AllowsLoss(s.cmd) {
		return ""
	}
	if now.Pack.Len() == 0 {
		return "nothing would ship; --allow-loss makes an empty build"
	}
	was := earlier
	if last != nil {
		was = last.Map
	}
	if was == nil || !ship.IsGreatLoss(was, now.Map) {
		return ""
	}
	had, gone := ship.Lost(was, now.Map)
	return fmt.Sprintf("%s of the %s of the last build are gone; --allow-loss says that they are meant to be", cli.Count(gone), cli.Counted(had, "entity", "entities"))
}

// write writes the build and its report, and says on standard error what a person should
// look at.
func (s *shipping) write(path string, now, last *ship.Shipped, notes ship.Notes) (packed, error) {
	report, err := ship.NewReport(now, last, notes)
	if err != nil {
		return packed{}, err
	}
	mapPath := path + ship.MapSuffix
	files := []ship.File{
		{What: "ship map", Path: mapPath, Data: ship.AppendMap(nil, now.Map)},
		{What: "pack", Path: path, Data: now.Pack.Bytes()},
	}
	page, err := s.page(report)
	if err != nil {
		return packed{}, err
	}
	if page != nil {
		files = append(files, ship.File{What: "report", Path: s.report, Data: page})
	}
	if err := ship.Write(&disk.Disk{}, files...); err != nil {
		return packed{}, err
	}
	if s.report == "-" {
		if err := shipreport.WriteTable(s.cmd.OutOrStdout(), report); err != nil {
			return packed{}, err
		}
	}
	s.remark(report)
	p := newPacked(path, now.Pack.Head(), nil)
	p.Map, p.Build = mapPath, report.Build
	return p, nil
}

// page returns the report as the file that is asked for has it.
func (s *shipping) page(report *ship.Report) ([]byte, error) {
	var page strings.Builder
	var err error
	switch {
	case s.report == "" || s.report == "-":
		return nil, nil
	case filepath.Ext(s.report) == ".json":
		err = cli.PrintJSON(&page, report)
	default:
		err = shipreport.WriteHTML(&page, report)
	}
	return []byte(page.String()), err
}

// remark says what is otherwise than in the editor, as far as it may not be meant.
func (s *shipping) remark(r *ship.Report) {
	note := s.app.Noter(s.cmd)
	if n := len(r.LeftOut.Dangling); n > 0 {
		became := "are in the pack as they are"
		if r.IDs == ship.DenseIDs {
			became = "are 0 in the pack"
		}
		first := r.LeftOut.Dangling[0]
		note(fmt.Sprintf("%s to entities that do not ship, and %s; the first: %s, field %s, to %d", cli.Counted(n, "ref leads", "refs lead"), became, first.Named, first.Field, first.To))
	}
	if r.IDs == ship.DenseIDs {
		for _, f := range r.LeftOut.Suspects {
			if !f.Chance {
				note(fmt.Sprintf("%s.%s: %s of its %s are entities' IDs, and as it is no ref they are not rewritten", f.Type, f.Field, cli.Count(f.IDs), cli.Counted(f.Values, "value", "values")))
			}
		}
	}
	for _, e := range r.LeftOut.Retyped {
		note(fmt.Sprintf("%s had another type in the earlier build, and has a new ship ID", e))
	}
	if d := r.Since; d != nil {
		note(fmt.Sprintf("since the last build: %s created, %s deleted, %s changed", cli.Count(len(d.Created)), cli.Count(len(d.Deleted)), cli.Count(len(d.Changed))))
	}
}
