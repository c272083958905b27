#!/bin/sh
# The life of the package in a Debian of its own: installed, used, upgraded while it runs, removed, purged.
#
#   deploy/tests/package.sh PACKAGE.deb ROOT
#
# ROOT is a Debian with systemd's package (deploy/package.mk makes one); the test works on a copy. systemd does not run
# there: `systemctl` is a stand-in that notes what it is asked, and says that the service runs when the test says so.
set -eu

# Mounts of its own, which end with it.
[ -n "${ZHIJU_TEST_UNSHARED-}" ] || ZHIJU_TEST_UNSHARED=yes exec unshare --mount "$0" "$@"

deb=$(realpath "$1")
base=$(realpath "$2")
cd "$(dirname "$0")/../.."
work=$(mktemp -d "$base.XXXXXX")
root=$work/root
trap 'umount "$root/var/lib/zhiju" 2> /dev/null || true; umount -q "$root/proc" || true; rm -rf --one-file-system "$work"' EXIT

fail() {
    echo "package: $*" >&2
    [ ! -e "$root/calls" ] || sed 's/^/  systemctl /' "$root/calls" >&2
    exit 1
}
inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}
dpkg_() {
    : > "$root/calls"
    inside dpkg --force-confold "$@" > "$root/dpkg.log" 2>&1 || { cat "$root/dpkg.log" >&2; fail "dpkg $*"; }
}
owner() { inside stat -c '%a %U:%G' "$1"; }

cp -a "$base" "$root"
mount -t proc proc "$root/proc"
mkdir -p "$root/run/systemd/system"
rm -f "$root/usr/sbin/policy-rc.d"
cat > "$root/usr/bin/systemctl" <<'END'
#!/bin/sh
echo "$*" >> /calls
case "$*" in
    *is-active*) [ -e /service-runs ] ;;
    *is-enabled* | *is-failed*) exit 1 ;;
    "stop zhiju.service") rm -f /service-runs; touch /service-waits ;;
    "start zhiju.service" | "--quiet --system restart zhiju.service") mv /service-waits /service-runs 2>/dev/null || touch /service-runs ;;
esac
END
chmod 755 "$root/usr/bin/systemctl"
# What the checkout ships and the package's own version, one higher, for the upgrade.
cp "$deb" "$root/zhiju.deb"
cp tests/homes/villa.json "$root/root/villa.json"
chmod 600 "$root/root/villa.json"
dpkg-deb -R "$deb" "$work/next"
sed -i 's/^Version: .*/Version: 99.0.0-1/' "$work/next/DEBIAN/control"
echo '# new in 99' >> "$work/next/etc/zhiju/zhiju.yaml"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$work/next" "$root/next.deb" > /dev/null

echo "installing starts and enables nothing"
dpkg_ -i /zhiju.deb
! grep -E 'start|enable' "$root/calls" || fail "the installation starts or enables something"
[ ! -e "$root/etc/systemd/system/multi-user.target.wants/zhiju.service" ] || fail "the service is enabled"
[ "$(owner /var/lib/zhiju)" = "700 zhiju:zhiju" ] || fail "whose state: $(owner /var/lib/zhiju)"
[ "$(owner /etc/zhiju)" = "750 root:zhiju" ] || fail "whose configuration: $(owner /etc/zhiju)"
inside dpkg-query -W -f='${Conffiles}' zhiju | grep -q '^ /etc/zhiju/zhiju.yaml ' || fail "the configuration is no conffile"
[ -z "$(inside dpkg --verify zhiju)" ] || fail "the files are not those of the package"
inside systemd-analyze verify --man=no zhiju.service zhiju-words.path 2>&1 | grep -E 'zhiju(-words)?\.(service|path)' &&
    fail "an installed unit"

echo "the program runs, finds its model, and keeps a home"
inside zhiju --version > /dev/null
inside su -s /bin/sh zhiju -c 'zhiju check-config' > "$work/said" || fail "the configuration that ships is refused"
grep -qx 'store *[/]var/lib/zhiju' "$work/said" || fail "the service's user looks for the store elsewhere"
inside zhiju ask --json --home /root/villa.json '打开书房吸顶灯' | grep -q '"type":"instruct"' || fail "it does not understand"
if inside zhiju-store export > /dev/null 2>&1; then fail "there is a home already"; fi
code=0
inside zhiju home import /root/villa.json > /dev/null 2> "$work/said" || code=$?
[ "$code" = 1 ] && grep -q 'zhiju-store' "$work/said" || fail "root writes into the daemon's state: exit $code"
inside zhiju-store import /root/villa.json > "$work/said" 2>&1 || { cat "$work/said"; fail "the import"; }
inside zhiju-store export > "$work/before.json"
inside su -s /bin/sh zhiju -c 'zhiju home export' | cmp - "$work/before.json" || fail "the service's user sees another home"
inside su -s /bin/sh zhiju -c 'zhiju doctor' > "$work/said" 2>&1 || true
grep -q '/var/lib/zhiju is whole, home of revision 1' "$work/said" || { cat "$work/said"; fail "doctor looks elsewhere"; }
[ "$(find "$root/var/lib/zhiju" -exec stat -c '%u' {} + | sort -u | wc -l)" = 1 ] || fail "not all of the state is the daemon's"
echo '# mine' >> "$root/etc/zhiju/zhiju.yaml"

echo "an upgrade exports the home and restarts the service that runs"
touch "$root/service-runs"
dpkg_ -i /next.deb
[ "$(grep -E '(stop|start|restart) zhiju' "$root/calls" | tr '\n' ,)" = \
    "stop zhiju.service,start zhiju.service,--quiet --system restart zhiju.service," ] || fail "restarts"
[ -e "$root/service-runs" ] || fail "the service does not run after the upgrade"
export=$(ls "$root"/var/lib/zhiju/exports/home-*.json)
cmp "$export" "$work/before.json" || fail "the export is not the home"
grep -qx '# mine' "$root/etc/zhiju/zhiju.yaml" || fail "the owner's configuration is gone"

echo "a service that does not run stays so"
rm "$root/service-runs"
dpkg_ -i /next.deb
! grep -E '(stop|start|restart) zhiju' "$root/calls" || fail "an upgrade starts a service that did not run"

echo "an import that is broken off starts the service again"
touch "$root/service-runs"
: > "$root/calls"
mkfifo "$work/root/home.fifo"
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin zhiju-store import /home.fifo 2> "$work/said" &
importing=$!
until grep -q 'stop zhiju' "$root/calls"; do kill -0 $importing; sleep 0.1; done
kill -TERM $importing
# It is read from until here.
timeout 10 sh -c ': > "$1"' sh "$root/home.fifo" || true
code=0
wait $importing || code=$?
[ "$code" = 130 ] || fail "a broken-off import: exit $code"
[ -e "$root/service-runs" ] || fail "a broken-off import leaves the service stopped"
! ls "$root"/var/lib/zhiju/import.* > /dev/null 2>&1 || fail "a broken-off import leaves its copy"
rm "$root/service-runs"

echo "a store elsewhere is exported from there; a configuration that is wrong is told of"
cp "$root/etc/zhiju/zhiju.yaml" "$work/zhiju.yaml"
inside install -d -o zhiju -g zhiju -m 0700 "/srv/its store"
echo 'store: {dir: "/srv/its store"}' > "$root/etc/zhiju/zhiju.yaml"
dpkg_ -i /next.deb
grep -q 'no home in /srv/its store: nothing is exported' "$root/dpkg.log" || fail "nothing says that nothing is exported"
inside zhiju-store import /root/villa.json > /dev/null
dpkg_ -i /next.deb
cmp "$root/srv/its store"/exports/home-*.json "$work/before.json" || fail "a store elsewhere is not exported"
inside zhiju-store export | cmp - "$work/before.json" || fail "a store elsewhere cannot be exported"
echo 'mqtt: {port: 0}' > "$root/etc/zhiju/zhiju.yaml"
inside zhiju-store export 2> "$work/said" | cmp - "$work/before.json" || fail "a wrong configuration keeps the home from being exported"
grep -q 'zhiju.yaml cannot be used' "$work/said" || fail "nothing says where the store is looked for"
cp "$work/zhiju.yaml" "$root/etc/zhiju/zhiju.yaml"

echo "an export restores the home; a store of a newer version is left alone"
rm -rf "$root/var/lib/zhiju/database" "$root"/var/lib/zhiju/*.json
inside zhiju-store import "${export#"$root"}" > /dev/null
inside zhiju-store export | cmp - "$work/before.json" || fail "the home is not restored"
sed -i 's/"schema":[0-9]*/"schema":99/' "$root/var/lib/zhiju/sentinel.json"
inside su -s /bin/sh zhiju -c 'zhiju run --store /var/lib/zhiju' 2> "$work/said" && fail "it runs on a newer store"
code=0
inside su -s /bin/sh zhiju -c 'zhiju run --store /var/lib/zhiju' 2> "$work/said" || code=$?
[ "$code" = 78 ] || fail "a newer store: exit $code"
dpkg_ -i /zhiju.deb || fail "a downgrade over a newer store"

echo "removing keeps configuration and state"
touch "$root/service-runs"
dpkg_ -r zhiju
grep -q 'stop zhiju.service' "$root/calls" || fail "the service still runs without its program"
[ -e "$root/var/lib/zhiju/registry.json" ] && grep -qx '# mine' "$root/etc/zhiju/zhiju.yaml" || fail "something is lost"
[ ! -e "$root/usr/bin/zhiju" ] && [ ! -e "$root/usr/share/zhiju" ] || fail "something is left of the program"
dpkg_ -i /zhiju.deb
grep -qx '# mine' "$root/etc/zhiju/zhiju.yaml" || fail "the configuration does not survive a new installation"

echo "purging deletes both"
echo secret > "$root/etc/zhiju/mqtt-password"
dpkg_ -P zhiju
[ ! -e "$root/var/lib/zhiju" ] && [ ! -e "$root/etc/zhiju" ] || fail "something is left"

echo "purging goes on where the state is mounted"
dpkg_ -i /zhiju.deb
mount -t tmpfs zhiju "$root/var/lib/zhiju"
touch "$root/var/lib/zhiju/registry.json"
dpkg_ -P zhiju
grep -q 'not everything could be deleted' "$root/dpkg.log" || fail "nothing says that something is left"
if inside dpkg-query -W zhiju > /dev/null 2>&1; then fail "the package is still there"; fi
[ -z "$(ls -A "$root/var/lib/zhiju")" ] || fail "the mounted state is not emptied"
umount "$root/var/lib/zhiju"
rmdir "$root/var/lib/zhiju"

echo "the scripts for systems without dpkg do the same"
for path in deploy models/mini-zh systemd LICENSE LICENSE-APACHE LICENSE-MIT README.md README.zh-CN.md docs; do
    mkdir -p "$root/src/$(dirname $path)"
    cp -a "$path" "$root/src/$path"
done
dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/bin/zhiju > "$root/src/zhiju"
chmod 755 "$root/src/zhiju"
rm -f "$root"/service-*
: > "$root/calls"
inside /src/deploy/install.sh /src/zhiju > /dev/null
! grep -E '^(start|enable|restart)' "$root/calls" || fail "install.sh starts or enables something"
# What both install is the same, but for the papers that dpkg wants.
(cd "$work/next" && find usr/bin usr/sbin usr/lib usr/share/zhiju etc -type f) | while read -r file; do
    [ "$file" = etc/zhiju/zhiju.yaml ] || cmp "$work/next/$file" "$root/$file" || fail "install.sh: $file"
done
inside zhiju-store import /root/villa.json > /dev/null
echo '# mine' >> "$root/etc/zhiju/zhiju.yaml"
touch "$root/service-runs"
inside /src/deploy/install.sh /src/zhiju > /dev/null
grep -q 'try-restart zhiju.service' "$root/calls" || fail "install.sh does not restart"
ls "$root"/var/lib/zhiju/exports/home-*.json > /dev/null || fail "install.sh exports nothing"
grep -qx '# mine' "$root/etc/zhiju/zhiju.yaml" || fail "install.sh overwrites the configuration"
inside /src/deploy/uninstall.sh
[ ! -e "$root/usr/bin/zhiju" ] && [ ! -e "$root/usr/share/zhiju" ] || fail "uninstall.sh leaves the program"
[ -e "$root/var/lib/zhiju/registry.json" ] && [ -e "$root/etc/zhiju/zhiju.yaml" ] || fail "uninstall.sh loses something"
inside /src/deploy/uninstall.sh --purge
[ ! -e "$root/var/lib/zhiju" ] && [ ! -e "$root/etc/zhiju" ] || fail "uninstall.sh --purge leaves something"
