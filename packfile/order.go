package packfile

import (
	"sort"

	"github.com/worldfs/worldfs/entity"
)

// IDAt returns the ID of entity i in the order of IDs, 0 <= i < Len.
func (p *Pack) IDAt(i int) entity.ID { return p.idAt(i) }

// Search returns the place of the first entity whose ID is id or greater, Len
// if there is none.
func (p *Pack) Search(id entity.ID) int {
	return sort.Search(p.Len(), func(i int) bool { return p.idAt(i) >= id })
}
