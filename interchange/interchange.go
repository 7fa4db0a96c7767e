// Package interchange reads and writes worlds as JSON lines: how any engine
// gets its world in and out without linking anything. Types come first, then
// entities; one object a line; UTF-8.
//
//	{"type":{"name":"Door","revision":72,"fields":[{"name":"position","kind":"vec3"}]}}
//	{"entity":{"id":6555,"type":"Door","revision":72,"fields":{"position":[46.10353,108.07968,8.694907]}}}
//
// Writing is canonical: one world, one text. Reading takes every spelling of a
// value that JSON allows, and checks everything: a line that is wrong is named
// (file, line, entity, field) and nothing is returned of the file. Every value
// comes back bit for bit.
//
// A line takes memory in proportion to its own length; lines are read on one
// core while the entities of those before are made on another.
package interchange
