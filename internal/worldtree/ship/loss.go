package ship

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/greatloss"
)

// Lost returns how many entities a build had, and how many of them a later one has not.
func Lost(last, now *Map) (had, gone int) {
	live := make(map[entity.ID]bool, len(now.Entries))
	for _, in := range now.Entries {
		live[in.ID] = live[in.ID] || !in.Gone
	}
	for _, in := range last.Entries {
		if in.Gone {
			continue
		}
		had++
		if !live[in.ID] {
			gone++
		}
	}
	return had, gone
}

// IsGreatLoss reports whether so much is gone that a person has to say that it is meant.
func IsGreatLoss(last, now *Map) bool { return greatloss.Is(Lost(last, now)) }
