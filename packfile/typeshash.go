package packfile

import (
	"crypto/sha256"
	"fmt"
	"io"
)

// TypesHash returns the SHA-256 of what the pack declares: packs that declare the same types
// have the same.
func (p *Pack) TypesHash() [32]byte { return sha256.Sum256(p.bytes(secTypes)) }

// ReadTypesHash is TypesHash of the pack at path, of which it reads and checks only the
// beginning: the header, the section table and the declarations.
func ReadTypesHash(path string) (hash [32]byte, err error) {
	f, err := OpenQuietly(path)
	if err != nil {
		return hash, fmt.Errorf("read pack: %w", err)
	}
	defer f.Close()
	types, err := readTypes(f)
	if err != nil {
		return hash, fmt.Errorf("read pack %s: %w", path, err)
	}
	return sha256.Sum256(types), nil
}

// readTypes reads the section of types, which is the first.
func readTypes(r io.Reader) ([]byte, error) {
	head, err := readPart(nil, r, headerSize)
	if err != nil {
		return nil, err
	}
	if err := checkMagic(head); err != nil {
		return nil, err
	}
	n, err := sectionCount(head)
	if err != nil {
		return nil, err
	}
	if head, err = readPart(head, r, uint64(n)*sectionEntrySize); err != nil {
		return nil, err
	}
	if err := checkHeaderCRC(head); err != nil {
		return nil, err
	}
	start := roundUp(len(head), 8)
	if kind, at := le.Uint32(head[headerSize:]), le.Uint64(head[headerSize+8:]); kind != secTypes || at != uint64(start) {
		return nil, headerError(ErrCorrupt, headerSize, "section %s is out of order", sectionName(kind))
	}
	data, err := readPart(head, r, uint64(start-len(head))+le.Uint64(head[headerSize+16:]))
	if err != nil {
		return nil, err
	}
	_, types, err := readSection(data, headerSize, len(head))
	return data[types.off:types.end], err
}

// readPart reads n more bytes of what begins with data.
func readPart(data []byte, r io.Reader, n uint64) ([]byte, error) {
	part, err := io.ReadAll(io.LimitReader(r, int64(min(n, 1<<62))))
	if err == nil && uint64(len(part)) < n {
		err = headerError(ErrTruncated, int64(len(data)+len(part)), "%d bytes more are needed", n-uint64(len(part)))
	}
	return append(data, part...), err
}
