#!/bin/sh
# The doors as clients see them that others wrote: what docs/doors.md says is done, with the protocols' own libraries.
#
#   deploy/tests/doors.sh BINARY
set -eu

# The versions that this was tried with.
LIBRARIES='wyoming==1.10.2 websockets==17.4 mcp==2.3.0'

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
wyoming: {listen: '127.0.0.1:$3'}
YAML
"$binary" home import tests/homes/villa.json --config "$dir/zhiju.yaml"
"$binary" run --config "$dir/zhiju.yaml" > "$dir/log" 2>&1 &
pids="$pids $!"

if ! timeout 60 "$dir/venv/bin/python" deploy/tests/doors.py "$2" "$3"; then
    cat "$dir/log" >&2
    exit 1
fi
"$binary" words --config "$dir/zhiju.yaml" --format sherpa | grep -q '^老伙计 :2.5$'
