// Package examples has programs that use worldfs as others would, and their tests. island is
// a small game in C (SDL2), made from the headers in engine/ alone.
package examples
