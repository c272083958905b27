#!/bin/sh
# The doors as clients see them that others wrote: what docs/doors.md says is done, with the protocols' own libraries.
#
#   deploy/tests/doors.sh BINARY
set -eu

# The versions that this was tried with.
LIBRARIES='wyoming==1.10.2 websockets==17.4 mcp==2.3.0 zeroconf==0.154.0'

cd "$(dirname "$0")/../.."
binary=$(realpath "$1")
dir=$(mktemp -d)
pids=''
# shellcheck disable=SC2064,SC2086 # What is started later is ended as well: the variable is read then.
trap 'kill $pids 2>/dev/null || true; rm -rf "$dir"' EXIT

python3 -m venv "$dir/venv"
# shellcheck disable=SC2086 # Several words.
"$dir/venv/bin/pip" --quiet --disable-pip-version-check install $LIBRARIES

# Three ports that are free now.
ports=$(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(s.getsockname()[1] for s in sockets))')
# shellcheck disable=SC2086
set -- $ports

printf 'listener %s 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n' "$1" > "$dir/mosquitto.conf"
/usr/sbin/mosquitto -c "$dir/mosquitto.conf" > "$dir/broker.log" 2>&1 &
pids="$pids $!"
(umask 077 && echo 'phone ask,see a-token-of-the-trial' > "$dir/tokens")
cat > "$dir/zhiju.yaml" <<YAML
mqtt: {port: $1}
store: {dir: $dir/state}
model: {dir: $PWD/models/mini-zh}
http: {listen: '127.0.0.1:$2', tokens: tokens}
wyoming: {listen: '0.0.0.0:$3', clients: [127.0.0.1], announce: true}
YAML
"$binary" home import tests/homes/villa.json --config "$dir/zhiju.yaml"
"$binary" run --config "$dir/zhiju.yaml" > "$dir/log" 2>&1 &
daemon=$!
pids="$pids $daemon"

if ! timeout 90 "$dir/venv/bin/python" deploy/tests/doors.py "$2" "$3"; then
    cat "$dir/log" >&2
    exit 1
fi
"$binary" words --config "$dir/zhiju.yaml" --format sherpa | grep -q '^老伙计 :2.5$'

# The same over TLS, with another certificate after a reload.
kill "$daemon"
wait "$daemon" || true
certify() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
        -addext 'subjectAltName = DNS:localhost' -keyout "$dir/key.pem" -out "$dir/cert.pem" 2> "$dir/openssl.log"
    chmod 600 "$dir/key.pem"
}
certify first
sed -i "s/tokens: tokens}/tokens: tokens, tls: {cert_file: cert.pem, key_file: key.pem}}/" "$dir/zhiju.yaml"
"$binary" run --config "$dir/zhiju.yaml" > "$dir/log" 2>&1 &
daemon=$!
pids="$pids $daemon"
ask() {
    curl --silent --show-error --max-time 20 --cacert "$dir/cert.pem" -H 'Authorization: Bearer a-token-of-the-trial' \
        "https://localhost:$1/healthz"
}
tries=0
until [ "$(ask "$2" 2> "$dir/curl.log")" = ok ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { cat "$dir/curl.log" "$dir/log" >&2; exit 1; }
    sleep 0.1
done
certify second
kill -HUP "$daemon"
tries=0
until [ "$(ask "$2" 2> "$dir/curl.log")" = ok ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { cat "$dir/curl.log" "$dir/log" >&2; exit 1; }
    sleep 0.1
done
if curl --silent --max-time 5 "http://localhost:$2/healthz" > /dev/null 2>&1; then
    echo 'it is answered without TLS' >&2
    exit 1
fi
echo 'TLS: as curl expects, before and after a reload'
