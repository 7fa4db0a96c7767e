package mount

import (
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/internal/mounting/account"
)

// becomeUser goes on as the user of the option setuid, whose world it is.
func (c mountCall) becomeUser() error {
	for _, option := range c.options {
		name, ok := strings.CutPrefix(option, "setuid=")
		if !ok {
			continue
		}
		a, err := account.Lookup(name)
		if err == nil {
			err = a.Become()
		}
		if err != nil {
			return fmt.Errorf("setuid=%s: %w", name, err)
		}
	}
	return nil
}
