#!/bin/sh
# Turns a plain Debian into the image of a lab node. Runs once, inside the image.
set -eu

# Debian's corosync ships a configuration with a node called node1. While it exists, `pcs host auth`
# says Authorized and stores nothing.
rm -f /etc/corosync/corosync.conf
rm -f /var/lib/pcsd/known-hosts /var/lib/pcsd/pcsd.cookie /var/lib/pcsd/pcsd.crt /var/lib/pcsd/pcsd.key
rm -f /var/lib/pacemaker/cib/*

# The cluster starts when somebody has set one up, not by itself.
systemctl disable corosync pacemaker etcd
systemctl enable pcsd ssh

# Nothing below does anything useful in a node whose links and clock belong to the lab, and each of
# them makes the boot longer.
systemctl mask \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
    fstrim.timer logrotate.timer console-getty.service getty.target systemd-networkd.service \
    systemd-networkd.socket systemd-networkd-wait-online.service systemd-resolved.service \
    systemd-timesyncd.service systemd-firstboot.service systemd-udevd.service

# The journal outlives a power cut, so that it can be read afterwards.
mkdir -p /var/log/journal /etc/systemd/journald.conf.d
cat > /etc/systemd/journald.conf.d/lab.conf <<'CONF'
[Journal]
Storage=persistent
SystemMaxUse=128M
RateLimitIntervalSec=0
# A node's disk survives the power cut only as far as it was synced on real hardware; five minutes
# of lost journal would hide exactly the part that matters.
SyncIntervalSec=5s
CONF

# pcs identifies itself with this password. It is public on purpose: the lab has no way in from
# outside its namespaces.
echo 'hacluster:tandem-lab' | chpasswd
passwd --delete root

# Each node makes its own host key at its first boot.
rm -f /etc/ssh/ssh_host_*
mkdir -p /etc/systemd/system/ssh.service.d
cat > /etc/systemd/system/ssh.service.d/lab.conf <<'CONF'
[Service]
ExecStartPre=
ExecStartPre=-/usr/bin/ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/ssh_host_ed25519_key
ExecStartPre=/usr/sbin/sshd -t
CONF
cat > /etc/ssh/sshd_config.d/lab.conf <<'CONF'
HostKey /etc/ssh/ssh_host_ed25519_key
PermitRootLogin prohibit-password
UseDNS no
CONF

chmod 755 /usr/lib/tandem-lab/show-dmi
systemctl enable tandem-lab-dmi.service

# Ten idle workers of pcsd would take 400 MB of every node; more are started when they are needed.
cat >> /etc/default/pcsd <<'CONF'
PCSD_WORKER_COUNT=1
PCSD_MAX_WORKER_COUNT=10
CONF

# The per-node files come from the lab.
rm -f /etc/hostname /etc/machine-id /etc/hosts
: > /etc/machine-id
rm -rf /var/log/apt /var/log/dpkg.log

# Tells systemd that its caches are as new as /usr: else every first boot rebuilds them.
touch --reference=/usr /etc/.updated /var/.updated
