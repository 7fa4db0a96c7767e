package packfile

// ForgetTypes makes the next Parse read the declarations of types anew.
func ForgetTypes() { lastParsed.Store(nil) }
