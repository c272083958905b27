#!/bin/sh
# The console as people see it: a daemon with a home of 500 devices, headless Chromium before it.
#
#   deploy/tests/console.sh BINARY
#
# With CONSOLE_ONLY=WORDS only tests with such names are run, and with CONSOLE_ASSETS=src/door/console/assets the page as it
# lies there instead of the one in the binary. With CONSOLE_SCREENSHOTS=1 the pictures of docs/console are made anew; without it the tree stays as it is.
set -eu

cd "$(dirname "$0")/../.."
binary=$(realpath "$1")
dir=$(mktemp -d)
broker=''
# shellcheck disable=SC2064,SC2086 # What is started later is ended as well: the variable is read then.
trap 'kill $broker 2>/dev/null || true; rm -rf "$dir"' EXIT

# Its libraries lie outside the tree: a test run leaves nothing behind.
cp tests/console/*.mjs tests/console/package.json tests/console/package-lock.json tests/console/.npmrc "$dir"
(cd "$dir" && npm ci --no-audit --no-fund --silent)

# Two ports that are free now.
ports=$(node -e '
const { createServer } = require("node:net");
const servers = [createServer(), createServer()];
let open = 0;
for (const server of servers) server.listen(0, "127.0.0.1", () => {
  if (++open < servers.length) return;
  console.log(servers.map((one) => one.address().port).join(" "));
  for (const one of servers) one.close();
});')
# shellcheck disable=SC2086
set -- $ports

printf 'listener %s 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n' "$1" > "$dir/mosquitto.conf"
/usr/sbin/mosquitto -c "$dir/mosquitto.conf" > "$dir/broker.log" 2>&1 &
broker=$!
mkdir "$dir/house"
(umask 077 && printf '%s\n' 'owner ask,see,manage the-token-of-the-owner' 'guest ask,see the-token-of-a-guest' > "$dir/house/tokens")
cat > "$dir/house/zhiju.yaml" <<YAML
mqtt: {port: $1}
store: {dir: $dir/house/state}
model: {dir: $PWD/models/mini-zh}
http: {listen: '127.0.0.1:$2', tokens: tokens}
time: {zone: Asia/Shanghai}
YAML
CONSOLE_BINARY=$binary CONSOLE_HOUSE="$dir/house" CONSOLE_PORT=$2 MQTT_PORT=$1 VILLA="$PWD/tests/homes/villa.json" PICTURES="$PWD/docs/console" \
  node --test --test-timeout=400000 ${CONSOLE_ONLY:+"--test-name-pattern=$CONSOLE_ONLY"} "$dir/console.test.mjs"
