package entity

// What a text has at most for each value, and for each byte of a string: one that is
// escaped, or begins a new line.
const (
	textOfValue = 1024
	textOfByte  = 16
)

// TextAtMost returns how many bytes its text has at most. It is far from exact: it
// tells what need not be rendered to know that it is not too large.
func (e *Entity) TextAtMost() int {
	size := textOfValue
	for i, v := range e.Values {
		size += textOfByte*len(e.Layout.Fields[i].Name) + v.textAtMost()
	}
	for _, r := range e.Unknown {
		size += textOfValue + textOfByte*len(r.Name) + 2*len(r.Lines)
	}
	return size
}

func (v Value) textAtMost() int {
	size := textOfValue + textOfByte*len(v.text)
	for _, part := range v.list {
		size += part.textAtMost()
	}
	return size
}
