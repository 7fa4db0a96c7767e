package shipreport_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/ship"
	"github.com/worldfs/worldfs/internal/worldtree/shipreport"
)

func report() *ship.Report {
	door := ship.Named{ID: 6555, Type: "Door", Name: "<script>bunker</script>"}
	return &ship.Report{
		Build: strings.Repeat("3f", 32), World: "w", Revision: "git:0123", Modified: true, IDs: ship.DenseIDs, Entities: 1200, Bytes: 2000,
		Types:   []ship.TypeSize{{Type: "Door", Entities: 1200, Bytes: 1000, LastEntities: 1300, LastBytes: 1500}},
		Largest: []ship.EntitySize{{Entry: ship.Entry{Ship: 7, Named: door}, Bytes: 900}},
		LeftOut: ship.Notes{
			Types:    []ship.LeftType{{Type: "Marker", Entities: 3}},
			Fields:   []ship.LeftField{{Type: "Door", Field: "note", Why: ship.LeftEditorOnly, Entities: 2}},
			Dangling: []ship.Dangling{{Named: door, Field: "target", To: 9, LeftOut: true}},
			Suspects: []ship.Suspect{{Type: "Door", Field: "key", Kind: "u32", Values: 3, IDs: 2, Chance: true}},
			Retyped:  []ship.Named{door},
		},
		Since: &ship.Difference{Build: strings.Repeat("ab", 32), Entities: 1300, Bytes: 2500, Created: []ship.Named{door}, Deleted: make([]ship.Named, 300), Changed: []ship.Named{door}},
	}
}

func TestThePageNeedsNothingElse(t *testing.T) {
	var page strings.Builder
	require.NoError(t, shipreport.WriteHTML(&page, report()))
	for _, want := range []string{
		strings.Repeat("3f", 32), "git:0123", "changes that are in none", "&lt;script&gt;bunker", "the type Marker", "note", "was 1,300, -500 B",
		"width:50.0%", "Deleted: 300", "and 100 more", "as most numbers that small are", "They are 0 in the pack",
	} {
		require.Contains(t, page.String(), want)
	}
	for _, never := range []string{"<script>", "http:", "https:", "src=", "href=", "@import"} {
		require.NotContains(t, page.String(), never)
	}
}

func TestTheTablesSayTheSame(t *testing.T) {
	var out strings.Builder
	require.NoError(t, shipreport.WriteTable(&out, report()))
	for _, want := range []string{
		"git:0123, and changes in none", "-100 entities, -500 B", "Marker", "editor_only", "9, which is left out",
		"Door.key (u32)", "since build abababababababab: 1 created, 300 deleted, 1 changed", "and 280 more",
	} {
		require.Contains(t, out.String(), want)
	}
	require.NoError(t, shipreport.WriteHTML(&out, &ship.Report{IDs: ship.KeepIDs}), "a build of nothing")
	require.NoError(t, shipreport.WriteTable(&out, &ship.Report{}))
}
