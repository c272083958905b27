// What was heard, as it comes; one of it opened beside, on a phone in its place.

import { get } from './api.js';
import { all, find, hasMore, isCurrent, nameOf, older, renew } from './book.js';
import { on } from './bus.js';
import { data, h, plain, put, walk } from './dom.js';
import { t, word } from './i18n.js';
import { share } from './share.js';
import { clock, verdict } from './words.js';
import { way } from './way.js';

const FILTERS = ['all', 'done', 'asked', 'answered', 'missing', 'unable', 'unknown', 'aside', 'silent', 'failed'];
// Whoever listens to the page is not told of every sentence of a lively evening.
const ANNOUNCE_MS = 3_000;

const text = (account) =>
  [account.said, account.reply, account.room, account.who, ...(account.instructs ?? []).map((one) => one.summary)].join('\n').toLowerCase();

function paint(row, account) {
  const kind = verdict(account);
  row.dataset.kind = kind;
  row.className = `row heard kind-${kind}`;
  const place = account.room || account.who || word('doors', account.door);
  put(
    row,
    h('span', { class: 'mark', 'aria-hidden': 'true' }),
    h('span', { class: 'said' }, data(account.said)),
    h('span', { class: 'when' }, clock(account.at)),
    h('span', { class: 'what' }, h('b', {}, word('verdicts', kind)), account.reply && [' ', data(account.reply)]),
    h('span', { class: 'where' }, data(place)),
  );
}

/** The view. */
export function heard({ signal, go, announce }) {
  const rows = new Map();
  let opened = null;
  let shown = null;

  const search = h('input', { type: 'search', 'aria-label': t('live_search'), placeholder: t('live_search'), autocomplete: 'off' });
  const choices = FILTERS.map((one) => h('option', { value: one }, one === 'all' ? t('live_all') : word('verdicts', one)));
  const filter = h('select', { 'aria-label': t('live_filter') }, choices);
  const count = h('p', { class: 'quiet count' });
  const list = h('ul', { class: 'rows', role: 'listbox', 'aria-label': t('live_list') });
  const empty = h('p', { class: 'empty' }, t('loading'));
  const moreButton = h('button', { type: 'button', class: 'wide', hidden: true, onclick: () => fetchOlder() }, t('live_older'));
  const scroller = h(
    'div',
    { class: 'scroll' },
    h('div', { class: 'tools' }, search, filter, count),
    list,
    empty,
    moreButton,
  );
  const detail = h('section', { class: 'pane detail', tabindex: '-1', 'aria-label': t('way') }, h('p', { class: 'empty' }, t('live_pick')));
  const node = h('div', { class: 'split' }, h('section', { class: 'pane list', 'aria-label': t('live') }, scroller), detail);

  const { ensure, stop } = walk(list, '[role=option]');
  const wanted = (account) => {
    const kind = verdict(account);
    const fits = filter.value === 'all' || kind === filter.value || (filter.value === 'done' && ['same', 'dry', 'later'].includes(kind));
    const needle = search.value.trim().toLowerCase();
    return fits && (!needle || text(account).includes(needle));
  };

  function row(account) {
    const made = h('li', { role: 'option', tabindex: '-1', 'aria-selected': 'false' });
    made.account = account;
    rows.set(account, made);
    paint(made, account);
    made.hidden = !wanted(account);
    return made;
  }

  function settle() {
    const kept = new Set(all());
    for (const [account, made] of rows) {
      if (kept.has(account)) continue;
      made.remove();
      rows.delete(account);
    }
    const seen = filter.value === 'all' && !search.value ? rows.size : [...rows.values()].filter((one) => !one.hidden).length;
    count.textContent = t('live_count', seen, rows.size);
    empty.hidden = rows.size > 0;
    empty.textContent = t('live_empty');
    moreButton.hidden = !hasMore() || rows.size === 0;
    ensure();
  }

  // Accounts are in order in the book: each row goes before that of the next older one that has a row already.
  function insert(fresh) {
    if (!fresh.length) return settle();
    const order = all();
    const isNew = new Set(fresh);
    let next = null;
    for (let i = order.length - 1; i >= 0; i -= 1) {
      const account = order[i];
      if (isNew.has(account) && !rows.has(account)) {
        const made = row(account);
        list.insertBefore(made, next);
        next = made;
      } else {
        next = rows.get(account) ?? next;
      }
    }
    settle();
  }

  let busy = false;
  async function fetchOlder() {
    if (busy) return;
    busy = true;
    moreButton.disabled = true;
    try {
      await older();
    } catch {
      // The button stays: it can be tried again.
    } finally {
      busy = false;
      moreButton.disabled = false;
    }
  }
  const nearEnd = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && !moreButton.hidden && fetchOlder(), {
    root: scroller,
    rootMargin: '400px',
  });
  nearEnd.observe(moreButton);
  signal.addEventListener('abort', () => nearEnd.disconnect());

  const choose = (event) => {
    const made = event.target.closest('[role=option]');
    if (made) go('live', nameOf(made.account), true);
  };
  list.addEventListener('click', choose);
  list.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose(event);
  });
  detail.addEventListener('keydown', (event) => event.key === 'Escape' && go('live', '', true));

  function select(account) {
    for (const made of list.querySelectorAll('[aria-selected="true"]')) made.setAttribute('aria-selected', 'false');
    const made = account && rows.get(account);
    if (!made) return;
    made.setAttribute('aria-selected', 'true');
    stop(made);
  }

  const backButton = () => h('button', { type: 'button', class: 'back', onclick: () => go('live', '', true) }, `‹ ${t('back')}`);

  async function open(name, moved) {
    node.classList.toggle('opened', Boolean(name));
    if (!name) {
      const before = opened;
      opened = null;
      shown = null;
      select(null);
      put(detail, h('p', { class: 'empty' }, t('live_pick')));
      if (moved) (rows.get(before) ?? ensure())?.focus();
      return;
    }
    let account = find(name);
    if (account && account === opened) return;
    shown = null;
    opened = account ?? null;
    select(account);
    let gone = account && !isCurrent(account);
    // It outlives the first picture: who asks for the text before the second one comes still gets it.
    let sharing = account && share(account);
    if (account) {
      shown = way(account, null, { gone });
      put(detail, backButton(), shown.node, !gone && sharing);
    } else {
      put(detail, backButton(), h('p', { class: 'empty' }, t('loading')));
    }
    detail.scrollTop = 0;
    if (moved) detail.focus({ preventScroll: true });
    if (gone) return;
    const asked = account;
    let whole = null;
    try {
      whole = await get(`/v1/utterances/${encodeURIComponent(name)}`);
    } catch (error) {
      gone = error.status === 404;
    }
    if (opened !== (asked ?? null) || (!asked && !node.classList.contains('opened'))) return;
    if (account && whole) renew(account, whole.utterance);
    account ??= whole && { ...whole.utterance, run: -1 };
    if (!account) return void put(detail, backButton(), h('p', { class: 'empty' }, t('gone')));
    opened = find(name) ?? account;
    shown = way(account, whole, { gone });
    sharing ??= share(account);
    put(detail, backButton(), shown.node, !gone && sharing);
  }

  let last = 0;
  let unsaid = 0;
  function tell(fresh) {
    unsaid += fresh.length;
    if (Date.now() - last < ANNOUNCE_MS || document.hidden || !node.isConnected || node.closest('[hidden]')) return;
    last = Date.now();
    const newest = fresh[0];
    announce(unsaid > 1 ? t('announce_many', unsaid) : t('announce', plain(newest.said), word('verdicts', verdict(newest))));
    unsaid = 0;
  }

  on('book', ({ fresh, live }) => {
    insert(fresh);
    if (live) tell(fresh);
  }, signal);
  on('account', (account) => {
    const made = rows.get(account);
    if (made) paint(made, account);
    if (account === opened) shown?.update(account);
  }, signal);
  const sift = () => {
    for (const [account, made] of rows) made.hidden = !wanted(account);
    settle();
    scroller.scrollTop = 0;
  };
  search.addEventListener('input', sift);
  filter.addEventListener('change', sift);

  insert(all());
  if (!all().length) empty.textContent = t('loading');
  return { node, open };
}
