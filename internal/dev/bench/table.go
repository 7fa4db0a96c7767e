package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// table prints outcomes as a table: for each place but the first its median
// ratio to the first.
func table(w io.Writer, outcomes []*outcome, places []*place) {
	fmt.Fprintf(w, "| what | goal | %s |", places[0].name)
	for _, p := range places[1:] {
		fmt.Fprintf(w, " %s |", p.name)
	}
	fmt.Fprintf(w, " %s: requests a file |\n|---|---|%s---|\n", places[1].name, strings.Repeat("---|", len(places)))
	for _, o := range outcomes {
		fmt.Fprintf(w, "| %s | %s | %s |", o.what, goalText(o.goal), duration(median(o.at[places[0].name].times)))
		for i, p := range places[1:] {
			fmt.Fprintf(w, " %s |", o.at[p.name].cell(i == 0))
		}
		fmt.Fprintf(w, " %s |\n", requestsText(o.at[places[1].name].requests))
	}
}

func goalText(goal float64) string {
	if goal == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g", goal)
}

// cell is a place's median ratio, and for ours the time and the spread too.
func (m *measured) cell(ours bool) string {
	if m.missing != "" {
		return m.missing
	}
	mid := fmt.Sprintf("%.2f", median(m.ratios))
	switch {
	case m.volatile:
		return fmt.Sprintf("cannot: nothing is durable (%s)", mid)
	case !ours:
		return mid
	}
	return fmt.Sprintf("**%s** (%.2f to %.2f), %s", mid, slices.Min(m.ratios), slices.Max(m.ratios), duration(median(m.times)))
}

func duration(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// requestsText lists requests by kind, the most frequent first; those that come
// less than once in two hundred files are one number.
func requestsText(n map[string]float64) string {
	kinds := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		switch {
		case n[a] > n[b]:
			return -1
		case n[a] < n[b]:
			return 1
		}
		return strings.Compare(a, b)
	})
	var said []string
	total := 0.0
	for _, k := range kinds {
		total += n[k]
		if n[k] >= 0.005 {
			said = append(said, fmt.Sprintf("%s %.2f", strings.ToLower(k), n[k]))
		}
	}
	if total < 0.005 {
		return "none"
	}
	return fmt.Sprintf("%.2f: %s", total, strings.Join(said, ", "))
}
