package filemerge

import (
	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Settings are the files beside the types and the entities, and how they merge.
var Settings = map[string]func(base, ours, theirs []byte) (merged []byte, clashes []string){
	worlddir.ConfigName: textmerge.TOML,
	worlddir.RangesName: textmerge.Lines,
}
