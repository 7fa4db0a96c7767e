// Package idalloc hands out entities' IDs: to commands that make entities, and to engines.
//
// An ID is handed out once. It comes from a range of id_ranges that is this machine's, or
// the role's where there is one, and is none that an entity has, that anybody was given on
// this machine, or that version control or local history say was ever used. What was handed
// out is recorded per world, for all clones and processes of this user on the machine, and is
// durable before the caller has it: a process that is killed wastes IDs, and never has one
// given twice. The record is in the user's directory of state, XDG_STATE_HOME/worldfs/ids,
// a file for each world; a lock file beside it has one process at a time use it.
//
// Where the ranges are used up, or there is none, a further one is taken: a line is added to
// id_ranges, which others have to get before they take one, too. Two who take one at the
// same time, far from each other, can take the same: then the file has an overlap, which is
// nobody's (see package idrange), and is to be settled.
package idalloc
