package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// readPlain forgets what was known of the plain files where a part of it is lost: a file
// without a stamp would pass for a new one, and bring back what was deleted since. What the
// pack has that they were last written from stands for it: what still says the same was not
// edited. All are read again.
func (v *salvage) readPlain(dir *worlddir.Dir) {
	lost := false
	for _, name := range v.lacking() {
		lost = lost || bytes.Equal(name, bucketStamps) || bytes.Equal(name, bucketTexts)
	}
	if !lost {
		return
	}
	clear(v.values[string(bucketTexts)])
	v.values[string(bucketStamps)] = stampsOf(v.commonPack(dir))
	delete(v.values[string(bucketMeta)], string(keyPlain))
}

// commonPack returns the pack that the plain files were last written from, nil if it is not
// known or not whole.
func (v *salvage) commonPack(dir *worlddir.Dir) *packfile.Pack {
	hash := v.values[string(bucketBases)][string(baseKey(BaseCommon))]
	for _, path := range []string{dir.PackPath(), filepath.Join(dir.PacksPath(), hex.EncodeToString(hash))} {
		p, err := packfile.ReadFile(path)
		if err != nil {
			continue
		}
		if is := p.Hash(); bytes.Equal(is[:], hash) && p.Check() == nil {
			return p
		}
	}
	return nil
}

// stampsOf returns stamps of files that hold what a pack has, and that are to be read.
func stampsOf(p *packfile.Pack) map[string][]byte {
	values := make(map[string][]byte)
	if p == nil {
		return values
	}
	var text []byte
	for id := range p.IDs() { // in order, as the stamps are in a value
		if e, ok := p.Get(id); ok {
			text = textcodec.Append(text[:0], e)
			key := string(stampsKey(id))
			values[key] = Stamp{Hash: sha256.Sum256(text), Base: BaseCommon}.append(binary.LittleEndian.AppendUint32(values[key], uint32(id)))
		}
	}
	return values
}
