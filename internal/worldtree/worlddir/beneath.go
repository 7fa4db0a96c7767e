package worlddir

import "strings"

// The names that a mount which covers the world directory has to know.
const (
	EntitiesName = entitiesName
	ConfigName   = configName
	RangesName   = rangesName
	PackName     = packName
	StateName    = stateName
	TypesName    = typesName
)

// Place returns where the directory is reached: its root, unless a mount covers
// that.
func (d *Dir) Place() string {
	if d.beneath != "" {
		return d.beneath
	}
	return d.Root
}

// Plainly returns what the path of something in the directory is called by
// people, wherever it occurs in a text.
func (d *Dir) Plainly(text string) string {
	if d.beneath == "" {
		return text
	}
	return strings.ReplaceAll(text, d.beneath+"/", d.Root+"/")
}
