package worlddir

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// Settings are what a world.toml can say beside the world's ID. A command's
// flag counts before WORLDFS_* in the environment, and that before the file.
// Keys that are not ours may be some other version's: they stay, and are told (see namecheck).
type Settings struct {
	// Plain says whether entities/ holds plain files while the world is not
	// mounted; nil leaves it to where the directory lies (see WantsPlain).
	Plain *bool
	// KernelCache says whether the kernel remembers what it read through the
	// mount until it is told of a change; otherwise it asks again all the time,
	// and everything is slower.
	KernelCache bool
	// HaltPolling says whether the idle processors of a virtual machine look for
	// work instead of halting while programs use the mount. It holds for the whole
	// machine, so it is off unless it is asked for.
	HaltPolling bool
	// Warm is how many bytes of the kernel's memory a mount may fill with what
	// no process has asked for yet, so that the first reading is fast too; 0 is none.
	Warm int64
	// LogLevel is how much the daemon writes to its log.
	LogLevel slog.Level
	// Shape is how the world is mounted: "entities", "cover", or "" for whatever
	// suits the version control that it lies in (see Mounting).
	Shape string
	// Cover is the directory that a mount in the cover shape covers, from the
	// world directory; "" leaves it open.
	Cover string
	// Role is whose ID ranges are ours beside those of this machine's hardware
	// addresses: that of one process or machine. See role.go.
	Role string
	// SharedRole is the role that world.toml gives to all that have the world, "" for none.
	SharedRole string
	// Shard is where in entities/ the entities' files lie. It goes with the
	// tree, so neither the environment nor a flag changes it.
	Shard layout.Layout
	// Format is the least format of a world that this world needs, 1 if the
	// file does not say. It goes with the tree, as Shard does. See Format.
	Format int
	// HistoryDays is for how many days superseded texts are kept, HistorySize
	// how many bytes of them.
	HistoryDays int
	HistorySize int64
	// VCSAuto says whether git or svn is told by itself, while the world is mounted,
	// which entities were created and deleted.
	VCSAuto bool
	// Notify says whether a mount tells the person on their desktop that a text which was
	// saved cannot be read (see package desktop).
	Notify bool
	// Merge says what becomes of conflicts.
	Merge Merge
	// Ship says what ship builds are like. It goes with the tree, as Shard does.
	Ship Ship
}

// Ship are the settings of ship builds:
//
//	[ship]
//	ids = "dense"     # numbered from 1; keep: the editor's
//	by_type = true    # type by type
//	names = false     # without entities' names
type Ship struct {
	IDs          string // keep or dense; "" is keep
	ByType       bool
	WithoutNames bool
}

// Merge are the settings of merging:
//
//	[merge]
//	policy = "leave"
//	programs = ["Terrain"]  # whose changes give way where a declaration says yields
//	bulk = 0.25             # and those of more than this share of a type's entities
//
//	[[merge.rules]]
//	type = "Terrain"      # any type, if it is left out
//	field = "heights"     # the entity as a whole, if it is left out
//	policy = "shared"
type Merge struct {
	Policy   string      // leave, shared or mine; "" is leave
	Rules    []MergeRule // the first that fits counts
	Programs []string    // roles
	Bulk     float64     // 0 leaves it to merging
}

// MergeRule is a policy for a field of a type.
type MergeRule struct {
	Type, Field, Policy string
}

// policies are what a policy can be.
var policies = []string{"leave", "shared", "mine"}

const (
	keyID          = "id"
	keyPlain       = "plain"
	keyKernelCache = "kernel_cache"
	keyHaltPolling = "halt_polling"
	keyWarm        = "warm"
	keyLogLevel    = "log_level"
	keyRole        = "role"
	keyShape       = "shape"
	keyCover       = "cover"
	keyShard       = "shard"
	keyDays        = "history_days"
	keySize        = "history_size"
	keyMerge       = "merge"
	keyFormat      = "format"
	keyVCSAuto     = "vcs.auto"
	keyNotify      = "notify"
	keyShipIDs     = "ship.ids"
	keyShipByType  = "ship.by_type"
	keyShipNames   = "ship.names"
)

// Configure reads world.toml, the environment and the flags (which may be
// nil). A flag sets the setting of its name, with - for _.
func (d *Dir) Configure(flags *pflag.FlagSet) error {
	v := viper.New()
	v.SetConfigFile(d.ConfigPath())
	v.SetEnvPrefix("WORLDFS")
	for _, key := range []string{keyPlain, keyKernelCache, keyHaltPolling, keyWarm, keyLogLevel, keyShape, keyDays, keySize, keyNotify} {
		if err := bind(v, key, flags); err != nil {
			return fmt.Errorf("bind setting %s: %w", key, err)
		}
	}
	// The flag --cover is seen from elsewhere than the setting.
	if err := bind(v, keyCover, nil); err != nil {
		return fmt.Errorf("bind setting %s: %w", keyCover, err)
	}
	if err := v.BindEnv(keyVCSAuto, "WORLDFS_VCS_AUTO"); err != nil {
		return fmt.Errorf("bind setting %s: %w", keyVCSAuto, err)
	}
	if err := disk.CheckFile(d.ConfigPath()); err != nil {
		return d.configError(err)
	}
	if err := v.ReadInConfig(); err != nil {
		return d.configError(err)
	}
	err := d.apply(v)
	if err == nil {
		err = d.applyRole(v, flags)
	}
	if newer := d.CheckFormat(); err != nil && newer != nil {
		return newer // what this build cannot read may be right
	}
	return err
}

func bind(v *viper.Viper, key string, flags *pflag.FlagSet) error {
	if err := v.BindEnv(key); err != nil || flags == nil {
		return err
	}
	if f := flags.Lookup(strings.ReplaceAll(key, "_", "-")); f != nil {
		return v.BindPFlag(key, f)
	}
	return nil
}

// maxMarked is how large a file may be in which conflict markers are looked for.
const maxMarked = 1 << 20

// configError names the file and, where the parser knows it, the line.
func (d *Dir) configError(err error) error {
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, column := bad.Position()
		if data, _ := disk.ReadFile(d.ConfigPath(), maxMarked); strings.Contains("\n"+string(data), "\n<<<<<<< ") {
			return fmt.Errorf("%s:%d: a merge has left conflict markers in it: worldfs resolve merges the file", d.ConfigPath(), line)
		}
		return fmt.Errorf("%s:%d:%d: %s", d.ConfigPath(), line, column, bad.Error())
	}
	return fmt.Errorf("read %s: %w", d.ConfigPath(), err)
}

func (d *Dir) apply(v *viper.Viper) error {
	id, err := uuid.Parse(v.GetString(keyID))
	if err != nil {
		return d.badSetting(keyID, v.GetString(keyID), "the world's ID, such as 6fa459ea-ee8a-4ca4-894e-db77e160355e")
	}
	d.ID = entity.GUID(id)
	d.Settings = Settings{KernelCache: true, Warm: defaultWarm}
	if d.Settings.Format, err = parseFormat(v.GetString(keyFormat)); err != nil {
		return d.badSetting(keyFormat, v.GetString(keyFormat), "the number of a format, such as 2")
	}
	if v.IsSet(keyPlain) {
		d.Settings.Plain = new(bool)
		if err := d.applyBool(v, keyPlain, d.Settings.Plain); err != nil {
			return err
		}
	}
	if err := d.applyBool(v, keyKernelCache, &d.Settings.KernelCache); err != nil {
		return err
	}
	if err := d.applyBool(v, keyHaltPolling, &d.Settings.HaltPolling); err != nil {
		return err
	}
	if err := d.applyBool(v, keyVCSAuto, &d.Settings.VCSAuto); err != nil {
		return err
	}
	if err := d.applyBool(v, keyNotify, &d.Settings.Notify); err != nil {
		return err
	}
	if warm := v.GetString(keyWarm); warm != "" {
		if d.Settings.Warm, err = parseMemory(warm); err != nil {
			return d.badSetting(keyWarm, warm, "an amount of memory, such as 256MiB, 10% or 0")
		}
	}
	if level := v.GetString(keyLogLevel); level != "" {
		if err := d.Settings.LogLevel.UnmarshalText([]byte(level)); err != nil {
			return d.badSetting(keyLogLevel, level, "debug, info, warn or error")
		}
	}
	d.Settings.Shape, d.Settings.Cover = v.GetString(keyShape), v.GetString(keyCover)
	if s := d.Settings.Shape; s != "" && s != ShapeEntities && s != ShapeCover {
		return d.badSetting(keyShape, s, "entities or cover")
	}
	d.Settings.Shard = layout.None
	if shard := v.GetString(keyShard); shard != "" {
		if d.Settings.Shard, err = layout.Parse(shard); err != nil {
			return d.badSetting(keyShard, shard, "none, last-digit, tens or hundreds")
		}
	}
	if err := d.applyHistory(v); err != nil {
		return err
	}
	if err := d.applyShip(v); err != nil {
		return err
	}
	return d.applyMerge(v)
}

func (d *Dir) applyShip(v *viper.Viper) error {
	s := &d.Settings.Ship
	if s.IDs = v.GetString(keyShipIDs); s.IDs != "" && s.IDs != "keep" && s.IDs != "dense" {
		return d.badSetting(keyShipIDs, s.IDs, "keep or dense")
	}
	names := true
	if err := d.applyBool(v, keyShipNames, &names); err != nil {
		return err
	}
	s.WithoutNames = !names
	return d.applyBool(v, keyShipByType, &s.ByType)
}

// applyBool sets what a setting says, if it is set.
func (d *Dir) applyBool(v *viper.Viper, key string, to *bool) (err error) {
	if !v.IsSet(key) {
		return nil
	}
	if *to, err = strconv.ParseBool(v.GetString(key)); err != nil {
		return d.badSetting(key, v.GetString(key), "true or false")
	}
	return nil
}

func (d *Dir) applyMerge(v *viper.Viper) error {
	m := &d.Settings.Merge
	if err := v.UnmarshalKey(keyMerge, m); err != nil {
		return fmt.Errorf("%s: [merge]: %w", d.ConfigPath(), err)
	}
	if m.Policy != "" && !slices.Contains(policies, m.Policy) {
		return d.badSetting("merge.policy", m.Policy, "leave, shared or mine")
	}
	if m.Bulk < 0 || m.Bulk > 1 {
		return d.badSetting("merge.bulk", fmt.Sprint(m.Bulk), "a share of a type's entities, such as 0.25")
	}
	for _, r := range m.Rules {
		if !slices.Contains(policies, r.Policy) {
			return d.badSetting("merge.rules.policy", r.Policy, "leave, shared or mine")
		}
	}
	return nil
}

func (d *Dir) badSetting(key, value, want string) error {
	return fmt.Errorf("%s: %s = %q is not %s (the file says so, or WORLDFS_%s)",
		d.ConfigPath(), key, value, want, strings.ToUpper(strings.ReplaceAll(key, ".", "_")))
}

// WantsPlain reports whether entities/ holds plain files while the world is
// not mounted: as the setting says, else where the directory lies in a working
// copy, so that version control sees the same tree mounted or not.
func (d *Dir) WantsPlain() bool {
	if d.Settings.Plain != nil {
		return *d.Settings.Plain
	}
	return workingCopy(d.Root, ".git") != "" || workingCopy(d.Root, ".svn") != "" || workingCopy(d.Root, ".hg") != ""
}

// SettingNames are the names that a world.toml can have settings, and tables of settings, by.
var SettingNames = []string{
	keyID, keyFormat, keyPlain, keyKernelCache, keyHaltPolling, keyWarm, keyLogLevel, keyRole, keyShape, keyCover, keyShard,
	keyDays, keySize, keyNotify, "vcs", keyVCSAuto, keyMerge, "merge.policy", "merge.programs", "merge.bulk",
	"merge.rules", "merge.rules.type", "merge.rules.field", "merge.rules.policy",
	"ship", keyShipIDs, keyShipByType, keyShipNames,
}
