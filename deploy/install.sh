#!/bin/sh
# Installs zhiju where there is no dpkg, or installs a newer version over it.
#
#   deploy/install.sh path/to/zhiju
#
# Enables and starts nothing; a service that runs is restarted. With DESTDIR set, only the files are laid out there.
set -eu

binary=$(realpath "${1:?usage: install.sh PATH_TO_THE_BINARY}")
root=${DESTDIR:+$(realpath -m "$DESTDIR")}
cd "$(dirname "$0")/.."
umask 022

[ -n "$root" ] || [ "$(id -u)" = 0 ] || { echo "install.sh: must be run by root" >&2; exit 1; }
# Before anything is touched: this also tells a binary of another architecture or for another C library.
[ -n "$root" ] || "$binary" --version || { echo "install.sh: $binary does not run on this machine" >&2; exit 1; }

# The version that wrote the home exports it. A store that cannot be exported must not keep a fix from being installed.
if [ -z "$root" ] && [ -x /usr/sbin/zhiju-store ]; then
    zhiju-store save >/dev/null || echo "install.sh: the home could not be exported before the upgrade" >&2
fi

# put MODE FILE TARGET: complete or not there at all, also while the daemon runs from it.
put() {
    mkdir -p "$(dirname "$root$3")"
    install -m "$1" "$2" "$root$3.new"
    mv -f "$root$3.new" "$root$3"
}

put 0755 "$binary" /usr/bin/zhiju
put 0755 "deploy/zhiju-store" /usr/sbin/zhiju-store
for file in models/mini-zh/*; do
    put 0644 "$file" "/usr/share/zhiju/models/mini-zh/${file##*/}"
done
for unit in zhiju.service zhiju-words.path zhiju-words.service; do
    put 0644 "systemd/$unit" "/usr/lib/systemd/system/$unit"
done
put 0644 "systemd/zhiju.sysusers.conf" /usr/lib/sysusers.d/zhiju.conf
put 0644 "systemd/zhiju.tmpfiles.conf" /usr/lib/tmpfiles.d/zhiju.conf
for file in LICENSE LICENSE-APACHE LICENSE-MIT README.md README.zh-CN.md docs/console.md docs/delivery.md docs/doors.md docs/hubs.md docs/hubs-home-assistant.md docs/hubs-mqtt.md docs/openapi.yaml docs/operations.md deploy/mosquitto/*; do
    put 0644 "$file" "/usr/share/doc/zhiju/${file#d*/}"
done
# The owner's configuration stays; what is new in the example lies beside it.
put 0644 "deploy/announce.conf" /usr/share/doc/zhiju/announce.conf
put 0644 "deploy/zhiju.example.yaml" /usr/share/doc/zhiju/zhiju.example.yaml
[ -e "$root/etc/zhiju/zhiju.yaml" ] || put 0644 "deploy/zhiju.example.yaml" /etc/zhiju/zhiju.yaml

[ -z "$root" ] || exit 0
if command -v systemd-sysusers >/dev/null; then
    systemd-sysusers zhiju.conf
    systemd-tmpfiles --create zhiju.conf
else
    echo "install.sh: there is no systemd: create the user zhiju, and /var/lib/zhiju (0700) for it" >&2
fi
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl try-restart zhiju.service ||
        echo "install.sh: the new version does not start: zhiju doctor, systemctl status zhiju" >&2
fi
echo "zhiju is installed: edit /etc/zhiju/zhiju.yaml, then: systemctl enable --now zhiju"
