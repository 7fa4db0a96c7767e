package gitobject

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ReadBlob reads what git cat-file --batch sends of the blob of an ID: "<object ID> blob
// <size>\n<data>\n". One of more than limit bytes, if limit is not 0, comes without its data.
func ReadBlob(in *bufio.Reader, id string, limit int64) (size int64, data []byte, err error) {
	head, err := in.ReadString('\n')
	if err != nil {
		return 0, nil, io.ErrUnexpectedEOF
	}
	words := strings.Fields(head)
	if len(words) == 2 && words[1] == "missing" {
		return 0, nil, fmt.Errorf("the repository lacks its contents (%s); git fsck tells more", id)
	}
	if len(words) != 3 || words[0] != id || words[1] != "blob" {
		return 0, nil, fmt.Errorf("git cat-file printed what cannot be read: %q", head)
	}
	size, err = strconv.ParseInt(words[2], 10, 63)
	if err != nil || size < 0 {
		return 0, nil, fmt.Errorf("git cat-file printed what cannot be read: %q", head)
	}
	if limit > 0 && size > limit {
		_, err = io.CopyN(io.Discard, in, size+1)
		return size, nil, unexpected(err)
	}
	data, err = readExactly(in, size)
	if err == nil {
		_, err = in.ReadByte()
	}
	return size, data, unexpected(err)
}

// readExactly reads size bytes; memory for a large file is taken as it comes.
func readExactly(in io.Reader, size int64) ([]byte, error) {
	const sure = 1 << 20
	if size <= sure {
		data := make([]byte, size)
		_, err := io.ReadFull(in, data)
		return data, err
	}
	var b bytes.Buffer
	_, err := io.CopyN(&b, in, size)
	return b.Bytes(), err
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
