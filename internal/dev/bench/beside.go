package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// beforeName is the place of another build that is measured beside this one.
const beforeName = "before"

// besideTable prints this build's times and the other's: medians, with the lower and
// the upper quartile.
func besideTable(w io.Writer, outcomes []*outcome) {
	fmt.Fprint(w, "| what | this build | the other | ratio | |\n|---|---|---|---|---|\n")
	for _, o := range outcomes {
		ours, before := quartilesOf(o.at["worldfs"].times), quartilesOf(o.at[beforeName].times)
		fmt.Fprintf(w, "| %s | %s | %s | %.2f | %s |\n", o.what, ours, before,
			float64(ours.median)/float64(before.median), ours.verdict(before))
	}
}

// quartiles are the three that part a row's times in four.
type quartiles struct{ lower, median, upper time.Duration }

func quartilesOf(times []time.Duration) quartiles {
	times = slices.Sorted(slices.Values(times))
	n := len(times)
	return quartiles{times[n/4], times[n/2], times[3*n/4]}
}

func (q quartiles) String() string {
	return fmt.Sprintf("%s (%s to %s)", duration(q.median), duration(q.lower), duration(q.upper))
}

// verdict says where the medians differ by more than a tenth and the quartiles do not
// overlap: less than that is noise.
func (q quartiles) verdict(before quartiles) string {
	switch {
	case 10*q.median > 11*before.median && q.lower > before.upper:
		return "slower"
	case 10*before.median > 11*q.median && before.lower > q.upper:
		return "faster"
	}
	return ""
}
