package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// account is a user, as the machine knows its users: by /etc/passwd, LDAP or
// whatever else its name service (nsswitch.conf) asks. Only the C library can ask
// that, so its commands do: the program is linked without it, starts faster so, and
// runs on any Linux.
type account struct {
	uid, gid int
	groups   []int
	home     string
}

// lookupAccount finds a user by name or number.
func lookupAccount(name string) (*account, error) {
	if name == "" || strings.HasPrefix(name, "-") {
		return nil, fmt.Errorf("no user is called %q", name)
	}
	line, err := exec.Command("getent", "passwd", name).Output()
	if err != nil {
		return nil, fmt.Errorf("there is no such user (getent passwd %s: %w)", name, err)
	}
	fields := strings.Split(strings.TrimSpace(string(line)), ":")
	if len(fields) != 7 {
		return nil, fmt.Errorf("getent passwd %s says %q", name, line)
	}
	a := &account{home: fields[5]}
	ids, err := exec.Command("id", "-G", fields[0]).Output()
	if err != nil {
		return nil, fmt.Errorf("id -G %s: %w", fields[0], err)
	}
	if a.groups, err = numbers(strings.Fields(string(ids))); err != nil {
		return nil, err
	}
	own, err := numbers(fields[2:4])
	if err != nil {
		return nil, err
	}
	a.uid, a.gid = own[0], own[1]
	return a, nil
}

func numbers(words []string) ([]int, error) {
	out := make([]int, len(words))
	for i, w := range words {
		n, err := strconv.ParseUint(w, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("the number of a user or group: %w", err)
		}
		out[i] = int(n)
	}
	return out, nil
}

// become goes on as a user.
func (a *account) become() error {
	if os.Geteuid() == a.uid {
		return nil
	}
	if err := syscall.Setgroups(a.groups); err != nil {
		return err
	}
	if err := syscall.Setgid(a.gid); err != nil {
		return err
	}
	if err := syscall.Setuid(a.uid); err != nil {
		return err
	}
	return os.Setenv("HOME", a.home)
}
