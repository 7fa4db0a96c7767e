package worlddir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// defaultWarm is enough for 50,000 entities of the usual size.
const defaultWarm = 256 << 20

// parseMemory reads an amount of memory: 256MiB, or 10% of what the machine has.
func parseMemory(text string) (int64, error) {
	if share, ok := strings.CutSuffix(text, "%"); ok {
		return shareOfMemory(share)
	}
	n, err := humanize.ParseBytes(text)
	if err != nil {
		return 0, err
	}
	if n > math.MaxInt64 {
		return 0, fmt.Errorf("%s is too much", text)
	}
	return int64(n), nil
}

func shareOfMemory(percent string) (int64, error) {
	share, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
	if err != nil {
		return 0, err
	}
	if !(share >= 0 && share <= 100) {
		return 0, fmt.Errorf("%v%% is not between 0 and 100%%", share)
	}
	total, err := totalMemory()
	if err != nil {
		return 0, fmt.Errorf("how much memory there is: %w", err)
	}
	return int64(float64(total) * share / 100), nil
}
