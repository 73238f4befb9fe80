#!/bin/sh
# Runs a command inside an overlay: options of the overlay, its root, the command.
set -eu
options=$1
root=$2
shift 2
mount -t overlay -o "$options" overlay "$root"
mount -t proc proc "$root/proc"
chroot "$root" "$@"
rm -f "$root/usr/lib/tandem-lab/tandem.deb" "$root/usr/sbin/policy-rc.d"
umount "$root/proc" "$root"
