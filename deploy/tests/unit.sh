#!/bin/sh
# The unit as systemd reads it: without a mistake, and closed enough.
set -eu

# systemd's own measure, in tenths; what costs is the network, which the daemon is for.
MOST=18

cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# `verify` wants the program to be there; what it says of units of this machine is none of ours.
sed 's|^ExecStart=/usr/bin/zhiju|ExecStart=/bin/true|' systemd/zhiju.service > "$dir/zhiju.service"
mkdir "$dir/zhiju.service.d"
cp deploy/announce.conf "$dir/zhiju.service.d/"
cp systemd/zhiju-words.path systemd/zhiju-words.service "$dir/"
systemd-analyze verify --man=no --recursive-errors=no "$dir/zhiju.service" "$dir/zhiju-words.path" \
    "$dir/zhiju-words.service" > "$dir/said" 2>&1 || failed=yes
if [ -n "${failed-}" ] || grep -E 'zhiju(-words)?\.(service|path)|announce\.conf' "$dir/said"; then
    cat "$dir/said" >&2
    exit 1
fi
systemd-analyze security --no-pager --offline=true --threshold=$MOST systemd/zhiju.service > "$dir/said" || {
    grep -F '✗' "$dir/said" >&2
    tail -n 1 "$dir/said" >&2
    exit 1
}
tail -n 1 "$dir/said"

mkdir -p "$dir/root/usr/lib/sysusers.d" "$dir/root/usr/lib/tmpfiles.d" "$dir/root/etc"
cp systemd/zhiju.sysusers.conf "$dir/root/usr/lib/sysusers.d/zhiju.conf"
cp systemd/zhiju.tmpfiles.conf "$dir/root/usr/lib/tmpfiles.d/zhiju.conf"
systemd-sysusers --root="$dir/root" --dry-run zhiju.conf
