package worlddir

import (
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/spf13/viper"
)

// What is kept of superseded texts where nothing else is said.
const (
	defaultHistoryDays = 14
	defaultHistorySize = 256 << 20
)

func (d *Dir) applyHistory(v *viper.Viper) error {
	d.Settings.HistoryDays, d.Settings.HistorySize = defaultHistoryDays, defaultHistorySize
	if text := v.GetString(keyDays); text != "" {
		const most = 100 * 365
		days, err := strconv.Atoi(text)
		if err != nil || days < 1 || days > most {
			return d.badSetting(keyDays, text, "a number of days from 1 on")
		}
		d.Settings.HistoryDays = days
	}
	if text := v.GetString(keySize); text != "" {
		const least, most = 1 << 20, 1 << 40
		size, err := humanize.ParseBytes(text)
		if err != nil || size < least || size > most {
			return d.badSetting(keySize, text, "a size from 1 MiB to 1 TiB, such as 256 MiB")
		}
		d.Settings.HistorySize = int64(size)
	}
	return nil
}
