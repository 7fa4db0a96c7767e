// Command gitshim is git.exe for tests under Wine, which has no git of its own: it has a
// server outside of Wine run git, and is its standard streams and exit status. See package
// windows_test for the server.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
)

// call is what git is called with.
type call struct {
	Dir       string
	Args, Env []string
}

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "git.exe:", err)
		code = 128
	}
	os.Exit(code)
}

func run() (int, error) {
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	conn, err := net.Dial("tcp", os.Getenv("GITSHIM"))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(call{dir, os.Args[1:], os.Environ()}); err != nil {
		return 0, err
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin) // git may end before all is read
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	for {
		var head struct{ Stream, Size uint32 } // stream 0: Size is the exit status
		if err := binary.Read(conn, binary.LittleEndian, &head); err != nil {
			return 0, err
		}
		if head.Stream == 0 {
			return int(head.Size), nil
		}
		if _, err := io.CopyN(map[uint32]io.Writer{1: os.Stdout, 2: os.Stderr}[head.Stream], conn, int64(head.Size)); err != nil {
			return 0, err
		}
	}
}
