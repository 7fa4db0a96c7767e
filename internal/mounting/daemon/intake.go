package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// intake is a command that has a world take in a document. Its options are in the
// address of the call and the document is the body: the caller opens the file, with
// its own rights and in its own directory.
type intake[O intakeOptions] struct {
	name    string
	options func(url.Values) O
	do      func(s service, r io.Reader, file string, o O) (cache.Report, error)
}

// intakeOptions are the options of an intake.
type intakeOptions interface {
	// query returns those in a call's address, without that which allows a great loss.
	query() url.Values
	allows() (unknownTypes, loss bool)
}

// The options in a call's address that every intake has.
const (
	optionFile         = "file" // the document's name in messages
	optionUnknownTypes = "unknown-types"
	optionAllowLoss    = "allow-loss"
	optionBy           = "by" // of apply: which command it is, for the history
)

// defineIntake declares an intake, and with that its call on the socket.
func defineIntake[O intakeOptions](i intake[O]) *intake[O] {
	commandRoutes = append(commandRoutes, route{i.name, i.handler, i.keptHandler})
	return &i
}

// on has a world take in what r gives, the way that the world is open.
func (i *intake[O]) on(w *World, r io.Reader, file string, o O) (cache.Report, error) {
	switch w := w.open.(type) {
	case *Client:
		return i.send(w, r, file, o)
	case *readOnly:
		return cache.Report{}, w.newer
	case *local:
		if w.full != nil {
			return cache.Report{}, w.full
		}
		return i.do(w.service, r, file, o)
	}
	panic("a world that is open in no known way")
}

// send has the daemon take in what r gives. A body that ends early would be
// half a document: an error of r must reach the caller, not the daemon's parser
// alone.
func (i *intake[O]) send(c *Client, r io.Reader, file string, o O) (cache.Report, error) {
	unknownTypes, loss := o.allows()
	if err := c.needsRefusal(unknownTypes); err != nil {
		return cache.Report{}, err
	}
	q := o.query()
	q.Set(optionFile, file)
	if c.protocol < 4 || q.Get(optionBy) == "" {
		q.Del(optionBy) // only the history says less
	}
	if loss || c.allowLoss {
		q.Set(optionAllowLoss, "true")
	}
	body := &errReader{r: r}
	report, err := post[cache.Report](context.Background(), c, i.name+"?"+q.Encode(), body)
	if body.err != nil {
		err = body.err
	}
	return report, err
}

type errReader struct {
	r   io.Reader
	err error
}

func (e *errReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		e.err = err
	}
	return n, err
}

// handler answers the intake's call.
func (i *intake[O]) handler(d *daemon) http.HandlerFunc {
	return i.answering(func(r io.Reader, file string, o O) (cache.Report, error) {
		return with(d, func() (cache.Report, error) {
			if err := d.newer(); err != nil {
				return cache.Report{}, err
			}
			d.world.AwaitNames(d.ended)
			return i.do(d.service, r, file, o)
		})
	})
}

// keptHandler answers the intake's call as the command alone does.
func (i *intake[O]) keptHandler(k *Kept) http.HandlerFunc {
	return i.answering(func(r io.Reader, file string, o O) (report cache.Report, err error) {
		_, loss := o.allows()
		err = k.use(loss, func(w *World) (err error) { report, err = i.on(w, r, file, o); return err })
		return report, err
	})
}

// answering makes a handler of what takes a document in.
func (i *intake[O]) answering(take func(r io.Reader, file string, o O) (cache.Report, error)) http.HandlerFunc {
	var none O
	known := append(slices.Collect(maps.Keys(none.query())), optionFile, optionAllowLoss)
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		var report cache.Report
		err := checkQuery(q, known...)
		if err == nil {
			report, err = take(r.Body, q.Get(optionFile), i.options(q))
		}
		_, _ = io.Copy(io.Discard, r.Body) // a caller that cannot write on would not see the answer
		answer(w, report, err)
	}
}

// refuseUnknown returns an error that names the first entity of a type that is
// declared nowhere: a misspelt type has no fields, so the entity would lose its
// values. One that here is of that type already loses nothing.
func refuseUnknown(file string, entities iter.Seq[*entity.Entity], here entity.Source) error {
	for e := range entities {
		if !e.Layout.Type.Unknown {
			continue
		}
		if is, ok := here.Get(e.ID); !ok || is.Type() != e.Type() {
			return &Failure{Exit: ExitFailed, Message: fmt.Sprintf(
				"%s: %s: the type %q is declared neither here nor in types/, so nothing is taken in; "+
					"mend its name or declare it, or give --allow-unknown-types", file, e, e.Type())}
		}
	}
	return nil
}
