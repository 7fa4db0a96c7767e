// Package windows has the tests of worldfs.exe, the program as it is on Windows, which Wine
// runs. git is the one of this system: see gitshim.
package windows
