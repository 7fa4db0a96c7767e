package daemon

import (
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/notable"
	"github.com/worldfs/worldfs/internal/worldtree/namecheck"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
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
	_, findings, err := s.world.Ship()
	if errors.Is(err, cache.ErrShip) {
		err = nil
	}
	ranges, rangesErr := s.ranges()
	names, namesErr := namecheck.World(s.dir, s.world.Types())
	return notable.Explain(s.world, slices.Concat(findings, ranges, names)), errors.Join(err, rangesErr, namesErr)
}

// check adds the finding of a world that needs a newer build.
func (d *daemon) check(nothing) ([]entity.Finding, error) {
	found, err := d.service.check()
	if newer := d.newer(); newer != nil {
		found = append(found, newerFinding(newer))
	}
	return found, err
}

// shipAnswer has the findings that stop a ship build as a result, so that they reach
// the caller whole.
type shipAnswer struct {
	Pack     []byte
	Findings []entity.Finding
	Refused  string // why there is no pack; "": there is
}

var shipCommand = define(command[nothing, shipAnswer]{
	name: "ship", waits: true,
	do: service.ship,
	ask: func(c *Client, _ nothing) (a shipAnswer, err error) {
		if err := c.acceptLoss(); err != nil {
			return a, err
		}
		return ask[shipAnswer](c, "ship", nothing{})
	},
	inDaemon: func(d *daemon, _ nothing) (shipAnswer, error) {
		if err := d.newer(); err != nil {
			return shipAnswer{}, err
		}
		return d.ship(nothing{})
	},
	alone: func(l *local, _ nothing) (shipAnswer, error) {
		if err := l.awaitPlain(); err != nil && !cache.IsLoss(err) {
			return shipAnswer{}, err
		}
		return l.ship(nothing{})
	},
	fromPack: func(r *readOnly, _ nothing) (shipAnswer, error) {
		return shipAnswer{Findings: []entity.Finding{newerFinding(r.newer)}, Refused: cache.ErrShip.Error()}, nil
	},
})

// Ship returns the pack of a ship build. Where findings stop it the error is
// cache.ErrShip, and the findings are those.
func (w *World) Ship() ([]byte, []entity.Finding, error) {
	a, err := shipCommand.on(w, nothing{})
	if err == nil && a.Refused != "" {
		err = fmt.Errorf("%w", cache.ErrShip)
	}
	return a.Pack, a.Findings, err
}

func (s service) ship(nothing) (a shipAnswer, err error) {
	a.Pack, a.Findings, err = s.world.Ship()
	a.Findings = notable.Explain(s.world, a.Findings)
	if errors.Is(err, cache.ErrShip) {
		a.Refused, err = err.Error(), nil
	}
	if err != nil {
		return a, err
	}
	ranges, err := rangecheck.File(s.dir)
	a.Findings = append(a.Findings, ranges...)
	if slices.ContainsFunc(ranges, func(f entity.Finding) bool { return f.Blocks }) {
		a.Pack, a.Refused = nil, cache.ErrShip.Error()
	}
	return a, err
}
