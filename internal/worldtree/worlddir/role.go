package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// RoleVariable is the variable that gives a process a role.
const RoleVariable = "WORLDFS_ROLE"

// userConfigName is the file of the user's own settings, in the directory of
// configuration: those of a machine, for all worlds on it.
const userConfigName = "worldfs/config.toml"

// userConfig is what that file can say.
type userConfig struct {
	Role string `toml:"role"`
}

// applyRole finds out the role: what the flag says, else the environment, else the user's
// settings, else world.toml. That is the last to be asked, since under version control it says
// the same to everybody, and a role is one person's or program's.
func (d *Dir) applyRole(v *viper.Viper, flags *pflag.FlagSet) error {
	d.Settings.SharedRole = v.GetString(keyRole)
	d.Settings.Role = d.Settings.SharedRole
	if flags != nil {
		if f := flags.Lookup(keyRole); f != nil && f.Changed {
			d.Settings.Role = f.Value.String()
			return nil
		}
	}
	if role, set := os.LookupEnv(RoleVariable); set && role != "" {
		d.Settings.Role = role
		return nil
	}
	own, err := readUserConfig()
	if err == nil && own.Role != "" {
		d.Settings.Role = own.Role
	}
	return err
}

// readUserConfig reads the user's settings. A user who has none has no file of them, or no
// home for one.
func readUserConfig() (c userConfig, err error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return c, nil
	}
	path := filepath.Join(dir, filepath.FromSlash(userConfigName))
	data, err := disk.ReadFile(path, maxUserConfig)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return c, nil
	}
	if err == nil {
		err = toml.Unmarshal(data, &c)
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, column := bad.Position()
		return c, fmt.Errorf("%s:%d:%d: %s", path, line, column, bad.Error())
	}
	if err != nil {
		return c, fmt.Errorf("read your settings: %w", err)
	}
	return c, nil
}

const maxUserConfig = 1 << 20 // bytes
