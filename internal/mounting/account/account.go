// Package account finds the users of a machine, and has the process go on as one of them:
// mount(8) runs its helper as root.
package account

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// Account is a user, as the machine knows its users. The program is linked
// without the C library, so it reads /etc/passwd and /etc/group itself; a user that
// is not there is one of LDAP or another name service (nsswitch.conf), which only
// the C library's own programs, getent and id, can ask.
type Account struct {
	uid, gid int
	groups   []int
	home     string
}

// Lookup finds a user by name or number.
func Lookup(name string) (*Account, error) {
	if name == "" || strings.HasPrefix(name, "-") {
		return nil, fmt.Errorf("no user is called %q", name)
	}
	if a, err := local(name); err == nil {
		return a, nil
	}
	line, err := exec.Command("getent", "passwd", name).Output()
	if err != nil {
		return nil, fmt.Errorf("there is no such user (getent passwd %s: %w)", name, err)
	}
	fields := strings.Split(strings.TrimSpace(string(line)), ":")
	if len(fields) != 7 {
		return nil, fmt.Errorf("getent passwd %s says %q", name, line)
	}
	a := &Account{home: fields[5]}
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

// local finds a user of /etc/passwd by name or number. What groups of a name
// service it has, only id can tell; without that, those of /etc/group count.
func local(name string) (*Account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		if u, err = user.LookupId(name); err != nil {
			return nil, err
		}
	}
	own, err := numbers([]string{u.Uid, u.Gid})
	if err != nil {
		return nil, err
	}
	groups := []string{u.Gid}
	if ids, err := exec.Command("id", "-G", u.Username).Output(); err == nil {
		groups = strings.Fields(string(ids))
	} else if ids, err := u.GroupIds(); err == nil {
		groups = ids
	}
	a := &Account{uid: own[0], gid: own[1], home: u.HomeDir}
	a.groups, err = numbers(groups)
	return a, err
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

// Become has the process go on as a user.
func (a *Account) Become() error {
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
