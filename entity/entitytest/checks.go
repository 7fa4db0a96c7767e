package entitytest

import "flag"

// Checks has the property tests of this process run n times by default, until the
// returned function is called: for tests whose cases cost far more than a call. A number
// given by the flag -rapid.checks stands.
func Checks(n string) (restore func()) {
	f := flag.Lookup("rapid.checks")
	if f == nil || f.Value.String() != f.DefValue {
		return func() {}
	}
	set := func(n string) {
		if err := f.Value.Set(n); err != nil {
			panic(err)
		}
	}
	set(n)
	return func() { set(f.DefValue) }
}
