package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/notable"
	"github.com/worldfs/worldfs/internal/worldtree/namecheck"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
)

var checkCommand = define(command[nothing, []entity.Finding]{
	name: "check", waits: true,
	ask: func(c *Client, _ nothing) ([]entity.Finding, error) {
		if err := c.acceptLoss(); err != nil {
			return nil, err
		}
		return ask[[]entity.Finding](c, "check", nothing{})
	},
	inDaemon: (*daemon).check,
	alone: func(l *local, _ nothing) ([]entity.Finding, error) {
		if err := l.awaitPlain(); err != nil && !cache.IsLoss(err) { // of a loss there is a finding
			return nil, err
		}
		return l.check()
	},
	fromPack: func(r *readOnly, _ nothing) ([]entity.Finding, error) {
		return []entity.Finding{newerFinding(r.newer)}, nil
	},
})

// Check returns the findings that would stop a ship build, and those about IDs and names.
func (w *World) Check() ([]entity.Finding, error) { return checkCommand.on(w, nothing{}) }

func (s service) check() ([]entity.Finding, error) {
	_, findings, err := s.build(ShipOptions{})
	if errors.Is(err, cache.ErrShip) {
		err = nil
	}
	outside, outsideErr := s.outside()
	names, namesErr := namecheck.World(s.dir, s.world.Types())
	findings = append(findings, notable.Explain(s.world, slices.Concat(outside, names))...)
	return findings, errors.Join(err, outsideErr, namesErr)
}

// check adds the finding of a world that needs a newer build.
func (d *daemon) check(nothing) ([]entity.Finding, error) {
	found, err := d.service.check()
	if newer := d.newer(); newer != nil {
		found = append(found, newerFinding(newer))
	}
	return found, err
}

// ShipOptions say how a ship build differs from what world.toml says of them.
type ShipOptions struct {
	IDs     string `json:",omitempty"` // keep or dense; "" is as world.toml says
	ByType  bool   `json:",omitempty"` // new IDs are given type by type, also where world.toml does not say so
	Earlier string `json:",omitempty"` // the text of an earlier build's map, whose IDs stay
}

// Shipped is a ship build: its pack, its map's text, which names no revision yet, and what
// a person should know of it.
type Shipped struct {
	Pack  []byte
	Map   string
	Notes ship.Notes
}

// shipAnswer has the findings that stop a ship build as a result, so that they reach
// the caller whole.
type shipAnswer struct {
	Shipped
	Findings []entity.Finding
	Refused  string // why there is no pack; "": there is
}

var shipCommand = define(command[ShipOptions, shipAnswer]{
	name: "ship", waits: true,
	do: service.ship,
	ask: func(c *Client, o ShipOptions) (a shipAnswer, err error) {
		if err := cmp.Or(c.needs(5, "--ship"), c.acceptLoss()); err != nil {
			return a, err
		}
		return ask[shipAnswer](c, "ship", o)
	},
	inDaemon: func(d *daemon, o ShipOptions) (shipAnswer, error) {
		if err := d.newer(); err != nil {
			return shipAnswer{}, err
		}
		return d.ship(o)
	},
	alone: func(l *local, o ShipOptions) (shipAnswer, error) {
		if err := l.awaitPlain(); err != nil && !cache.IsLoss(err) {
			return shipAnswer{}, err
		}
		return l.ship(o)
	},
	fromPack: func(r *readOnly, _ ShipOptions) (shipAnswer, error) {
		return shipAnswer{Findings: []entity.Finding{newerFinding(r.newer)}, Refused: cache.ErrShip.Error()}, nil
	},
})

// Ship returns a ship build. Where findings stop it the error is cache.ErrShip, and the
// findings are those.
func (w *World) Ship(o ShipOptions) (Shipped, []entity.Finding, error) {
	a, err := shipCommand.on(w, o)
	if err == nil && a.Refused != "" {
		err = fmt.Errorf("%w", cache.ErrShip)
	}
	return a.Shipped, a.Findings, err
}

func (s service) ship(o ShipOptions) (a shipAnswer, err error) {
	b, findings, err := s.build(o)
	if a.Findings = findings; errors.Is(err, cache.ErrShip) {
		a.Refused = err.Error()
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.Shipped = Shipped{b.Pack, string(ship.AppendMap(nil, b.Map)), b.Notes}
	return a, nil
}

// build makes a ship build of the world. Where findings stop it the error is cache.ErrShip.
func (s service) build(o ShipOptions) (*ship.Build, []entity.Finding, error) {
	options, err := s.shipOptions(o)
	if err != nil {
		return nil, nil, err
	}
	view, findings, err := s.world.ViewForShip()
	if err != nil && !errors.Is(err, cache.ErrShip) {
		return nil, nil, err
	}
	ranges, rangesErr := rangecheck.File(s.dir)
	if rangesErr != nil {
		return nil, nil, rangesErr
	}
	var b *ship.Build
	if err == nil && !slices.ContainsFunc(ranges, func(f entity.Finding) bool { return f.Blocks }) {
		b, err = ship.Make(ship.World{ID: view.World(), Types: view.Types(), Entities: view}, options)
		findings = ship.Findings(err)
	}
	findings = notable.Explain(s.world, append(findings, ranges...))
	switch {
	case b == nil && len(ship.Findings(err)) > 0, b == nil && err == nil:
		err = cache.ErrShip
	}
	return b, findings, err
}

// shipOptions returns what a build is like: as world.toml says now, where the caller says
// nothing else.
func (s service) shipOptions(o ShipOptions) (options ship.Options, err error) {
	now := *s.dir
	if err := now.Configure(nil); err != nil {
		return options, err
	}
	set := now.Settings.Ship
	options = ship.Options{
		Names:  !set.WithoutNames,
		Dense:  cmp.Or(o.IDs, set.IDs) == ship.DenseIDs,
		ByType: o.ByType || set.ByType,
	}
	if o.Earlier != "" {
		if options.Earlier, err = ship.ParseMap([]byte(o.Earlier)); err != nil {
			return options, fmt.Errorf("the earlier build's map: %w", err)
		}
	}
	return options, nil
}
