package changes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/internal/compare/changeset"
)

// filterFlags cut a change set down.
type filterFlags struct {
	types, notTypes, fields, ids []string
	where, near                  string
}

func (f *filterFlags) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.types, "type", nil, "only changes of entities of these `TYPES`")
	flags.StringSliceVar(&f.notTypes, "not-type", nil, "no changes of entities of these `TYPES`")
	flags.StringSliceVar(&f.fields, "field", nil, "only changes of these `FIELDS`")
	flags.StringSliceVar(&f.ids, "id", nil, "only changes of these `IDS`")
	flags.StringVar(&f.where, "where", "", "only changes of entities of which `EXPR` holds before or after")
	flags.StringVar(&f.near, "near", "", "only changes of entities within `X,Y,Z,RADIUS` before or after")
}

// filters returns what the flags say.
func (f *filterFlags) filters() ([]changeset.Filter, error) {
	only := changeset.Filter{Types: f.types, Fields: f.fields}
	for _, text := range f.ids {
		id, err := entity.ParseID(text)
		if err != nil {
			return nil, cli.Usagef("--id: %v", err)
		}
		only.IDs = append(only.IDs, id)
	}
	var err error
	if f.where != "" {
		if only.Where, err = expression.Compile(f.where); err != nil {
			return nil, cli.Usagef("--where: %v", err)
		}
	}
	if f.near != "" {
		if only.Near, err = parseNear(f.near); err != nil {
			return nil, cli.Usagef("--near: %v", err)
		}
	}
	filters := []changeset.Filter{only}
	if len(f.notTypes) > 0 {
		filters = append(filters, changeset.Filter{Types: f.notTypes, Not: true})
	}
	return filters, nil
}

// check returns an error of usage if a name in the flags is none in the worlds that are
// compared.
func (f *filterFlags) check(note func(string), filters []changeset.Filter, names *cli.Vocabulary) error {
	if err := names.CheckTypes("--not-type", f.notTypes...); err != nil {
		return err
	}
	if err := names.Select("--type", f.types...); err != nil {
		return err
	}
	fields := slices.DeleteFunc(slices.Clone(f.fields), func(name string) bool { return name == changeset.UnknownFields })
	if err := names.CheckFieldNames("--field", fields...); err != nil {
		return err
	}
	return names.Check(note, "--where: ", filters[0].Where)
}

func parseNear(s string) (*changeset.Near, error) {
	parts := strings.Split(s, ",")
	if len(parts) != 4 {
		return nil, fmt.Errorf("%q is not X,Y,Z,RADIUS", s)
	}
	var n [4]float64
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", p)
		}
		n[i] = x
	}
	return &changeset.Near{At: [3]float64(n[:3]), Radius: n[3]}, nil
}
