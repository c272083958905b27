#!/bin/sh
# The package of the gateway's architecture, started from a root that holds nothing but it and what it says it depends
# on: a library that it needs and does not name is missing there.
#
#   deploy/tests/gateway.sh PACKAGE.deb FOLDER
#
# FOLDER keeps what was downloaded from Debian for the next time.
set -eu

deb=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "$0")/../.."
root=$folder/root
said=$folder/said

fail() {
    echo "gateway: $*" >&2
    [ ! -s "$said" ] || tail -n 20 "$said" >&2
    exit 1
}

# An apt that knows only this architecture, and nothing as installed.
mkdir -p "$folder/apt/state/lists/partial" "$folder/apt/cache/archives/partial"
: > "$folder/apt/status"
apt_() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$folder/apt/state" \
        -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User=root \
        -o Debug::NoLocking=yes "$@" > "$said" 2>&1 || fail "apt-get $*"
}
if [ ! -e "$folder/apt/updated" ]; then
    apt_ update
    touch "$folder/apt/updated"
fi
apt_ install -y --download-only --no-install-recommends "$deb"

rm -rf "$root"
mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/sbin"
# Debian's merged /usr, which its packages expect.
for name in bin lib sbin; do ln -s "usr/$name" "$root/$name"; done
for package in "$folder"/apt/cache/archives/*.deb "$deb"; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --no-same-owner
done

# On the oldest processor that gateways have; the emulator's default would hide instructions that it lacks. It looks for
# libraries in the root, not for everything: the model is named. `package.sh` sees that an installed one is found.
zhiju() {
    env -i ZHIJU_MODEL="$root/usr/share/zhiju/models/mini-zh" qemu-aarch64 -cpu cortex-a53 -L "$root" "$root/usr/bin/zhiju" "$@" 2> "$said"
}
zhiju --version || fail "zhiju --version"
zhiju check-config --config "$root/etc/zhiju/zhiju.yaml" > "$folder/summary" || fail "zhiju check-config"
grep -q "model *$root/usr/share/zhiju/models/mini-zh" "$folder/summary" || fail "the model is not found"
# The home's texts go through the model, so its kernels run.
zhiju ask --json --local 客厅 '关灯' > "$folder/frame" || fail "zhiju ask"
grep -q '"type":"instruct"' "$folder/frame" || fail "zhiju ask does not understand"
[ ! -s "$said" ] || fail "zhiju ask complains"
