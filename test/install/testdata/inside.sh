# Puts the package on this system, uses it and takes it off. Whatever fails ends it.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd /
trap 'umount -l /srv/island/entities 2>/dev/null || true' EXIT
hash -r
! command -v worldfs || { echo "worldfs is on this system already"; exit 1; }

# man does without the index of all of the system's pages, which takes long to make.
rm -f /var/lib/man-db/auto-update
dpkg -i /tmp/worldfs.deb
dpkg --verify worldfs
[ "$(worldfs version | head -n 1)" = "worldfs 1.2.3-rc.1" ]
worldfs version --json | grep -q '"modified":false,"time":"2026-02-03T03:05:06Z"'
grep -q 'ExecStart=/usr/bin/worldfs ' /usr/lib/systemd/system/worldfs@.service

# Its pages.
export MANPAGER=cat MANWIDTH=80
man worldfs-show | grep -q 'show prints an entity'
man worldfs-expressions | grep -q 'targets\[0\]'
man mount.worldfs | grep -q 'mount -t worldfs'

# A mount, by mount(8).
worldfs -q demo --entities 60 /srv/island
file=/srv/island/entities/6001.entity_text
mount -t worldfs /srv/island /srv/island/entities
grep -q '/srv/island/entities fuse.worldfs' /proc/self/mounts
sed -i '0,/"bunker panel"/s//"a panel of the package"/' $file
while worldfs -C /srv/island status --json | grep -q '"warming":true'; do sleep 0.01; done

# What shells and vim make of it, mounted.
cd /srv/island
worldfs sync
bash --norc /tmp/scripts/complete.bash
zsh -f /tmp/scripts/complete.zsh
fish /tmp/scripts/complete.fish
vim -Nes -u NORC -i NONE -c 'filetype on | syntax on' -c "edit $file" \
	-c 'call writefile([&filetype, synIDattr(synID(3, 1, 1), "name")], "/tmp/vim")' -c 'qall!' </dev/null
[ "$(tr '\n' ' ' </tmp/vim)" = "entity_text entityTextID " ]
cd /
umount /srv/island/entities
while [ -e /srv/island/.worldfs/daemon.json ]; do sleep 0.01; done
worldfs -C /srv/island show 6001 | grep -q 'a panel of the package'

# Off again, and the world stays.
files=$(dpkg -L worldfs | while read -r f; do [ -d "$f" ] || echo "$f"; done)
[ "$(echo "$files" | wc -l)" -gt 60 ]
dpkg -r worldfs
for f in $files; do
	[ ! -e "$f" ] && [ ! -L "$f" ] || { echo "$f is left"; exit 1; }
done
[ -e /srv/island/world.pack ]
echo "all was tried"
