// The way of one utterance as a picture: one station under the other, and where it stopped.

import { bar, data, h, put, s } from './dom.js';
import { device } from './house.js';
import { t, word } from './i18n.js';
import { near } from './near.js';
import { clock, decision, isWell, isStrange, micros, order, phrase, reasons, senses, step, value, verdict } from './words.js';

const READERS = ['grammar', 'learned', 'model', 'local', 'cloud'];
const CANDIDATES = 5;
const INSTRUCTS = 30;

// What a signal counts in the score: the best of what the name says counts whole.
const SIGNALS = ['name', 'pinyin', 'fuzzy', 'kind', 'vector', 'online', 'capability', 'room', 'recent', 'type'];

const readAs = (account) => (account.commands ?? []).filter((one) => !one.startsWith('UNKNOWN'));

function stopped(account, kind) {
  if (kind === 'silent') return 'moved';
  if (kind === 'failed') return 'gate';
  const lost = (account.trace ?? []).map(decision).find((one) => one?.stops)?.stops;
  if (isWell(kind) && !(kind === 'answered' && lost)) return null;
  const understood = readAs(account).length > 0;
  if (!understood) return 'readers';
  return lost ?? 'gate';
}

function station(key, stop, ...children) {
  const here = key === stop;
  return h(
    'li',
    { class: `station st-${key}${here ? ' is-stop' : ''}` },
    h('h3', {}, t(key), here && h('span', { class: 'badge stop' }, t('stopped_here'))),
    h('div', { class: 'body' }, children),
  );
}

const facts = (...pairs) =>
  h('dl', { class: 'facts' }, pairs.filter(([, what]) => what).map(([name, what]) => h('div', {}, h('dt', {}, name), h('dd', {}, data(what)))));

// What names were taken for that nobody has: the second reading says so (`老伙计 heard 老火计 [device …]`).
const takenFor = (detail) => new Map(detail.steps.flatMap((text) => [...text.matchAll(/(\S+) heard (\S+) \[/gu)]).map(([, as, said]) => [said, as]));

function words(detail, lost) {
  const taken = takenFor(detail);
  const chips = detail.words.map((one) => {
    const alike = taken.get(one.text);
    const strange = isStrange(one) && !alike;
    const labels = senses(one.senses ?? [], one.text);
    const shown = labels.slice(0, 2).join(' / ') + (labels.length > 2 ? ' …' : '');
    return h(
      'li',
      { class: strange && lost ? 'word strange' : 'word', title: labels.join(' / ') },
      data(one.text, 'token'),
      h('span', { class: 'sense' }, alike ? t('words_alike', alike) : strange ? t('words_unknown') : shown),
    );
  });
  return h('ul', { class: 'words' }, chips);
}

function steps(detail) {
  if (!detail.steps.length) return null;
  let before = null;
  const rows = detail.steps.map((text) => {
    const { label, says } = step(text);
    const same = says === before;
    before = says;
    return h('div', {}, h('dt', {}, label), h('dd', same ? { class: 'quiet' } : {}, same ? t('same_step') : data(says, 'code')));
  });
  return h('details', {}, h('summary', {}, t('steps', rows.length)), h('dl', { class: 'steps' }, rows), h('p', { class: 'quiet' }, t('words_now')));
}

function readers(account) {
  const known = READERS.includes(account.parser) || account.parser === 'none' ? READERS : [...READERS, account.parser];
  const pills = known.map((name) =>
    h('li', name === account.parser ? { class: 'pill on', 'aria-current': 'true' } : { class: 'pill' }, word('parser', name)),
  );
  return [h('ul', { class: 'pills' }, pills), account.parser === 'none' && h('p', {}, t('reader_none'))];
}

function orders(account) {
  return readAs(account).map((command) => {
    const parts = order(command);
    if (!parts) return h('p', {}, data(command, 'code'));
    const cell = (label, what) => h('div', {}, h('dt', {}, label), h('dd', {}, what));
    const open = () => h('span', { class: 'quiet' }, t('order_any'));
    return h(
      'div',
      { class: 'order' },
      h(
        'dl',
        { class: 'parts' },
        cell(t('order_action'), data(parts.action)),
        cell(t('order_scope'), parts.scope ? data(parts.scope) : open()),
        cell(t('order_target'), parts.target ? data(parts.target) : open()),
        cell(t('order_type'), parts.type ? word('types', parts.type) : open()),
        cell(t('order_count'), word('counts', parts.count)),
      ),
      data(command, 'code quiet'),
    );
  });
}

function candidate(one, account, several) {
  const signals = SIGNALS.filter((name) => one.signals?.[name] > 0);
  const chosen = one.chosen ?? (account.instructs ?? []).some((instruct) => instruct.id === one.id);
  return h(
    'li',
    { class: chosen ? 'candidate chosen' : 'candidate' },
    h(
      'div',
      { class: 'head' },
      data(one.name, 'name'),
      h('span', { class: 'quiet' }, one.kind === 'group' || one.kind === 'scene' ? t(one.kind) : data(one.room)),
      chosen && h('span', { class: 'badge good' }, t('chosen')),
      !chosen && one.chosen === false && h('span', { class: 'badge' }, t('rejected')),
      h('span', { class: 'score', title: t('score') }, h('span', { class: 'away' }, `${t('score')} `), Number(one.score ?? 0).toFixed(2)),
    ),
    one.why && h('p', { class: 'why quiet' }, data(word('whys', one.why))),
    several && one.command && data(one.command, 'code quiet'),
    signals.length
      ? h(
          'dl',
          { class: 'signals' },
          signals.map((name) =>
            h('div', {}, h('dt', {}, word('signal', name)), h('dd', {}, bar(one.signals[name], 1), h('span', {}, one.signals[name].toFixed(2)))),
          ),
        )
      : h('p', { class: 'quiet' }, t('signal_none')),
  );
}

function found(account) {
  const all = account.candidates ?? [];
  if (!all.length) return h('p', { class: 'quiet' }, t('found_none'));
  const several = new Set(all.map((one) => one.command)).size > 1;
  const make = (some) => some.map((one) => candidate(one, account, several));
  const list = h('ol', { class: 'candidates' }, make(all.slice(0, CANDIDATES)));
  const rest = all.slice(CANDIDATES);
  const more =
    rest.length > 0 &&
    h('button', {
      type: 'button',
      onclick: (event) => {
        event.currentTarget.remove();
        const added = make(rest);
        list.append(...added);
        added[0].tabIndex = -1;
        added[0].focus();
      },
    }, t('found_more', rest.length));
  return [list, more];
}

function settled(account, id) {
  const entry = (account.outcomes ?? []).find((one) => one.id === id);
  if (!entry) return null;
  const { outcome: result, ms, reason } = entry;
  const label = [word('outcome', result), ms !== undefined && ms !== null && `${ms} ms`].filter(Boolean).join(' · ');
  return [h('span', { class: result === 'confirmed' ? 'badge good' : 'badge bad' }, label), reason && h('p', { class: 'why' }, data(reason))];
}

function moved(account) {
  const all = account.instructs ?? [];
  if (!all.length) return h('p', { class: 'quiet' }, t('moved_none'));
  const rows = all.slice(0, INSTRUCTS).map((one) => {
    const what = one.state
      ? Object.entries(one.state).map(([name, to]) => `${word('props', name)} ${value(name, to)}`).join(' · ')
      : [one.command?.id, one.command?.argument !== undefined && value('', one.command?.argument)].filter(Boolean).join(' ');
    return h(
      'li',
      {},
      h('div', { class: 'head' }, data(one.summary || device(one.id)?.name || one.id, 'name'), one.noop ? h('span', { class: 'badge' }, t('noop')) : account.dry && h('span', { class: 'badge' }, t('moved_dry')), settled(account, one.id)),
      h('p', { class: 'quiet' }, data(what), ' ', data(one.id, 'code')),
    );
  });
  return [h('ul', { class: 'moved' }, rows), all.length > INSTRUCTS && h('p', { class: 'quiet' }, t('found_more', all.length - INSTRUCTS))];
}

function took(account) {
  const { parse_us: parse, resolve_us: resolve, total_us: total } = account.took ?? {};
  if (total === undefined || total === null) return h('p', { class: 'quiet' }, t('took_none'));
  const rest = Math.max(0, total - parse - resolve);
  const parts = [
    ['took_parse', parse, 'p1'],
    ['took_resolve', resolve, 'p2'],
    ['took_rest', rest, 'p3'],
  ];
  const whole = Math.max(1, parse + resolve + rest);
  let from = 0;
  const pieces = parts.map(([, us, look]) => {
    const width = (100 * us) / whole;
    const piece = s('rect', { class: look, x: from, width, height: 6 });
    from += width;
    return piece;
  });
  return [
    s('svg', { class: 'bar timeline', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' }, pieces),
    h(
      'ul',
      { class: 'legend' },
      parts.map(([key, us, look]) => h('li', { class: look }, t(key), ' ', h('b', {}, micros(us)))),
      h('li', {}, t('took_total'), ' ', h('b', {}, micros(total))),
    ),
  ];
}

/** The picture, and a way to tell it what devices answered since. */
export function way(account, detail, { gone }) {
  const kind = verdict(account);
  const stop = stopped(account, kind);
  const movedBody = h('div', {}, moved(account));
  const mark = h('span', { class: `verdict kind-${kind}` }, h('span', { class: 'mark', 'aria-hidden': 'true' }), word('verdicts', kind));
  const missed = !(account.instructs ?? []).length && !isWell(kind);
  const nearest = detail && ((missed && ['unknown', 'missing'].includes(kind)) || detail.near?.length) ? near(account, detail, phrase(account, detail)) : null;
  const place = facts(
    [t('heard_in'), account.room],
    [t('heard_by'), account.who],
    [t('heard_door'), word('doors', account.door)],
    [t('heard_at'), clock(account.at)],
  );
  const node = h(
    'article',
    { class: 'way-of' },
    h('header', {}, h('h2', {}, data(account.said)), h('p', {}, mark, account.dry && kind !== 'dry' && ' ', account.dry && kind !== 'dry' && h('span', { class: 'badge' }, word('verdicts', 'dry')))),
    gone && h('p', { class: 'note' }, t('gone')),
    account.brought && h('p', { class: 'note' }, t('brought')),
    h(
      'ol',
      { class: 'way' },
      station('heard', stop, place),
      detail && detail.words?.length ? station('words', stop, words(detail, !isWell(kind)), steps(detail)) : detail?.steps?.length ? station('words', stop, steps(detail)) : null,
      station('readers', stop, readers(account)),
      readAs(account).length > 0 && station('orders', stop, orders(account)),
      station('found', stop, found(account)),
      station('gate', stop, h('ul', { class: 'reasons' }, reasons(account, detail?.steps).map((one) => h('li', {}, data(one))))),
      nearest && h('li', { class: 'station st-near' }, h('h3', {}, t('near')), h('div', { class: 'body' }, nearest)),
      station('moved', stop, movedBody),
      station(
        'reply',
        stop,
        account.reply ? h('p', { class: 'spoken' }, data(account.reply)) : h('p', { class: 'quiet' }, t('reply_none')),
        account.aloud && account.aloud !== account.reply && h('p', { class: 'quiet' }, `${t('reply_aloud')}: `, data(account.aloud)),
      ),
      station('took', stop, took(account)),
    ),
  );
  const update = (now) => {
    put(movedBody, moved(now));
    const then = verdict(now);
    mark.className = `verdict kind-${then}`;
    put(mark, h('span', { class: 'mark', 'aria-hidden': 'true' }), word('verdicts', then));
  };
  return { node, update };
}
