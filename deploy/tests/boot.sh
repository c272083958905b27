#!/bin/sh
# The service under a systemd of its own, in a container: what docs/operations.md says is done, step by step, with the
# broker that ships, and the unit proves itself with all its walls up.
#
#   deploy/tests/boot.sh PACKAGE.deb ROOT
#
# ROOT is a Debian with the packages of systemd and Mosquitto; the test works on a copy.
set -eu

deb=$(realpath "$1")
base=$(realpath "$2")
cd "$(dirname "$0")/../.."
work=$(mktemp -d "$base.XXXXXX")
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT

cp -a "$base" "$root"
cp "$deb" "$root/zhiju.deb"
cp tests/homes/villa.json "$root/root/home.json"
dpkg-deb -R "$deb" "$work/next"
sed -i 's/^Version: .*/Version: 99.0.0-1/' "$work/next/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$work/next" "$root/next.deb" > /dev/null
printf '#!/bin/sh\nexit 78\n' > "$work/next/usr/bin/zhiju"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$work/next" "$root/refuses.deb" > /dev/null

cat > "$root/etc/systemd/system/steps.service" <<'END'
[Service]
Type=oneshot
ExecStart=/bin/bash -eu /steps
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=file:/steps.log
StandardError=inherit
TimeoutStartSec=240
[Install]
WantedBy=multi-user.target
END
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../steps.service "$root/etc/systemd/system/multi-user.target.wants/"
cat > "$root/steps" <<'END'
trap 'journalctl --no-pager -u zhiju -u mosquitto | tail -n 40' EXIT
exec 2>&1
# hear USER TOPIC: the next message there, or what is retained.
hear() { mosquitto_sub -h 127.0.0.1 -u "$1" -P "$1" -C 1 -W 60 -t "zhiju/home/$2"; }
say() { mosquitto_pub -h 127.0.0.1 -u "$1" -P "$1" -q 1 -t "zhiju/home/$2" "${@:3}"; }
of() { systemctl show zhiju.service -P "$1"; }
# until_ COMMAND…: waits for it to succeed.
until_() { for _ in $(seq 600); do ! "$@" > /dev/null || return 0; sleep 0.1; done; echo "never: $*"; return 1; }

echo "# the package"
dpkg -i /zhiju.deb
[ "$(of ActiveState)" = inactive ]

echo "# the broker"
cd /usr/share/doc/zhiju/mosquitto
install -m 0640 -g mosquitto zhiju.acl /etc/mosquitto/zhiju.acl
touch /etc/mosquitto/passwd
for user in zhiju hub kitchen; do mosquitto_passwd -b /etc/mosquitto/passwd $user $user; done
chown root:mosquitto /etc/mosquitto/passwd
chmod 0640 /etc/mosquitto/passwd
install -m 0644 zhiju.conf /etc/mosquitto/conf.d/zhiju.conf
systemctl restart mosquitto

echo "# the daemon, its password a credential that its own user cannot read"
printf 'mqtt: {username: zhiju, password_file: mqtt-password}\n' > /etc/zhiju/zhiju.yaml
install -m 0600 /dev/null /etc/zhiju/mqtt-password
echo zhiju > /etc/zhiju/mqtt-password
mkdir -p /etc/systemd/system/zhiju.service.d
printf '[Service]\nLoadCredential=mqtt-password:/etc/zhiju/mqtt-password\n' > /etc/systemd/system/zhiju.service.d/override.conf
systemctl daemon-reload
systemctl enable --now zhiju
[ "$(of ActiveState)" = active ]
online() { hear hub status | grep -q '"state":"online"'; }
until_ online

echo "# a home and an utterance"
say hub registry -r -f /root/home.json
loaded() { hear hub registry/report | grep -q '"devices":107'; }
until_ loaded
hear hub instruct/+ > /instruct &
hearing=$!
spoken() { say kitchen utterance/kitchen -m '打开书房吸顶灯'; sleep 0.5; [ -s /instruct ]; }
until_ spoken
wait $hearing
grep -q '"power":true' /instruct

echo "# doctor with the service's password, as its user and as root"
systemd-run --quiet --pipe --wait --collect -p User=zhiju -p LoadCredential=mqtt-password:/etc/zhiju/mqtt-password \
    zhiju doctor > /doctor
grep '^ok.*/var/lib/zhiju is in use by a running daemon' /doctor
zhiju doctor > /doctor
grep '^ok.*broker messages' /doctor

echo "# an upgrade of the running service"
before=$(of MainPID)
dpkg -i /next.deb
[ "$(of ActiveState)" = active ]
[ "$(of MainPID)" != "$before" ]
ls /var/lib/zhiju/exports/home-*.json
until_ online

echo "# an upgrade to a version that refuses the configuration is installed all the same"
dpkg -i /refuses.deb
dpkg-query -W -f='${Status}' zhiju | grep -x 'install ok installed'
[ "$(of ActiveState) $(of ExecMainStatus)" = "failed 78" ]
dpkg -i /next.deb
systemctl start zhiju
until_ online

echo "# killed, it comes back by itself"
before=$(of MainPID)
kill -9 "$before"
again() { [ "$(of ActiveState)" = active ] && [ "$(of MainPID)" != "$before" ]; }
until_ again
until_ online

echo "# a wrong configuration is refused: a reload keeps the old one, a start ends for good"
echo 'mqtt: {port: 0}' > /etc/zhiju/zhiju.yaml
systemctl reload zhiju
[ "$(of ActiveState)" = active ]
! systemctl restart zhiju
[ "$(of ActiveState) $(of ExecMainStatus)" = "failed 78" ]
sleep 7
[ "$(of ActiveState)" = failed ]

echo "# purged"
dpkg -P zhiju
[ ! -e /var/lib/zhiju ]
echo done > /passed
END

timeout 300 systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit --console=pipe \
    > "$work/console" 2>&1 < /dev/null || true
if [ ! -e "$root/passed" ]; then
    tail -n 20 "$work/console" >&2
    cat "$root/steps.log" >&2 || true
    exit 1
fi
sed -n 's/^# //p' "$root/steps.log"
