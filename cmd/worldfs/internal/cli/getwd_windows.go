package cli

import "os"

// getwd returns the working directory.
func getwd() (string, error) { return os.Getwd() }
