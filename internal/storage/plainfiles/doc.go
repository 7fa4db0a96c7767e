// Package plainfiles reads and writes the plain files of entities: the directory that
// version control sees while a world is not mounted. It knows files, stamps and
// layouts, and neither a world nor how texts merge.
//
// ScanDir finds the files of a directory that may have changed since their stamps were
// taken, and reads those alone. A Writer writes the files that are not as they should
// be: staged beside, made durable, given the time and the mode of their entity's file,
// and then renamed into place, many at a time.
//
// # Invariants
//
// Tests cite these by number.
//
//  1. A file whose stamp says that it stands as it was is neither read nor written.
//  2. A file has its name only when its bytes are durable: no torn one is ever seen,
//     which would be taken in later as an edit.
//  3. A file that changed since its stamp was taken is never overwritten or removed in
//     the world's own directory (Writer.Shared): it is skipped, and taken in later.
//  4. No symlink is followed, neither to read nor to write.
//  5. Nothing changes before Writer.First has returned nil.
//
// ScanDir and Writer start one goroutine for each processor, and a Writer one more that
// gives names; all have ended when the function that began them, or RemoveGone's caller
// by WriteAll or WriteThese, returns.
package plainfiles
