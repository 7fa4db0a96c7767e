package packfile

// ForgetTypes makes the next Parse read the declarations of types anew.
func ForgetTypes() { lastParsed.Store(nil) }

// Patch is what EncodeChanges does where all stays in its place.
var Patch = patch
