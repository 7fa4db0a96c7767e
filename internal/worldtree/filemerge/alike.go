package filemerge

// Alike returns what comes of the base, ours and theirs, each named by its contents, where one
// side has the base's, or both have the same.
func Alike(objects [3]string) (object string, ok bool) {
	switch base, ours, theirs := objects[0], objects[1], objects[2]; {
	case ours == theirs, base == theirs:
		return ours, true
	case base == ours:
		return theirs, true
	}
	return "", false
}
