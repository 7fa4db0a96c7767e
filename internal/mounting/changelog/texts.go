package changelog

import (
	"bytes"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/textcodec"
)

// texts are the texts before and after entries of the history, by their positions.
type texts map[uint64][2][]byte

// readTexts reads the texts of steps.
func readTexts(log *history.Log, steps []*step) (texts, error) {
	t := make(texts)
	for _, m := range steps {
		for _, at := range []uint64{m.first, m.last, m.broken, m.marked[0], m.marked[1]} {
			if at != 0 {
				t[at] = [2][]byte{}
			}
		}
	}
	left := len(t)
	err := log.Each(func(e *history.Entry) bool {
		if _, ok := t[e.Position]; ok {
			t[e.Position] = [2][]byte{bytes.Clone(e.Was), bytes.Clone(e.Is)}
			left--
		}
		return left > 0
	})
	return t, err
}

// was and is return the texts of an entity's values before and after a step.
func (t texts) was(m *step) []byte { return t[m.first][0] }
func (t texts) is(m *step) []byte  { return t[m.last][1] }

// brokenText returns the text that a step left and that does not parse.
func (t texts) brokenText(m *step) []byte { return t[m.broken][1] }

// beforeBroken returns the text that brokenText took the place of, where conflicts were marked
// in that; else nil.
func (t texts) beforeBroken(m *step) []byte { return marked(t[m.broken][0]) }

// hasOwnMarks reports whether conflicts are marked in the text that a step left and that does
// not parse, and in none before it: as version control brought them, and a person broke the text.
func (t texts) hasOwnMarks(m *step) bool {
	was, _ := t.around(m)
	return textcodec.HasMarkers(t.brokenText(m)) && !textcodec.HasMarkers(was) && t.beforeBroken(m) == nil
}

// around returns the texts before and after a step, with the conflicts that were marked in
// them; nil where there was, or is, none.
func (t texts) around(m *step) (was, is []byte) {
	first, last := m.first, max(m.last, m.marked[1])
	if first == 0 || m.marked[0] != 0 && m.marked[0] < first {
		first = m.marked[0]
	}
	return t[first][0], t[last][1]
}

// markedTexts returns the texts before and after a step that left a conflict in them, or
// took one out; nil where it did not.
func (t texts) markedTexts(m *step) (was, is []byte) {
	if was, is = t.around(m); m.marked[0] != 0 || textcodec.HasMarkers(is) {
		return was, is
	}
	return nil, nil
}

// decided returns a text with the conflicts that were marked before a step and that it has
// decided, by a value or by deleting the entity; nil if there are none.
func (t texts) decided(m *step, types *entity.Types) []byte {
	was, is := t.around(m)
	if !textcodec.HasMarkers(was) || !textcodec.HasMarkers(is) {
		return marked(was)
	}
	fields, whole := textcodec.Disputed(is, m.id, types)
	if whole {
		return nil
	}
	decided, err := textcodec.Unmark(was, m.id, types, fields)
	if err != nil {
		return nil
	}
	return marked(decided)
}

// marked returns a text that has conflict markers, nil of one that has none.
func marked(text []byte) []byte {
	if textcodec.HasMarkers(text) {
		return text
	}
	return nil
}

// decode reads a text as an entity under types; nil where there is none.
func decode(text []byte, id entity.ID, types *entity.Types) (*entity.Entity, error) {
	if text == nil {
		return nil, nil
	}
	res, err := textcodec.Decode(text, id, types)
	return res.Entity, err
}

// moves returns, of steps of one set, those by which an entity got another ID, by one
// another: one is deleted, the other made, with the same values.
func (t texts) moves(members []*step, types *entity.Types) map[*step]*step {
	pairs := make(map[*step]*step)
	for _, from := range members {
		if !from.deleted || from.created {
			continue
		}
		for _, to := range members {
			if to.created && !to.deleted && pairs[to] == nil && t.sameValues(from, to, types) {
				pairs[from], pairs[to] = to, from
				break
			}
		}
	}
	return pairs
}

func (t texts) sameValues(from, to *step, types *entity.Types) bool {
	a, err := decode(t.was(from), from.id, types)
	b, err2 := decode(t.is(to), from.id, types) // as if it had kept its ID
	return err == nil && err2 == nil && a != nil && b != nil && a.Same(b)
}
