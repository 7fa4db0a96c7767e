# Runs inside.sh in a root of its own: this system, with all writes going to memory.
# Usage, in a mount namespace: outside.sh DIR SCRIPTS PACKAGE
work=$1
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" overlay "$work/root"
for dir in proc dev sys; do
	mount --rbind /$dir "$work/root/$dir"
done
mount -t tmpfs tmpfs "$work/root/tmp"
mkdir -p "$work/root/tmp/scripts" "$work/root/run/worldfs-test" "$work/root/root/home"
cp "$2"/* "$work/root/tmp/scripts"
cp "$3" "$work/root/tmp/worldfs.deb"
exec chroot "$work/root" env HOME=/root/home bash -eu /tmp/scripts/inside.sh
