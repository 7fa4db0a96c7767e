#!/bin/sh
# Installs worldfs, its manual pages, completions, systemd unit and what editors know of
# entity_text below a directory. Usage: scripts/stage.sh PROGRAM DESTDIR PREFIX [TOOL]
# TOOL is the same program for this machine, where PROGRAM is for another.
set -eu
program=$1 dest=$2 prefix=$3 tool=${4:-$1}
cd "$(dirname "$0")/.."
share=$dest$prefix/share

zsh=$share/zsh/site-functions
[ "$prefix" != /usr ] || zsh=$share/zsh/vendor-completions # Debian's place for packages
vim=$share/vim/vimfiles
bash=$share/bash-completion/completions
fish=$share/fish/vendor_completions.d

install -D -m 755 "$program" "$dest$prefix/bin/worldfs"

install -d -m 755 "$share/man/man8" "$bash" "$zsh" "$fish"
"$tool" -q man "$share/man"
version=$("$tool" version | sed -n '1s/^worldfs //p')
date=$("$tool" version | sed -n 's/^of  *\([0-9-]*\) .*/\1/p')
sed "s/@VERSION@/$version/; s/@DATE@/$date/" contrib/mount.worldfs.8.in >"$share/man/man8/mount.worldfs.8"
"$tool" completion bash >"$bash/worldfs"
"$tool" completion zsh >"$zsh/_worldfs"
"$tool" completion fish >"$fish/worldfs.fish"

for part in ftdetect ftplugin syntax; do
	install -D -m 644 editors/vim/$part/entity_text.vim "$vim/$part/entity_text.vim"
done
# The extension is no program's to find: a person links it to where VS Code looks.
vscode=$share/worldfs/vscode
install -d -m 755 "$vscode/syntaxes"
install -m 644 editors/vscode/package.json editors/vscode/language-configuration.json editors/vscode/README.md "$vscode"
install -m 644 editors/vscode/syntaxes/* "$vscode/syntaxes"

unit=$dest$prefix/lib/systemd/system/worldfs@.service
install -d -m 755 "${unit%/*}"
sed "s#/usr/local/bin/#$prefix/bin/#" contrib/worldfs@.service >"$unit"
chmod 644 "$unit" "$share"/man/man?/*worldfs* "$bash/worldfs" "$zsh/_worldfs" "$fish/worldfs.fish"
