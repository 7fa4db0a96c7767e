// Package engine holds what engines written in C and C++ use: headers that read
// and write world packs and speak the control socket. There is no Go in it but
// its tests, which hold the headers against package packfile. See
// docs/engine.md.
package engine
