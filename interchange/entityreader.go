package interchange

import "github.com/worldfs/worldfs/entity"

// EntityReader reads entities that stand in another program's format.
type EntityReader struct{ p entityParser }

// NewEntityReader returns a reader that knows these types.
func NewEntityReader(types *entity.Types) *EntityReader {
	r := &EntityReader{p: entityParser{types: types, unknown: new(unknownTypes)}}
	r.p.values.filling = freeFilling
	return r
}

// Read reads the JSON object that AppendEntity writes. The error is an *Error
// without a file and a line.
func (r *EntityReader) Read(object []byte) (*entity.Entity, error) {
	r.p.values.filling += fillingPerByte * len(object)
	p := borrow(object, 0)
	defer p.giveBack()
	raw, fault := p.dec.ReadValue()
	if fault != nil {
		return nil, syntaxError(fault, 0)
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	e, err := r.p.parse(piece{raw: raw})
	if err != nil {
		return nil, err
	}
	return e, nil
}
