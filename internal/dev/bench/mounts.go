package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// measureMounts is the table of the mount: the same things done in a plain
// directory, in the mounted world, and at the peers.
func (b *bencher) measureMounts(dir, binary string, s *subject, r *report) error {
	places, err := b.entitiesPlaces(dir, binary, s)
	if err != nil {
		return err
	}
	defer unmountAll(places)
	rows := readingRows(len(s.files))
	writing, err := writingRows(s)
	if err != nil {
		return err
	}
	rows = append(append(rows, writing...), gitRows(s)...)
	outcomes, err := b.runAll(rows, places)
	if err != nil {
		return err
	}
	r.section("The mount, beside a plain directory")
	table(&r.out, outcomes, places)
	if b.before != "" {
		r.section("The mount, beside another build's")
		besideTable(&r.out, outcomes)
	}
	if b.rows != "" && !strings.Contains(b.rows, "svn") {
		return nil
	}
	return b.measureCover(dir, binary, s, r)
}

func (b *bencher) runAll(rows []row, places []*place) (outcomes []*outcome, err error) {
	for _, r := range rows {
		if !b.wants(r) {
			continue
		}
		o, err := b.run(r, places)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// entitiesPlaces makes and mounts the places of the entities shape.
func (b *bencher) entitiesPlaces(dir, binary string, s *subject) ([]*place, error) {
	plain, err := plainPlace("plain directory", filepath.Join(dir, "plain"), s)
	if err != nil {
		return nil, err
	}
	ours, err := worldPlace("worldfs", filepath.Join(dir, "worldfs"), binary, len(s.files))
	if err != nil {
		return nil, err
	}
	places := []*place{plain, ours}
	if b.before != "" {
		before, err := worldPlace(beforeName, filepath.Join(dir, "before"), b.before, len(s.files))
		if err != nil {
			return nil, err
		}
		places = append(places, before)
	}
	if b.alone {
		return places, mountAll(places)
	}
	loopback, err := loopbackEntities(dir, s)
	if err != nil {
		return nil, err
	}
	archives, err := archivePlaces(dir, s)
	if err != nil {
		return nil, err
	}
	places = append(append(places, loopback), archives...)
	return places, mountAll(places)
}

func loopbackEntities(dir string, s *subject) (*place, error) {
	binary, err := buildLoopback(dir)
	if err != nil {
		return nil, err
	}
	root, back := filepath.Join(dir, "loopback-mount"), filepath.Join(dir, "loopback-files")
	for _, d := range []string{filepath.Join(root, "entities"), back} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	return loopbackPlace(binary, root, filepath.Join(root, "entities"), back), s.writeTexts(back)
}

// measureCover is svn's part: the mount covers the working copy.
func (b *bencher) measureCover(dir, binary string, s *subject, r *report) error {
	const changes = 1000
	v, err := newSvn(dir, s, changes)
	if err != nil {
		return err
	}
	places, err := b.coverPlaces(dir, binary, s, v)
	if err != nil {
		return err
	}
	defer unmountAll(places)
	outcomes, err := b.runAll(v.rows(len(s.files)), places)
	if err != nil {
		return err
	}
	r.section("Subversion, beside a plain working copy")
	table(&r.out, outcomes, places)
	return nil
}

func (b *bencher) coverPlaces(dir, binary string, s *subject, v *svn) ([]*place, error) {
	plain := &place{name: "plain directory", root: filepath.Join(dir, "svn-plain")}
	covered := &world{binary: binary, root: filepath.Join(dir, "svn-worldfs")}
	if err := command(".", binary, "demo", "--entities", fmt.Sprint(len(s.files)), covered.root); err != nil {
		return nil, err
	}
	if err := command(covered.root, binary, "unpack"); err != nil {
		return nil, err
	}
	back, root := filepath.Join(dir, "svn-files"), filepath.Join(dir, "svn-loopback")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	for _, wc := range []string{plain.root, covered.root, back} {
		if err := v.checkout(wc); err != nil {
			return nil, err
		}
	}
	places := []*place{plain, covered.place("worldfs")}
	if !b.alone {
		places = append(places, loopbackPlace(filepath.Join(dir, "loopback"), root, root, back))
	}
	if err := mountAll(places); err != nil {
		return nil, err
	}
	for _, p := range places {
		// Of files that were there before the checkout svn knows no times, and would
		// read them at each status.
		if err := command(p.root, "svn", "cleanup"); err != nil {
			unmountAll(places)
			return nil, err
		}
	}
	return places, nil
}

func mountAll(places []*place) error {
	for _, p := range places {
		if p.mount == nil {
			continue
		}
		if err := p.mount(); err != nil {
			unmountAll(places)
			return err
		}
	}
	return nil
}

// unmountAll ends every mount, as well as it can: ours as a user does, a peer's
// without waiting for what it would still write.
func unmountAll(places []*place) {
	for _, p := range places {
		switch {
		case p.unmount == nil || !isMounted(p.root) && !isMounted(p.entities()):
		case p.peer:
			p.kill()
		default:
			if err := p.unmount(); err != nil {
				fmt.Fprintln(os.Stderr, "bench:", err)
			}
		}
	}
}
