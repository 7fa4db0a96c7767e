// Package install tests what scripts/release.sh makes: that it is the same bytes wherever it
// is made, and that its Debian package, put on this system and taken off again in a mount
// namespace of the test's own, gives people a program that works, pages to read, and shells
// and vim that know it.
package install
