// A daemon with a home of 500 devices, some of them with names that nobody should be hurt by.

import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { lamp } from './mqtt.mjs';

const { CONSOLE_BINARY: BINARY, CONSOLE_HOUSE: HOUSE, CONSOLE_PORT: PORT, MQTT_PORT, VILLA } = process.env;
const CONFIG = join(HOUSE, 'zhiju.yaml');
const DEVICES = 500;

export const BASE = `http://127.0.0.1:${PORT}`;
export const OWNER = 'the-token-of-the-owner';
export const GUEST = 'the-token-of-a-guest';
export const OVERRIDES = join(HOUSE, 'overrides.yaml');
export const TOKENS = join(HOUSE, 'tokens');

/** Names as an attacker, or a wit, would give them: markup, a script, a text that turns the rest around. */
export const HOSTILE = ['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', '\u202e灯\u202dgnp', '{{7*7}}${7*7}'];

function home() {
  const villa = JSON.parse(readFileSync(VILLA, 'utf8'));
  const halls = Array.from({ length: 20 }, (_, at) => `展厅${at + 1}`);
  villa.layout.push(...halls.map((name) => ({ name, floor: '四楼' })), { name: HOSTILE[0], floor: '四楼' });
  HOSTILE.forEach((name, at) => villa.devices.push({ id: `hostile-${at}`, name, local: HOSTILE[0], device: { model: 'switch', state: { power: false } } }));
  for (let at = 0; villa.devices.length < DEVICES; at += 1) {
    villa.devices.push({ id: `hall-${at}`, name: `射灯${at}`, local: halls[at % halls.length], device: { model: 'dimmer', state: { power: at % 3 === 0, level: 100 } } });
  }
  return villa;
}

/** Gives the daemon its home. */
export function furnish() {
  const file = join(HOUSE, 'home.json');
  writeFileSync(file, JSON.stringify(home()));
  execFileSync(BINARY, ['home', 'import', file, '--config', CONFIG], { stdio: ['ignore', 'ignore', 'inherit'] });
}

let daemon = null;

/** Starts it; ends when it serves. */
export async function start() {
  const log = openSync(join(HOUSE, 'log'), 'a');
  daemon = spawn(BINARY, ['run', '--config', CONFIG], { stdio: ['ignore', log, log] });
  for (;;) {
    if (daemon.exitCode !== null) throw new Error(`the daemon ended:\n${readFileSync(join(HOUSE, 'log'), 'utf8')}`);
    const well = await fetch(`${BASE}/healthz`, { headers: { Authorization: `Bearer ${OWNER}` } }).catch(() => null);
    if (well?.ok) return;
    await sleep(100);
  }
}

/** Ends it, and waits for that. */
export async function stop() {
  if (!daemon || daemon.exitCode !== null) return;
  const ended = new Promise((done) => daemon.once('exit', done));
  daemon.kill('SIGTERM');
  await ended;
}

/** Reads the owner's file anew. */
export const reload = () => daemon.kill('SIGHUP');

/** A line to the daemon that can be cut and mended. */
export async function line() {
  const sockets = new Set();
  let whole = true;
  const server = createServer((near) => {
    const far = connect(Number(PORT), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => (near.destroy(), far.destroy(), sockets.delete(socket)));
    }
    if (whole) near.pipe(far).pipe(near);
    else near.destroy();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    base: `http://127.0.0.1:${server.address().port}`,
    cut() {
      whole = false;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => (whole = true),
    close: () => server.close(),
  };
}

/** Asks the daemon without a page. */
export async function api(path, body, token = OWNER) {
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(BASE + path, { ...post, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' } });
  return response.json();
}

/** Says something; nothing moves unless `instruct`. */
export const say = (text, instruct = false) => api('/v1/ask', { text, instruct, local: '客厅' });

// Of a device that never told how it is, the daemon awaits no answer: these tell it from the beginning.
const TELLING = ['dimmer-01', 'dimmer-02', 'cct-01', 'cct-05', 'plug-01', 'rgb-01', 'ac-01'];
const LEVEL = 7;

/** Lamps that do what they are told, and say so. */
export async function lamps() {
  const those = await lamp(Number(MQTT_PORT), 'zhiju/home/instruct/#', (topic, payload, publish) => {
    const { state } = JSON.parse(payload);
    if (state) publish(topic.replace('/instruct/', '/state/'), JSON.stringify(state));
  });
  for (const id of TELLING) those.publish(`zhiju/home/state/${id}`, JSON.stringify({ power: false, ...(id.startsWith('dimmer') ? { level: LEVEL } : {}) }));
  return those;
}

/** Ends when the daemon has heard of all of them. */
export async function heardOfLamps() {
  for (;;) {
    const { devices } = await api('/v1/console/home');
    const told = devices.filter((one) => TELLING.includes(one.id) && one.id.startsWith('dimmer'));
    if (told.every((one) => one.state.level === LEVEL)) return;
    await sleep(100);
  }
}

/** Somebody edits the owner's file by hand. */
export const byHand = (text) => appendFileSync(OVERRIDES, text);
