#!/bin/sh
# A real Home Assistant with its demo house and its MQTT integration: what docs/hubs-home-assistant.md says is done by the
# daemon, and what is announced by MQTT discovery becomes the same on either side. Takes the last version that runs
# on Python 3.11, without any hardware; what is newer is held by messages in the published form beside the code.
#
#   deploy/tests/home_assistant.sh
#
# HOME_ASSISTANT_VENV keeps the installation, which takes a minute, for the next time.
set -eu

VERSION=2024.3.3

cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
venv=${HOME_ASSISTANT_VENV:-$dir/venv}
config=$dir/config
# It is gone before its folder is: what it keeps is of no use to anybody.
end() {
    pid=$(cat "$dir/pid" 2>/dev/null) || pid=''
    # With what it installs by itself, which would go on writing.
    if [ -n "$pid" ] && kill -9 "-$pid" 2>/dev/null; then
        while kill -0 "-$pid" 2>/dev/null; do sleep 0.1; done
    fi
    if [ -n "${broker:-}" ]; then kill "$broker" 2>/dev/null || true; fi
    rm -rf "$dir"
}
trap end EXIT
command -v mosquitto > /dev/null || { echo 'mosquitto is missing: make packages' >&2; exit 1; }

if ! [ -x "$venv/bin/hass" ]; then
    python3 -m venv "$venv"
    pip="$venv/bin/pip --quiet --disable-pip-version-check"
    $pip install wheel
    # Its own pins, from the wheel itself.
    $pip download --no-deps --only-binary :all: --dest "$dir" "homeassistant==$VERSION"
    python3 -c 'import sys, zipfile
print(zipfile.ZipFile(sys.argv[1]).read("homeassistant/package_constraints.txt").decode())' \
        "$dir"/homeassistant-*.whl > "$dir/constraints.txt"
    $pip install -c "$dir/constraints.txt" "homeassistant==$VERSION" 'josepy<2'
fi

free_port() {
    python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])'
}
port=$(free_port)
mqtt_port=$(free_port)
printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$mqtt_port" > "$dir/mosquitto.conf"
mosquitto -c "$dir/mosquitto.conf" > "$dir/mosquitto.log" 2>&1 &
broker=$!
mkdir "$config"
"$venv/bin/python" deploy/tests/home_assistant.py customize deploy/tests/home_assistant.yaml > "$config/customize.yaml"
cat > "$config/configuration.yaml" <<YAML
homeassistant:
  name: trial
  unit_system: metric
  time_zone: Asia/Shanghai
  country: CN
  language: zh-Hans
  customize: !include customize.yaml
http: {server_host: 127.0.0.1, server_port: $port}
api:
config:
onboarding:
demo:
input_boolean: {guests: {name: guests}}
input_number: {pond: {name: pond, min: 0, max: 200, step: 1}}
input_text: {note: {name: note, initial: 记得浇花}}
input_datetime: {wake: {name: wake, has_date: false, has_time: true, initial: "07:30"}}
input_select: {dish: {name: dish, options: [火锅, 饺子, 面条]}}
input_button: {bell: {name: bell}}
scene:
  - {id: movie, name: movie, entities: {light.ceiling_lights: {state: "on", brightness: 26}, light.kitchen_lights: "off"}}
  - {id: night, name: night, entities: {light.ceiling_lights: "off", light.bed_light: "off"}}
# What may not happen twice: each run leaves the time at which it was.
shell_command: {ran: "date +%s%3N >> $config/runs"}
script:
  tally: {sequence: [{service: shell_command.ran}]}
  morning: {sequence: [{service: light.turn_on, target: {entity_id: light.bed_light}, data: {brightness: 77}}]}
YAML

# Starts it, or starts it anew, and waits until it is there; the process is the first word of the file `pid`.
cat > "$dir/start" <<SH
#!/bin/sh
set -eu
setsid nohup '$venv/bin/hass' --config '$config' >> '$dir/log' 2>&1 &
echo \$! > '$dir/pid'
exec python3 -c '
import sys, time, urllib.error, urllib.request
for _ in range(1500):
    try:
        urllib.request.urlopen(sys.argv[1], timeout=5)
        break
    except urllib.error.HTTPError:
        break
    except OSError:
        time.sleep(0.2)
else:
    sys.exit(1)' 'http://127.0.0.1:$port/api/'
SH
chmod +x "$dir/start"
"$dir/start" || { echo 'Home Assistant does not start:' >&2; tail -n 50 "$dir/log" >&2; exit 1; }
# The first start installs what the demo needs; it is whole when its last entity is there.
for _ in $(seq 300); do
    if grep -q 'light.bed_light' "$config/.storage/core.entity_registry" 2>/dev/null; then break; fi
    sleep 1
done
"$venv/bin/python" deploy/tests/home_assistant.py prepare deploy/tests/home_assistant.yaml "http://127.0.0.1:$port" "$dir/token" "$mqtt_port"
chmod 600 "$dir/token"
# It writes what it was told seconds later, or when it ends: a power cut before that would undo it.
kill "$(cat "$dir/pid")"
while kill -0 "$(cat "$dir/pid")" 2>/dev/null; do sleep 0.1; done
"$dir/start"

if ! ZHIJU_HA_URL="http://127.0.0.1:$port" ZHIJU_HA_TOKEN_FILE="$dir/token" ZHIJU_HA_PID="$dir/pid" \
    ZHIJU_HA_MQTT_PORT="$mqtt_port" ZHIJU_HA_RUNS="$config/runs" ZHIJU_HA_START="$dir/start" "${CARGO:-cargo}" test --locked --test it -- --ignored --nocapture --test-threads 1 home_assistant::; then
    tail -n 50 "$dir/log" >&2
    exit 1
fi
