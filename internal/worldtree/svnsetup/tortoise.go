package svnsetup

import "strings"

// tortoise are the settings of TortoiseSVN's merge tool for files of entities, as a file for
// Windows' registry. TortoiseSVN puts quotes around the paths that it puts in for %base and
// the others. The program is in WSL, since Windows has none.
const tortoise = `Windows Registry Editor Version 5.00

; TortoiseSVN, Settings, Merge Tool, Advanced: .entity_text
[HKEY_CURRENT_USER\Software\TortoiseSVN\MergeTools]
".entity_text"="wsl.exe -e worldfs vcs merge-tool %base %theirs %mine %merged"
`

// TortoiseSettings returns them with Windows' ends of lines.
func TortoiseSettings() string { return strings.ReplaceAll(tortoise, "\n", "\r\n") }
