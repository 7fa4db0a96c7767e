package svnsetup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// tortoise are the settings of TortoiseSVN for files of entities, as a file for Windows'
// registry. TortoiseSVN puts quotes around what it puts in for %base and the others. worldfs
// runs in WSL, since there is none for Windows.
const tortoise = `Windows Registry Editor Version 5.00

; TortoiseSVN, Settings, Diff Viewer, Advanced: .entity_text
[HKEY_CURRENT_USER\Software\TortoiseSVN\DiffTools]
".entity_text"="wsl.exe -e worldfs vcs diff-tool %base %mine %bname %yname"

; TortoiseSVN, Settings, Merge Tool, Advanced: .entity_text
[HKEY_CURRENT_USER\Software\TortoiseSVN\MergeTools]
".entity_text"="wsl.exe -e worldfs vcs merge-tool %base %theirs %mine %merged"
`

// TortoiseSettings returns them with Windows' ends of lines.
func TortoiseSettings() string { return strings.ReplaceAll(tortoise, "\n", "\r\n") }

// FromWindows returns a path as this system has it: in WSL, programs of Windows, as
// TortoiseSVN is, name files as C:\game\entities\6555.entity_text.
func FromWindows(path string) (string, error) {
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	if !drive && !strings.HasPrefix(path, `\\`) {
		return path, nil
	}
	return wslPath("-u", path)
}

func wslPath(how, path string) (string, error) {
	out, err := exec.Command("wslpath", how, path).Output()
	if err != nil {
		return "", fmt.Errorf("wslpath %s %s, which says what Windows calls a file, or what it is here: %w", how, path, err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// viewer shows two texts. It is in Windows' PATH, and so in that of WSL.
const viewer = "TortoiseMerge.exe"

// ShowDiff has TortoiseMerge show two texts, by their names, until the person closes it.
func ShowDiff(base, mine []byte, names [2]string) (err error) {
	program, err := exec.LookPath(viewer)
	if err != nil {
		return fmt.Errorf("%w: it is where TortoiseSVN is installed, and WSL finds it by Windows' PATH", err)
	}
	dir, err := os.MkdirTemp("", "worldfs-diff-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, disk.RemoveAll(dir)) }()
	args := []string{"/readonly"}
	for i, text := range [][]byte{base, mine} {
		side := [2]string{"base", "mine"}[i]
		path := filepath.Join(dir, side+".txt")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
		if path, err = wslPath("-w", path); err != nil {
			return err
		}
		args = append(args, "/"+side+":"+path, "/"+side+"name:"+names[i])
	}
	return exec.Command(program, args...).Run()
}
