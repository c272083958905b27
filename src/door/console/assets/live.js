// The stream of what happens: read with fetch, so that the token can be a header; opened again whenever it breaks.

import { headers, lock } from './api.js';
import { emit } from './bus.js';

// The daemon gives a sign of life every 15 seconds: three of them missing, and it is gone.
const SILENCE_MS = 45_000;
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
// A frame takes in so many events at most; what waits beyond the bound is fetched again later instead of kept.
const A_FRAME = 200;
const WAITING = 1_000;

let waiting = [];
let states = new Map();
let dropped = 0;
let planned = false;

let stopped = true;
let tries = 0;
let timer = 0;
let current = null;
let latest = null;
let link = { state: 'opening' };

/** How the connection is. */
export const state = () => link;

function tell(now) {
  link = now;
  emit('link', now);
}

/** Begins to listen. */
export function start() {
  if (!stopped) return;
  stopped = false;
  tries = 0;
  connect();
}

/** Ends it. */
export function stop() {
  stopped = true;
  clearTimeout(timer);
  current?.abort();
}

/** Does not wait for the next try. */
export function now() {
  if (stopped || current) return;
  clearTimeout(timer);
  connect();
}

async function connect() {
  const mine = new AbortController();
  current = mine;
  latest = mine;
  tell({ state: 'opening' });
  let why = 'gone';
  try {
    const response = await fetch('/v1/live', { headers: headers(), cache: 'no-store', signal: mine.signal });
    if (response.status === 401) return void lock();
    why = { 403: 'denied', 503: 'full' }[response.status] ?? why;
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    if ((await read(response.body.getReader(), mine)) === 'token') return void lock();
  } catch {
    // However it ended, it is tried again.
  } finally {
    mine.abort();
    if (current === mine) current = null;
  }
  // Whoever signed in again meanwhile has a stream of their own.
  if (stopped || latest !== mine) return;
  const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)];
  tries += 1;
  // Many pages that lost the same daemon do not come back in the same moment.
  const wait = pause * (0.75 + Math.random() / 2);
  tell({ state: 'closed', why, at: Date.now() + wait });
  timer = setTimeout(connect, wait);
}

async function read(reader, mine) {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const silence = setTimeout(() => mine.abort(), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return 'end';
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const end = take(block);
      if (end) return end;
    }
  }
}

// One event: its name, and what it says as JSON.
function take(block) {
  let name = 'message';
  let text = '';
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('data:')) text += line.slice(5).trimStart();
  }
  if (!text && name === 'message') return null;
  let said = {};
  try {
    if (text) said = JSON.parse(text);
  } catch {
    return null;
  }
  if (name === 'hello') {
    tries = 0;
    tell({ state: 'open' });
  }
  if (name === 'bye') return said.why === 'token' ? 'token' : 'bye';
  if (name === 'state') {
    const before = states.get(said.id);
    states.set(said.id, { state: { ...before?.state, ...said.state }, online: said.online ?? before?.online });
  } else {
    waiting.push([name, said]);
    if (waiting.length > WAITING) dropped += waiting.splice(0, waiting.length - WAITING).length;
  }
  plan();
  return null;
}

// Frames do not come while nobody looks; then now and then is enough.
function plan() {
  if (planned) return;
  planned = true;
  if (document.hidden) setTimeout(hand, 500);
  else requestAnimationFrame(hand);
}

function hand() {
  planned = false;
  const now = waiting.splice(0, A_FRAME);
  const changed = states;
  states = new Map();
  if (dropped) now.unshift(['lagged', { missed: dropped }]);
  dropped = 0;
  const of = (name) => now.filter(([which]) => which === name).map(([, said]) => said);
  // What says that something is missing goes first: it is looked for behind what was known before.
  for (const name of ['hello', 'lagged', 'home', 'jobs']) {
    const said = of(name);
    if (said.length) emit(name, name === 'lagged' ? { missed: said.reduce((sum, one) => sum + (one.missed ?? 0), 0) } : said.at(-1));
  }
  const utterances = of('utterance');
  if (utterances.length) emit('utterances', utterances);
  for (const said of of('outcome')) emit('outcome', said);
  if (changed.size) emit('states', changed);
  if (waiting.length) plan();
}
