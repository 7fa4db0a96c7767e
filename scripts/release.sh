#!/bin/sh
# Makes a release of what is committed: for each platform a static program, in an archive
# that unpacks into /usr/local and in a Debian package, and SHA256SUMS.
# Usage: scripts/release.sh VERSION [DIR]     DIR: where they go, else dist
#
# The same revision, version, Go release and Debian release give the same bytes, in
# whatever directory and by whom: file times are the revision's, owners are root, and
# nothing of this machine is in the programs.
set -eu
fail() {
	echo "release: $2" >&2
	exit "$1"
}

platforms="amd64 arm64" # of linux
version=${1-}
version=${version#v}
printf %s "$version" | tr '\n' ' ' | grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?' ||
	fail 2 "\"$version\" is no version such as 1.2.3 or 1.2.3-rc.1. Usage: scripts/release.sh VERSION [DIR]"
[ $# -le 2 ] || fail 2 "\"$3\" is one argument too many. Usage: scripts/release.sh VERSION [DIR]"
out=${2:-$(dirname "$0")/../dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."

[ -z "$(git status --porcelain)" ] || fail 1 "there are changes that are not committed: commit them, or git stash -u"
revision=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
maintainer=$(git log -1 --format='%cn <%ce>')

# What else could reach the bytes.
umask 022
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH
export CGO_ENABLED=0 GOOS=linux GOWORK=off GOFLAGS=-mod=readonly GOAMD64=v1 GOARM64=v8.0
unset GOEXPERIMENT GODEBUG TAR_OPTIONS GZIP XZ_OPT XZ_DEFAULTS DPKG_DEB_COMPRESSOR_TYPE DPKG_DEB_COMPRESSOR_LEVEL DPKG_DEB_THREADS_MAX 2>/dev/null || true

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# build ARCH: the program for it.
build() {
	GOARCH=$1 go build -trimpath -buildvcs=true \
		-ldflags "-s -w -buildid= -X github.com/worldfs/worldfs/cmd/worldfs/internal/about.release=$version" \
		-o "$work/worldfs-$1" ./cmd/worldfs
}

# copyright: whose the program is.
copyright() {
	echo "worldfs: https://github.com/worldfs/worldfs"
	echo
	echo "Copyright (C) $(date -d "@$SOURCE_DATE_EPOCH" +%Y) the authors of worldfs"
	cat LICENSE 2>/dev/null || echo "The source comes without a licence: ask them for one."
	echo
	echo "The program contains the Go runtime and modules of others: licences.txt beside this"
	echo "file has their licences."
}

# licences ARCH: the licences of all of others' that is in the program for it.
licences() (
	{
		echo "go $(go env GOVERSION) $(go env GOROOT)"
		GOARCH=$1 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/worldfs | grep . | sort -u
	} >"$work/modules"
	while read -r name number dir; do
		files=$(find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
		[ -n "$files" ] || fail 3 "$name $number comes without a licence"
		for file in $files; do
			printf -- '---- %s %s: %s\n\n' "$name" "$number" "$(basename "$file")"
			cat "$file"
			echo
		done
	done <"$work/modules"
)

# documents ARCH DIR: what a person reads first.
documents() {
	install -d -m 755 "$2/docs"
	copyright >"$2/copyright"
	licences "$1" >"$2/licences.txt"
	install -m 644 README.md "$2"
	install -m 644 docs/*.md docs/*.svg "$2/docs"
}

# still DIR: everything in it is as old as the revision.
still() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

# archive ARCH: what unpacks into /usr/local.
archive() {
	name=worldfs-$version-linux-$1
	scripts/stage.sh "$work/worldfs-$1" "$work/$name.tree" /usr/local "$tool"
	documents "$1" "$work/$name.tree/usr/local/share/doc/worldfs"
	mv "$work/$name.tree/usr/local" "$work/$name"
	still "$work/$name"
	tar -c -C "$work" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "$name" |
		gzip -n >"$work/out/$name.tar.gz"
}

# package ARCH: the Debian package.
package() {
	root=$work/deb-$1
	doc=$root/usr/share/doc/worldfs
	number=$(echo "$version" | sed 's/-/~/')
	scripts/stage.sh "$work/worldfs-$1" "$root" /usr "$tool"
	install -d -m 755 "$root/usr/sbin" "$root/DEBIAN" "$root/usr/share/lintian/overrides"
	ln -s ../bin/worldfs "$root/usr/sbin/mount.worldfs"
	documents "$1" "$doc"
	printf 'worldfs (%s) stable; urgency=medium\n\n  * Version %s, of revision %s.\n\n -- %s  %s\n' \
		"$number" "$version" "$revision" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
	gzip -9n "$root"/usr/share/man/man?/*
	# One file for any Debian, which needs no library.
	echo "statically-linked-binary [usr/bin/worldfs]" >"$root/usr/share/lintian/overrides/worldfs"
	cat >"$root/DEBIAN/control" <<CONTROL
Package: worldfs
Version: $number
Architecture: $1
Maintainer: $maintainer
Installed-Size: $(find "$root" -type f -printf '%s\n' | awk '{ n += int(($1 + 1023) / 1024) } END { print n }')
Depends: fuse3
Recommends: git
Suggests: subversion, vim, bash-completion
Section: devel
Priority: optional
Homepage: https://github.com/worldfs/worldfs
Description: game's world as one pack and as text files
 A game's world is thousands of entities in one binary pack, which the engine
 loads and which ships. worldfs mounts that pack so that every entity is a
 readable and writable text file with exact floats: git, svn and any editor
 work on one entity at a time.
CONTROL
	(cd "$root" && find usr -type f | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
	chmod 644 "$root"/DEBIAN/* "$doc"/changelog.gz "$root"/usr/share/lintian/overrides/*
	still "$root"
	dpkg-deb --root-owner-group --threads-max=1 -Zxz -z2 --build "$root" "$work/out/worldfs_${number}_$1.deb" >/dev/null
}

host=$(go env GOHOSTARCH)
tool=$work/worldfs-$host
mkdir "$work/out"
for arch in $(printf '%s\n' $host $platforms | sort -u); do
	build "$arch"
done
"$tool" version --json | grep -q "\"version\":\"$version\",\"revision\":\"$revision\",\"modified\":false" ||
	fail 3 "the program says that it is another: $("$tool" version --json)"
for arch in $platforms; do
	archive "$arch"
	package "$arch"
done
(cd "$work/out" && sha256sum *) >"$work/SHA256SUMS"

rm -f "$out/SHA256SUMS" # until the files that it is about are there
cp "$work"/out/* "$out"
cp "$work/SHA256SUMS" "$out"
sed "s#  #  $out/#" "$work/SHA256SUMS"
