#!/bin/sh
# Installs what worldfs and its tests need from the system, or says exactly how
# where it may not. Usage: scripts/setup.sh demo|test|arm64|bench
set -eu

# thrice runs a command until it succeeds: a mirror that fails once has often an answer in
# a moment.
thrice() { "$@" || { sleep 5; "$@"; } || { sleep 20; "$@"; }; }

what=${1:-demo}
commands="git fusermount3"
packages="git fuse3"
extensions= # of editors, of clang
if [ "$what" = test ]; then
	# Real tools that the tests use on a mount, a C compiler for the race detector,
	# and what the headers for engines are compiled, sanitized and fuzzed by.
	commands="$commands gcc vim rsync perl strace svn svnadmin patch python3 hg nano emacs gawk ed gpg inotifywait g++ clang clang++"
	packages="$packages gcc libc6-dev vim rsync perl strace subversion patch python3 mercurial nano emacs-nox gawk ed gpg gpg-agent inotify-tools vim-fugitive elpa-magit g++ clang libclang-rt-dev"
	# What is installed is tried: a package, shells' completions, manual pages.
	commands="$commands dpkg-deb zsh fish man mandoc lintian"
	packages="$packages dpkg zsh fish bash-completion man-db mandoc lintian"
	# The game in examples/, and a screen for it that is none.
	commands="$commands pkg-config Xvfb xdotool"
	packages="$packages pkg-config libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core xvfb xdotool"
	# Windows, and a compiler for what is missing in it.
	commands="$commands wine x86_64-w64-mingw32-gcc"
	packages="$packages wine wine64 gcc-mingw-w64-x86-64"
	extensions="fugitive magit libfuzzer bash-completion sdl"
	# Only where it is missing: packages of Node.js by others have npm in them, and
	# refuse the distribution's.
	if ! command -v npm >/dev/null 2>&1; then
		commands="$commands node npm"
		packages="$packages nodejs npm"
	fi
fi

if [ "$what" = arm64 ]; then
	commands="$commands qemu-aarch64"
	packages="$packages qemu-user" # its name with each distribution
fi

if [ "$what" = bench ]; then
	# The peers, the tools whose work is measured, and a compiler for the headers for engines.
	commands="$commands svn svnadmin rg perl zip fuse-zip archivemount gcc"
	packages="$packages subversion ripgrep perl zip fuse-zip archivemount gcc libc6-dev"
fi

missing=
for c in $commands; do
	command -v "$c" >/dev/null 2>&1 || missing="$missing $c"
done
for e in $extensions; do
	case $e in
	fugitive) vim -Nes -u NORC -c 'if !exists(":Git") | cquit | endif' -c 'qall!' </dev/null >/dev/null 2>&1 ;;
	magit) emacs --batch -q -l magit </dev/null >/dev/null 2>&1 ;;
	libfuzzer) echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -w -fsanitize=fuzzer,address -x c - -o /dev/null >/dev/null 2>&1 ;;
	sdl) pkg-config --exists sdl2 SDL2_ttf ;;
	bash-completion) [ -e /usr/share/bash-completion/bash_completion ] ;;
	esac || missing="$missing $e"
done

if [ -n "$missing" ]; then
	as_root=
	[ "$(id -u)" = 0 ] || as_root="sudo -n"
	if command -v apt-get >/dev/null 2>&1; then
		install="apt-get install -y --no-install-recommends $packages"
		refresh="apt-get update"
	elif command -v dnf >/dev/null 2>&1; then
		install="dnf install -y $(echo "$packages" | sed 's/libc6-dev/glibc-devel/; s/vim /vim-enhanced /; s/elpa-magit/emacs-magit/; s/g++/gcc-c++ libasan libubsan/; s/libclang-rt-dev/compiler-rt/; s/libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core xvfb/SDL2-devel SDL2_ttf-devel dejavu-sans-fonts xorg-x11-server-Xvfb/; s/wine wine64 gcc-mingw-w64-x86-64/wine-core mingw64-gcc/')"
		refresh=true
	elif command -v pacman >/dev/null 2>&1; then
		# There magit comes from emacs's own package archive.
		install="pacman -S --noconfirm --needed $(echo "$packages" | sed 's/libc6-dev//; s/python3/python/; s/emacs-nox/emacs/; s/elpa-magit//; s/g++//; s/libclang-rt-dev/compiler-rt/; s/pkg-config libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core xvfb/pkgconf sdl2 sdl2_ttf ttf-dejavu xorg-server-xvfb/; s/wine wine64 gcc-mingw-w64-x86-64/wine mingw-w64-gcc/')"
		refresh=true
	else
		echo "setup: these commands are missing:$missing. Install the packages that have them: $packages" >&2
		exit 3
	fi
	echo "setup: installing for$missing" >&2
	if ! { thrice $as_root $refresh && thrice $as_root env DEBIAN_FRONTEND=noninteractive $install; } >/tmp/worldfs-setup.$$ 2>&1; then
		tail -5 /tmp/worldfs-setup.$$ >&2
		rm -f /tmp/worldfs-setup.$$
		echo "setup: could not install. Run as root: $install" >&2
		exit 3
	fi
	rm -f /tmp/worldfs-setup.$$
fi

# What the tests use of Node.js: the library by which its programs watch files, and the
# reader of grammars that VS Code has.
for modules in test/testdata/chokidar editors/vscode; do
	modules=$(dirname "$0")/../$modules
	if [ "$what" = test ] && [ ! "$modules/node_modules/.package-lock.json" -nt "$modules/package-lock.json" ]; then
		echo "setup: installing for $modules" >&2
		if ! thrice npm ci --prefix "$modules" --no-audit --no-fund >/tmp/worldfs-setup.$$ 2>&1; then
			tail -5 /tmp/worldfs-setup.$$ >&2
			rm -f /tmp/worldfs-setup.$$
			echo "setup: could not install. Run: npm ci --prefix $modules" >&2
			exit 3
		fi
		rm -f /tmp/worldfs-setup.$$
	fi
done

if [ ! -e /dev/fuse ]; then
	echo "setup: there is no /dev/fuse. On a machine of your own: modprobe fuse (as root). In a container: start it with --device /dev/fuse --cap-add SYS_ADMIN." >&2
	exit 3
fi
