// What the daemon says in codes, said in words. Pure.

import { t, word } from './i18n.js';

const OUTCOME_OK = 'confirmed';

/** What became of an utterance: a word of `verdicts`. */
export function verdict(account) {
  const instructs = account.instructs ?? [];
  if (account.error) return 'failed';
  if ((account.outcomes ?? []).some((one) => one.outcome !== OUTCOME_OK)) return 'silent';
  const lost = (account.trace ?? []).map(missing).find(Boolean);
  if (lost && !instructs.length) return ['Device', 'Room'].includes(lost[1]) ? 'missing' : account.hint === 'needs_fallback' ? 'unknown' : 'unable';
  if (account.hint === 'needs_fallback') return account.intent === 'none' ? 'aside' : 'unknown';
  if (account.intent === 'question') return 'asked';
  if (account.dry && account.intent === 'instruct') return 'dry';
  if (instructs.length) {
    return instructs.every((one) => one.noop) ? 'same' : 'done';
  }
  if ((account.jobs ?? []).length) return 'later';
  if (account.intent === 'answer') return 'answered';
  return account.intent === 'none' ? 'aside' : 'answered';
}

/** Whether it went as whoever spoke will have wanted. */
export const isWell = (kind) => ['done', 'same', 'answered', 'dry', 'later'].includes(kind);

/** A command of the protocol in its parts; `null` where it has another shape. */
export function order(command) {
  const parts = /^(.*?)-(.*?)-(.*)#(\w+)#(.+)$/u.exec(command);
  if (!parts) return null;
  const [, action, scope, target, type, count] = parts;
  const open = (text) => (text === '*' || text === '' ? null : text);
  return { action, scope: open(scope), target: open(target), type: type === 'Unknown' ? null : type, count };
}

// What a sense is, in a word. Those that name something of the home or the language say so (`room 客厅`, `brightness up`),
// others are told as the program writes them down (`Of`, `Number(…)`).
function sense(text, token) {
  const way = /^(\w+) (up|down)$/u.exec(text);
  if (way) return `${word('props', way[1])} ${way[2] === 'up' ? '↑' : '↓'}`;
  const [, head, name] = /^([A-Za-z]+)(?: (.*))?/u.exec(text) ?? [];
  if (!head) return word('senses', text, text);
  const key = head === 'device' ? 'Devices' : head[0].toUpperCase() + head.slice(1);
  const label = word('senses', key, text);
  // Several devices of one name are one name.
  const told = NAMED.includes(head) && name !== token ? new Set(name.split(' ').filter((one) => one !== token && one !== '…')) : [];
  return [label, ...told].join(' ');
}

// What a word is in most sentences comes first.
const FIRST = ['device', 'group', 'scene', 'room', 'floor', 'verb', 'kind', 'sort', 'property'];
const NAMED = ['device', 'group', 'scene', 'room', 'floor'];

/** The senses of a word, in words. */
export function senses(all, token) {
  const rank = (text) => {
    const at = FIRST.indexOf(text.split(' ')[0]);
    return at < 0 ? FIRST.length : at;
  };
  return [...new Set([...all].sort((a, b) => rank(a) - rank(b)).map((one) => sense(one, token)))];
}

/** Whether a word means nothing that the home knows. */
export const isStrange = (one) => !one.senses?.length || one.senses[0] === '?';

/** One step of the grammar: its stage in words, and what it says. */
export function step(text) {
  const at = text.indexOf(': ');
  const stage = at < 0 ? text : text.slice(0, at);
  return { stage, label: word('stage', stage), says: at < 0 ? '' : text.slice(at + 2) };
}

// What is missing, as the program writes it down: `nothing: Device("月亮灯", [])`.
const missing = (line) => /(?:^|: )nothing: (\w+)(?:\((?:"((?:[^"\\]|\\.)*)")?)?/u.exec(line);

/** What a line of the trace decided, in words; `null` for one that only names devices. */
export function decision(line) {
  const condition = /^condition (.*) (holds|does not hold)$/u.exec(line) ?? /^condition (holds|does not hold): (.*)$/u.exec(line);
  if (condition) {
    const [what, how] = condition[1].includes('hold') ? [condition[2], condition[1]] : [condition[1], condition[2]];
    return { text: word('selects', how === 'holds' ? 'holds' : 'not')(what), stops: how === 'holds' ? null : 'gate' };
  }
  const nothing = missing(line);
  if (nothing) {
    const [, kind, what = ''] = nothing;
    const say = word('missing', kind, null);
    return { text: say ? say(what) : word('selects', 'nothing')(kind), stops: 'found' };
  }
  if (/: which room of /u.test(line)) return { text: word('selects', 'which_room'), stops: 'gate' };
  if (/: which of /u.test(line)) return { text: word('selects', 'which'), stops: 'gate' };
  if (/: more than a handful/u.test(line)) return { text: word('selects', 'many'), stops: 'gate' };
  return null;
}

/** Why it went as it did, in sentences. */
export function reasons(account, steps) {
  const said = [];
  const instructs = account.instructs ?? [];
  if (account.error) said.push(word('errors', account.error.code, account.error.message));
  for (const line of account.trace ?? []) {
    const decided = decision(line);
    if (decided) said.push(decided.text);
  }
  if (account.hint) said.push(word('hints', account.hint));
  const silence = (steps ?? []).map(step).find((one) => one.stage === 'no command');
  if (silence && !instructs.length) said.push(word('silences', silence.says, silence.says));
  const moving = instructs.filter((one) => !one.noop).length;
  if (account.dry && account.intent === 'instruct') said.push(t('gate_dry'));
  else if (moving) said.push(t('gate_open', moving));
  else if (instructs.length) said.push(t('gate_same'));
  else if ((account.jobs ?? []).length) said.push(t('gate_later'));
  if (!said.length) {
    const plainly = { answer: 'gate_answer', question: 'gate_asked', none: 'gate_aside' };
    said.push(t(plainly[account.intent] ?? 'gate_nothing'));
  }
  return [...new Set(said)];
}

/** What was said for a thing that was not found: what the next alias will be. */
export function phrase(account, detail) {
  for (const line of account.trace ?? []) {
    const [, kind, what] = missing(line) ?? [];
    if (kind === 'Device' && what) return what;
  }
  const known = (command) => (account.candidates ?? []).some((one) => one.command === command);
  const named = (account.commands ?? []).filter((command) => !known(command)).map(order).find((one) => one?.target && !one.target.startsWith('@'));
  if (named) return named.target;
  // Words that mean nothing here, with those between them and the kind that stands behind.
  const words = detail?.words ?? [];
  const loose = (detail?.steps ?? []).map(step).findLast((one) => one.stage === 'unsure')?.says.split('not explained: ')[1]?.split(' ') ?? [];
  const strange = (one) => isStrange(one) || loose.includes(one.text);
  const first = words.findIndex(strange);
  if (first < 0) return '';
  let last = words.findLastIndex(strange);
  while (last + 1 < words.length && words[last + 1].senses?.some((one) => /^(kind|sort|device) /u.test(one))) last += 1;
  return words.slice(first, last + 1).map((one) => one.text).join('');
}

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** A rule of repetition in words. */
export function repeat(rule) {
  const parts = Object.fromEntries(String(rule).split(';').map((part) => part.split('=')));
  const interval = Number(parts.INTERVAL ?? 1);
  const say = (key) => word('jobs_repeats', key);
  switch (parts.FREQ) {
    case 'MINUTELY':
      return say('minutes')(interval);
    case 'HOURLY':
      return say('hours')(interval);
    case 'DAILY':
      return interval === 1 ? say('daily')() : say('days')(interval);
    case 'WEEKLY':
      return say('weekly')((parts.BYDAY ?? '').split(',').map((day) => DAYS.indexOf(day)).filter((day) => day >= 0));
    case 'MONTHLY':
      return say('monthly')(parts.BYMONTHDAY);
    default:
      return String(rule);
  }
}

const pad = (number) => String(number).padStart(2, '0');

/** The hour of a moment as the home's own clock showed it; with the day, if it was another one than today. */
export function clock(at, seconds = true) {
  const parts = /^(\d{4})-(\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?/u.exec(at ?? '');
  if (!parts) return String(at ?? '');
  const now = new Date();
  const today = `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
  const time = parts[3] + (seconds ? (parts[4] ?? '') : '');
  return today === `${parts[1]}-${parts[2]}` ? time : `${parts[2]} ${time}`;
}

/** A length of time, by its two largest units. */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const units = [
    ['days', Math.floor(whole / 86_400)],
    ['hours', Math.floor(whole / 3_600) % 24],
    ['minutes', Math.floor(whole / 60) % 60],
    // Nobody waits for the seconds of what is ten minutes away.
    ['seconds', whole < 600 ? whole % 60 : 0],
  ];
  const first = units.findIndex(([, count]) => count > 0);
  if (first < 0) return word('span', 'seconds')(0);
  const shown = units.slice(first, first + 2).filter(([, count]) => count > 0);
  return shown.map(([unit, count]) => word('span', unit)(count)).join(' ');
}

/** Microseconds for people. */
export const micros = (us) => (us >= 1_000_000 ? `${(us / 1e6).toFixed(2)} s` : us >= 1_000 ? `${(us / 1e3).toFixed(us < 10_000 ? 1 : 0)} ms` : `${us} µs`);

/** A value of a state in words. */
export function value(name, what) {
  if (what === true) return name === 'power' || name === 'mute' ? t('on') : t('yes');
  if (what === false) return name === 'power' || name === 'mute' ? t('off') : t('no');
  if (what === null || what === undefined) return '–';
  return typeof what === 'object' ? JSON.stringify(what) : word('values', what, String(what));
}

/** The first lines of a state, for a row. */
export function brief(state) {
  const entries = Object.entries(state ?? {});
  const power = entries.find(([name]) => name === 'power');
  if (power && power[1] === false) return t('off');
  const shown = entries.filter(([name]) => name !== 'power').slice(0, 2).map(([name, what]) => `${word('props', name)} ${value(name, what)}`);
  return [...(power ? [t('on')] : []), ...shown].join(' · ');
}
