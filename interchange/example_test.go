package interchange_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

const lines = `{"type":{"name":"Lamp","revision":3,"fields":[{"name":"energy","kind":"f32"}]}}
{"entity":{"id":6001,"type":"Lamp","fields":{"energy":1.50}}}
`

// Reading checks everything; writing is canonical.
func ExampleRead() {
	doc, err := interchange.Read(strings.NewReader(lines), "lamps.jsonl", nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(doc.Types...))
	for _, e := range doc.Entities {
		w.Put(e)
	}
	if err := interchange.Write(os.Stdout, w.Types, w, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"type":{"name":"Lamp","revision":3,"fields":[{"name":"energy","kind":"f32"}]}}
	// {"entity":{"id":6001,"type":"Lamp","revision":3,"fields":{"energy":1.5}}}
}

// A line that is wrong is named, and nothing of the document is returned.
func ExampleError() {
	_, err := interchange.Read(strings.NewReader(strings.Replace(lines, "1.50", `"bright"`, 1)), "lamps.jsonl", nil, nil)
	fmt.Println(err)
	// Output: lamps.jsonl:2: Lamp 6001, field energy: the string "bright" is no f32; a number, "nan", "inf", "-inf" or "0x" and 8 hexadecimal digits are
}
