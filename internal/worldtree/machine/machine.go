// Package machine says by which keys id_ranges knows this machine: the hardware addresses
// that it has for good, and where it has none a random key in the user's configuration.
//
// An address is lasting if it was given to a card by its maker and the card stays in the
// machine. One that a tunnel, a bridge or a container has is none, nor is one that was
// chosen at random or set by a program, nor that of a card on USB: a dock or an adapter
// goes from desk to desk, and whoever has it would have the last one's range.
package machine

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// Machine is where the facts about a machine lie.
type Machine struct {
	Sys    string // where sysfs is: /sys
	Config string // the user's directory of configuration; "" for os.UserConfigDir
}

// This is the machine that the process runs on, and the user that it runs for.
var This = Machine{Sys: "/sys"}

// Addresses returns the machine's lasting hardware addresses, in order, as in
// "bc:ae:c5:66:28:e9". There may be none.
func (m Machine) Addresses() (found []string) {
	dir := filepath.Join(m.Sys, "class", "net")
	cards, err := os.ReadDir(dir)
	if err != nil {
		return nil // as in a container
	}
	for _, card := range cards {
		if address, ok := lasting(filepath.Join(dir, card.Name())); ok {
			found = append(found, address)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// What sysfs says of a card.
const (
	ethernet  = "1" // type: ARPHRD_ETHER, which wireless ones have as well
	permanent = "0" // addr_assign_type: NET_ADDR_PERM
)

// lasting returns a card's address if it is a lasting one.
func lasting(card string) (string, bool) {
	device, err := filepath.EvalSymlinks(filepath.Join(card, "device"))
	if err != nil || isUSB(device) {
		return "", false
	}
	if value(card, "type") != ethernet || value(card, "addr_assign_type") != permanent {
		return "", false
	}
	address, err := net.ParseMAC(value(card, "address"))
	const local, group = 2, 1 // bits of the first byte: not a maker's; not one card's
	if err != nil || len(address) != 6 || address[0]&(local|group) != 0 || !slices.ContainsFunc(address, isNotZero) {
		return "", false
	}
	return address.String(), true
}

func isNotZero(b byte) bool { return b != 0 }

// isUSB reports whether a device hangs on a bus that people plug things into.
func isUSB(device string) bool {
	return slices.ContainsFunc(strings.Split(device, "/"), func(part string) bool { return strings.HasPrefix(part, "usb") })
}

func value(card, name string) string {
	data, err := disk.ReadFile(filepath.Join(card, name), 4<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// keyFile is where the random key is, in the user's configuration.
const keyFile = "worldfs/machine-key"

const keyPrefix = "key-" // which no hardware address begins with

// Keys returns all keys that are this machine's: its addresses, and the random key if it
// was ever given one. There may be none.
func (m Machine) Keys() []string {
	keys := m.Addresses()
	if path, err := m.keyPath(); err == nil {
		if key, err := readKey(path); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// NewKeys returns the keys that a range which the machine takes is to name: its addresses,
// or, where it has none, the random key, which is made if there is none yet. Keys has them
// from then on.
func (m Machine) NewKeys() ([]string, error) {
	if addresses := m.Addresses(); len(addresses) > 0 {
		return addresses, nil
	}
	path, err := m.keyPath()
	if err != nil {
		return nil, err
	}
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = makeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("this machine's key: %w", err)
	}
	return []string{key}, nil
}

func (m Machine) keyPath() (string, error) {
	dir := m.Config
	if dir == "" {
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return "", fmt.Errorf("this machine has no lasting hardware address, and there is no directory for a key in its place "+
				"(%w): set HOME or XDG_CONFIG_HOME, or choose a role (--role, WORLDFS_ROLE)", err)
		}
	}
	return filepath.Join(dir, filepath.FromSlash(keyFile)), nil
}

// readKey returns the key in a file; without one the error is an fs.ErrNotExist.
func readKey(path string) (string, error) {
	data, err := disk.ReadFile(path, 1<<10)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(data))
	digits, ok := strings.CutPrefix(key, keyPrefix)
	if _, err := hex.DecodeString(digits); err != nil || !ok || digits == "" {
		return "", fmt.Errorf("%s does not hold a key: remove it, and another is made", path)
	}
	return key, nil
}

// makeKey puts a new key at path, closed to others, unless another process was faster.
func makeKey(path string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	key := keyPrefix + hex.EncodeToString(random)
	d, temp := &disk.Disk{}, disk.Beside(path, "tmp")
	if err := d.WriteFile("key", temp, []byte(key+"\n"), 0o600); err != nil {
		return "", err
	}
	err := d.Link("key", temp, path)
	_ = os.Remove(temp) // harmless, if it stays
	if errors.Is(err, fs.ErrExist) {
		return readKey(path)
	}
	if err != nil {
		return "", err
	}
	return key, d.SyncDir("key", filepath.Dir(path))
}
