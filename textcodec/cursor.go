package textcodec

import "bytes"

// blank is the white space that means nothing around a line.
const blank = " \t\r"

// cursor goes through a text line by line, past the blank ones.
type cursor struct {
	text    []byte // ends with "\n"
	start   int    // where the current line begins
	next    int    // where the line after it begins
	number  int    // of the current line within text, from 1
	indent  int    // how deep it is indented
	line    []byte // the current line without white space around it; nil at the end
	numbers []int  // the lines' numbers in the file, where text is not the whole of it
}

// seek makes the first line at or after offset the current one.
func (c *cursor) seek(text []byte, offset int) {
	c.text, c.next, c.number = text, offset, 0
	c.advance()
}

// advance goes to the next line.
func (c *cursor) advance() {
	for c.next < len(c.text) {
		c.start = c.next
		line := c.text[c.start:]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		c.next = c.start + len(line) + 1
		c.number++
		c.indent = 0
		for c.indent < len(line) && isBlank(line[c.indent]) {
			c.indent++
		}
		end := len(line)
		for end > c.indent && isBlank(line[end-1]) {
			end--
		}
		if end > c.indent {
			c.line = line[c.indent:end]
			return
		}
	}
	c.start, c.line = len(c.text), nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// is reports whether the current line is s and nothing else.
func (c *cursor) is(s string) bool { return string(c.line) == s }

// begins reports whether the current line begins with b.
func (c *cursor) begins(b byte) bool { return c.line != nil && c.line[0] == b }

// fileLine returns the number in the file of a line of text; 0 is none.
func (c *cursor) fileLine(number int) int {
	if number == 0 || len(c.numbers) == 0 {
		return number
	}
	return c.numbers[number-1]
}

// atEnd reports whether nothing but blank lines comes after the current one.
func (c *cursor) atEnd() bool {
	for _, b := range c.text[min(c.next, len(c.text)):] {
		if b != '\n' && !isBlank(b) {
			return false
		}
	}
	return true
}
