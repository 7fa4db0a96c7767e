package daemon

import (
	"io"
	"net/url"
	"slices"
	"strconv"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/interchange"
)

// ImportOptions say how an import is taken in.
type ImportOptions struct {
	Whole        bool // what is missing in it is deleted
	UnknownTypes bool // entities of types that are declared nowhere are taken in, too
	AllowLoss    bool // even if most entities are deleted
}

var importCommand = defineIntake(intake[ImportOptions]{
	name: "import",
	options: func(q url.Values) ImportOptions {
		return ImportOptions{
			Whole: q.Get("whole") == "true", UnknownTypes: q.Get(optionUnknownTypes) == "true", AllowLoss: q.Get(optionAllowLoss) == "true",
		}
	},
	do: service.importFrom,
})

func (o ImportOptions) query() url.Values {
	return url.Values{"whole": {strconv.FormatBool(o.Whole)}, optionUnknownTypes: {strconv.FormatBool(o.UnknownTypes)}}
}

func (o ImportOptions) allows() (unknownTypes, loss bool) { return o.UnknownTypes, o.AllowLoss }

// Import takes in the interchange form from r; file is its name in messages.
func (w *World) Import(r io.Reader, file string, o ImportOptions) (cache.Report, error) {
	return importCommand.on(w, r, file, o)
}

func (s service) importFrom(r io.Reader, file string, o ImportOptions) (cache.Report, error) {
	view, err := s.world.View()
	if err != nil {
		return cache.Report{}, err
	}
	doc, err := interchange.ReadUndeclared(r, file, view.Types())
	if err != nil {
		return cache.Report{}, err
	}
	if !o.UnknownTypes {
		if err := refuseUnknown(file, slices.Values(doc.Entities), view); err != nil {
			return cache.Report{}, err
		}
	}
	return s.world.Import(cache.Intake{Types: doc.Types, Entities: doc.Entities, Whole: o.Whole, AllowLoss: o.AllowLoss})
}
