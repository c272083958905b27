#!/bin/sh
# Removes what install.sh installed. Configuration and state stay, unless --purge is given.
#
# With DESTDIR set, only the files there are removed.
set -eu

root=${DESTDIR-}
case "${1-}" in
    "" | --purge) ;;
    *) echo "usage: uninstall.sh [--purge]" >&2; exit 2 ;;
esac
[ -n "$root" ] || [ "$(id -u)" = 0 ] || { echo "uninstall.sh: must be run by root" >&2; exit 1; }

if [ -z "$root" ] && [ -d /run/systemd/system ]; then
    systemctl disable --now zhiju-words.path zhiju.service || true
fi
rm -f "$root/usr/bin/zhiju" "$root/usr/sbin/zhiju-store" "$root/usr/lib/systemd/system/zhiju.service" \
    "$root/usr/lib/systemd/system/zhiju-words.path" "$root/usr/lib/systemd/system/zhiju-words.service" \
    "$root/usr/lib/sysusers.d/zhiju.conf" "$root/usr/lib/tmpfiles.d/zhiju.conf"
rm -rf "$root/usr/share/zhiju" "$root/usr/share/doc/zhiju"
if [ "${1-}" = --purge ]; then
    # A folder that something is mounted on is emptied and stays.
    rm -rf "$root/var/lib/zhiju" "$root/var/lib/zhiju-words" "$root/etc/zhiju" || echo "uninstall.sh: not everything could be deleted" >&2
fi
if [ -z "$root" ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload
fi
