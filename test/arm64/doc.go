// Package arm64 has the tests of worldfs as it is for arm64, which qemu-aarch64 runs: what it
// makes is what the program for amd64 makes, byte for byte. On a machine that is arm64 itself
// the program for amd64 is the other.
package arm64
