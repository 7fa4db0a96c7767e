package desktop

// RunFrom is Run that begins behind a position, so that a test knows where it begins.
var RunFrom = runFrom
