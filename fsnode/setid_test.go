package fsnode_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsChangedByOthersRunsAsItsOwnerNoMore compares what is left of the
// set-user-ID and set-group-ID bits with a plain directory.
func TestWhatIsChangedByOthersRunsAsItsOwnerNoMore(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be others")
	}
	r := newRig(t, 1, anyone)
	plain := t.TempDir()
	for _, dir := range []string{r.dir.Root, plain} {
		for ; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			require.NoError(t, os.Chmod(dir, 0o755))
		}
	}
	nobody := &syscall.Credential{Uid: 65534, Gid: 65533}
	for _, name := range []string{"1.entity_text", "scratch"} {
		for _, mode := range []uint32{0o6777, 0o2767} {
			for _, as := range []*syscall.Credential{nil, nobody} {
				for _, how := range []string{"write", "truncate", "chown"} {
					paths := []string{filepath.Join(plain, name), r.path(name)}
					for _, path := range paths {
						require.NoError(t, os.WriteFile(path, []byte("text"), 0o666))
						require.NoError(t, os.Chown(path, 65534, 65533))
						require.NoError(t, syscall.Chmod(path, mode))
					}
					helper(t, as, "scribble", append([]string{how}, paths...)...)
					var modes []string
					for _, path := range paths {
						var st syscall.Stat_t
						require.NoError(t, syscall.Stat(path, &st))
						modes = append(modes, fmt.Sprintf("%o", st.Mode))
					}
					require.Equal(t, modes[0], modes[1], "%s, %o, %s as %v", name, mode, how, as)
				}
			}
		}
	}
}

// scribbleHelper changes files in one way.
func scribbleHelper(args []string) error {
	var errs []error
	for _, path := range args[1:] {
		errs = append(errs, scribble(args[0], path))
	}
	return errors.Join(errs...)
}

func scribble(how, path string) error {
	switch how {
	case "write":
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("x")
		return errors.Join(err, f.Close())
	case "truncate":
		return os.Truncate(path, 2)
	default:
		return os.Chown(path, -1, 65533)
	}
}
