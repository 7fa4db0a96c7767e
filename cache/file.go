package cache

import (
	"time"

	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/table"
)

// MaxFileSize is the size in bytes beyond which an entity's file cannot grow.
const MaxFileSize = fileattr.MaxSize

// ErrTooLarge is what writing beyond MaxFileSize gives.
var ErrTooLarge = fileattr.ErrTooLarge

// Attr is what stat returns of a file.
type Attr = fileattr.Attr

// FileTime returns the time that a file's change gets, which was changed last at prev.
func FileTime(prev time.Time) time.Time { return fileattr.FileTime(prev) }

// Top stands for entities/ itself where a shard's number is asked for.
const Top = table.Top

// The files of entities, of which package table says more.
type (
	// File is an entity's text as a file.
	File = table.File
	// AttrChange says which attributes to change; nil stands still.
	AttrChange = table.AttrChange
	// Rendering is the bytes that a file had.
	Rendering = table.Rendering
	// Description is what is known of an entity's file.
	Description = table.Description
	// Invalidator is told of changes that did not come through its own files. No
	// lock is held during the call.
	Invalidator = table.Invalidator
	// Adopted is a scratch file that is to be an entity's.
	Adopted = table.Adopted
	// Stray is a scratch file that a killed daemon left in an entity's place.
	Stray = table.Stray
)
