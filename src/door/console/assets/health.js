// How the daemon is: a few numbers, and charts that can be read in a dark hall.

import { get } from './api.js';
import { bar, data, h, put, s } from './dom.js';
import { lang, t, word } from './i18n.js';
import { app } from './shell.js';
import { clock, span } from './words.js';

const AGAIN_MS = 5_000;
const COUNTS = ['sure', 'asked', 'fallback', 'unknown', 'rejected', 'failed'];

const tile = (label, what, look = '') => h('div', { class: `tile ${look}` }, h('dt', {}, label), h('dd', {}, what));
const number = (value) => Number(value ?? 0).toLocaleString();
const bytes = (count) => `${(count / 1_048_576).toFixed(count < 104_857_600 ? 1 : 0)} MiB`;
const card = (title, ...children) => h('section', { class: 'card' }, h('h2', {}, title), children);

function tiles(now) {
  const broker = now.broker ?? {};
  const waiting = now.outbox?.waiting ?? 0;
  return h(
    'dl',
    { class: 'tiles' },
    tile(t('health_up'), span(now.uptime_s ?? 0)),
    tile(t('health_broker'), t(broker.connected ? 'health_broker_on' : 'health_broker_off'), broker.connected ? 'good' : 'bad'),
    tile(t('health_memory'), now.memory_bytes ? bytes(now.memory_bytes) : '–'),
    tile(t('health_outbox'), waiting ? t('health_outbox_some', waiting) : t('health_outbox_none'), waiting ? 'warn' : ''),
  );
}

// Rows of a table with a bar in each: the numbers are there for everybody.
function bars(rows) {
  const most = Math.max(1, ...rows.map((one) => one.count));
  return h(
    'table',
    { class: 'bars' },
    h('tbody', {}, rows.map((one) => h('tr', {}, h('th', { scope: 'row' }, one.label), h('td', { class: 'bar-cell' }, bar(one.count, most, one.look)), h('td', { class: 'number' }, number(one.count)), one.note && h('td', { class: 'quiet note-cell' }, one.note)))),
  );
}

function counts(now) {
  const looks = { sure: 'good', asked: 'warn', fallback: 'p2', unknown: 'bad', rejected: 'dim', failed: 'bad' };
  const rows = COUNTS.map((name) => ({ label: word('health_count', name), count: now.counts?.[name] ?? 0, look: looks[name] }));
  return [bars(rows), h('p', { class: 'quiet' }, t('health_counts_why'))];
}

function parsers(now) {
  const rows = (now.parsers ?? []).map((one) => ({
    label: data(word('parser', one.name)), count: one.calls ?? 0, look: 'p1', note: t('health_parser_calls', one.calls ?? 0, one.sure ?? 0, one.unsure ?? 0),
  }));
  return rows.length ? bars(rows) : h('p', { class: 'quiet' }, t('none'));
}

// The histogram: columns of one width, whatever the bucket holds; the labels say how far each reaches.
function latency({ buckets_ms: edges = [], counts: all = [], p50_ms: p50, p99_ms: p99 } = {}) {
  const total = all.reduce((sum, one) => sum + one, 0);
  if (!total) return h('p', { class: 'quiet' }, t('health_latency_none'));
  const [width, high] = [28, 84];
  const most = Math.max(...all);
  const label = (at) => (at < edges.length ? String(edges[at]) : '∞');
  const short = (ms) => (ms === undefined || ms === null ? '–' : Number(ms.toPrecision(3)));
  const text = t('health_latency_text', short(p50), short(p99));
  const every = Math.ceil(all.length / 12);
  const columns = all.map((count, at) => {
    const tall = count ? Math.max(2, (high * count) / most) : 0;
    const said = at < edges.length ? t('health_bucket', edges[at], count) : t('health_bucket_last', edges.at(-1), count);
    return s('g', {},
      s('title', {}, said),
      s('rect', { class: 'column-bed', x: at * width + 2, y: 10, width: width - 4, height: high }),
      s('rect', { class: 'column', x: at * width + 2, y: 10 + high - tall, width: width - 4, height: tall }),
      at % every === 0 && s('text', { x: at * width + width / 2, y: high + 24, 'text-anchor': 'middle' }, label(at)),
    );
  });
  return [
    s('svg', { class: 'histogram', viewBox: `0 0 ${all.length * width} ${high + 30}`, role: 'img', 'aria-label': text }, columns),
    h('p', { class: 'quiet' }, `${t('health_latency_axis')} · ${text}`),
  ];
}

function models(now) {
  const { embedding, problem, reader, llm = [] } = now.models ?? {};
  const row = (name, what) => h('div', {}, h('dt', {}, name), h('dd', {}, what));
  return h(
    'dl',
    { class: 'facts' },
    row(t('health_embedding'), embedding ? data(embedding) : [t('health_off'), problem && h('p', { class: 'bad' }, data(problem))]),
    row(t('health_reader'), t(reader ? 'health_on' : 'health_off')),
    llm.map((one) => row(data(word('parser', one.name)), [word('llm_states', one.state), one.reason && h('p', { class: 'bad' }, data(one.reason))])),
  );
}

function hubs(now) {
  if (!now.hubs?.length) return h('p', { class: 'quiet' }, t('health_hubs_none'));
  return h('dl', { class: 'facts' }, now.hubs.map((one) => h('div', {}, h('dt', {}, data(one.name)), h('dd', {}, data(word('hub_states', one.state)), one.devices !== undefined && ` · ${t('home_hub_devices', one.devices)}`, one.error && h('p', { class: 'bad' }, data(one.error))))));
}

function errors(now) {
  if (!now.errors?.length) return h('p', { class: 'quiet' }, t('health_errors_none'));
  return h('ol', { class: 'errors' }, now.errors.map((one) => h('li', {}, h('span', { class: 'quiet' }, clock(one.at)), ' ', data(one.text))));
}

/** The view. */
export function health({ signal }) {
  const body = h('div', {}, h('p', { class: 'empty' }, t('loading')));
  let seen = false;
  async function load() {
    try {
      const now = await get('/v1/health');
      put(
        body,
        tiles(now),
        h('div', { class: 'grid' },
          card(t('health_counts'), counts(now)),
          card(t('health_latency'), latency(now.latency)),
          card(t('health_parsers'), parsers(now)),
          card(t('health_models'), models(now)),
          card(t('health_hubs'), hubs(now)),
          card(t('health_errors'), errors(now)),
        ),
        h('p', { class: 'quiet' }, t('health_version'), ' ', data(now.version), ' · ', t('health_fresh', new Date().toLocaleTimeString(lang()))),
      );
    } catch (error) {
      if (!body.querySelector('.tiles')) put(body, h('p', { class: 'bad' }, app.because(error)));
    }
  }
  const timer = setInterval(() => seen && !document.hidden && load(), AGAIN_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  return {
    // Nothing in it can be pressed: it is scrolled by the keyboard itself.
    node: h('div', { class: 'scroll broad', tabindex: '0', role: 'region', 'aria-label': t('health') }, body),
    open: () => {
      seen = true;
      load();
    },
    hide: () => (seen = false),
  };
}
