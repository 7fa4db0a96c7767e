package jsonmerge_test

import (
	"fmt"

	"github.com/worldfs/worldfs/internal/compare/jsonmerge"
)

func Example() {
	base := `{"doors": [{"id": 7, "open": false, "color": "red"}]}`
	ours := `{"doors": [{"id": 7, "open": true, "color": "blue"}]}`
	theirs := `{"doors": [{"id": 7, "open": false, "color": "green"}, {"id": 8}]}`
	out, report, err := jsonmerge.Merge([]byte(base), []byte(ours), []byte(theirs), jsonmerge.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	for _, c := range report.Conflicts {
		fmt.Println(c)
	}
	// Output:
	// {"doors": [{"id": 7, "open": true, "color": "blue"}, {"id": 8}]}
	// /doors/0/color: it was "red", ours has "blue", theirs "green"; ours is taken
}
