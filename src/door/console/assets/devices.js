// The home: devices by floor and room, hubs, names that are easily confused; one device opened beside.

import { on } from './bus.js';
import { data, h, plain, put, walk } from './dom.js';
import { editor, log } from './editor.js';
import { current, device, overrides } from './house.js';
import { t, word } from './i18n.js';
import { brief } from './words.js';

const SHOWS = ['all', 'offline', 'hidden', 'risky', 'changed', 'notices'];
const HUB_STATES = { online: 'good', away: 'bad' };

const isRisky = (one) => one.risky === true;
const isOn = (one) => one.state?.power === true || one.state?.open === true;

function paint(row, one) {
  row.className = `row device${one.online ? '' : ' is-offline'}${one.exposed ? '' : ' is-hidden'}${isOn(one) ? ' is-on' : ''}`;
  put(
    row,
    h('span', { class: 'mark', 'aria-hidden': 'true' }),
    h('span', { class: 'said' }, data(one.name)),
    h('span', { class: 'when' }, one.online ? data(brief(one.state)) : t('offline')),
    h(
      'span',
      { class: 'what' },
      one.aliases.length > 0 && data(one.aliases.join('、')),
      ' ',
      !one.exposed && h('span', { class: 'badge' }, t('hidden')),
      isRisky(one) && h('span', { class: 'badge warn' }, t('risky')),
      one.changed?.length > 0 && h('span', { class: 'badge' }, t('changed')),
    ),
  );
}

function hubs(list) {
  return h(
    'ul',
    { class: 'hubs' },
    list.map((one) =>
      h(
        'li',
        {},
        h('span', { class: `dot ${HUB_STATES[one.state] ?? 'quiet'}`, 'aria-hidden': 'true' }),
        data(one.name, 'name'),
        ' ',
        h('span', { class: 'quiet' }, data(one.kind), ' · ', data(word('hub_states', one.state)), ' · ', t('home_hub_devices', one.devices ?? 0)),
        one.error && h('p', { class: 'bad' }, data(one.error)),
      ),
    ),
  );
}

/** The view. */
export function devices({ signal, go }) {
  const rows = new Map();
  let opened = '';

  const search = h('input', { type: 'search', 'aria-label': t('home_search'), placeholder: t('home_search'), autocomplete: 'off' });
  const show = h('select', { 'aria-label': t('home_show') }, SHOWS.map((one) => h('option', { value: one }, word('home_shows', one))));
  const count = h('p', { class: 'quiet count' });
  const aside = h('div', { class: 'aside' });
  const list = h('div', { class: 'rows', role: 'listbox', 'aria-label': t('home_list') });
  const empty = h('p', { class: 'empty' }, t('loading'));
  const scroller = h('div', { class: 'scroll' }, h('div', { class: 'tools' }, search, show, count), aside, list, empty);
  const detail = h('section', { class: 'pane detail', tabindex: '-1', 'aria-label': t('edit') }, h('p', { class: 'empty' }, t('home_pick')));
  const node = h('div', { class: 'split' }, h('section', { class: 'pane list', 'aria-label': t('home') }, scroller), detail);
  const { ensure, stop } = walk(list, '[role=option]');

  const noticed = () => new Set(current().notices.flatMap((one) => one.ids));
  function wanted(one, ids) {
    const shows = {
      all: true, offline: !one.online, hidden: !one.exposed, risky: isRisky(one), changed: one.changed?.length > 0, notices: ids.has(one.id),
    };
    const needle = search.value.trim().toLowerCase();
    const hay = [one.name, one.id, one.room, one.kind, one.hub, ...one.aliases].join('\n').toLowerCase();
    return shows[show.value] && (!needle || hay.includes(needle));
  }

  function sift() {
    const ids = noticed();
    let seen = 0;
    for (const [id, row] of rows) {
      row.hidden = !wanted(device(id), ids);
      seen += !row.hidden;
    }
    for (const group of list.querySelectorAll('[role=group]')) group.hidden = !group.querySelector('[role=option]:not([hidden])');
    count.textContent = t('home_count', seen, rows.size);
    empty.hidden = seen > 0;
    empty.textContent = rows.size ? t('home_no_match') : t('home_empty');
    const first = ensure();
    if (first?.hidden) {
      first.tabIndex = -1;
      ensure();
    }
  }

  function group(floor, room, some) {
    const label = [floor, room || t('home_no_room')].filter(Boolean);
    const made = some.map((one) => {
      const row = h('div', { role: 'option', tabindex: '-1', 'aria-selected': String(one.id === opened) });
      row.dataset.id = one.id;
      rows.set(one.id, row);
      paint(row, one);
      return row;
    });
    return h(
      'div',
      { role: 'group', 'aria-label': label.map(plain).join(' ') },
      h('h3', { 'aria-hidden': 'true' }, floor && h('span', { class: 'quiet' }, data(floor), ' '), room ? data(room) : t('home_no_room')),
      made,
    );
  }

  function draw() {
    const home = current();
    stale = false;
    const held = list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    rows.clear();
    const byRoom = Map.groupBy ? Map.groupBy(home.devices, (one) => one.room ?? '') : grouped(home.devices);
    const order = [...home.floors.map((floor) => [floor, home.rooms.filter((room) => room.floor === floor)])];
    const known = new Set(home.floors);
    order.push(['', home.rooms.filter((room) => !known.has(room.floor))]);
    const groups = [];
    for (const [floor, rooms] of order) {
      for (const room of rooms) {
        const some = byRoom.get(room.name);
        byRoom.delete(room.name);
        if (some) groups.push(group(floor, room.name, some));
      }
    }
    for (const [room, some] of byRoom) groups.push(group('', room, some));
    put(list, groups);
    put(
      aside,
      home.hubs.length > 0 && h('details', { open: home.hubs.some((one) => one.state === 'away') }, h('summary', {}, t('home_hubs'), ' ', h('span', { class: 'quiet' }, String(home.hubs.length))), hubs(home.hubs)),
      home.notices.length > 0 && notices(home.notices),
      overrides().problem && h('p', { class: 'note' }, t('overrides_problem'), ' ', data(overrides().problem)),
      log(),
    );
    sift();
    if (held) rows.get(held)?.focus();
    if (opened && rows.has(opened)) stop(rows.get(opened));
  }

  function notices(all) {
    return h(
      'details',
      {},
      h('summary', {}, t('home_notices', all.length)),
      h(
        'ul',
        { class: 'notices' },
        all.slice(0, 50).map((one) =>
          h(
            'li',
            {},
            h('span', { class: 'badge warn' }, word('home_notice', one.kind)),
            ' ',
            data(one.text),
            ' ',
            one.ids.map((id) => h('button', { type: 'button', class: 'plain', onclick: () => go('home', id, true) }, data(device(id)?.name ?? id))),
          ),
        ),
      ),
    );
  }

  const choose = (event) => {
    const row = event.target.closest('[role=option]');
    if (row) go('home', row.dataset.id, true);
  };
  list.addEventListener('click', choose);
  list.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose(event);
  });
  detail.addEventListener('keydown', (event) => event.key === 'Escape' && go('home', '', true));
  const back = () => h('button', { type: 'button', class: 'back', onclick: () => go('home', '', true) }, `‹ ${t('back')}`);

  let shown = null;
  // Five hundred rows are drawn when somebody looks, not while the page begins.
  let seen = false;
  let stale = current().devices.length > 0;
  function look() {
    seen = true;
    if (!stale) return;
    draw();
    shown?.refresh();
  }
  function open(id, moved) {
    look();
    const before = opened;
    if (id && id === before && shown) return;
    opened = id;
    shown = null;
    node.classList.toggle('opened', Boolean(id));
    for (const row of rows.values()) row.setAttribute('aria-selected', String(row.dataset.id === id));
    if (rows.has(id)) stop(rows.get(id));
    if (!id) {
      put(detail, h('p', { class: 'empty' }, t('home_pick')));
      if (moved && before) (rows.get(before) ?? ensure())?.focus();
      return;
    }
    if (!device(id)) {
      put(detail, back(), h('p', { class: 'empty' }, rows.size ? t('device_gone') : t('loading')));
      return;
    }
    shown = editor(id);
    put(detail, back(), shown.node);
    detail.scrollTop = 0;
    if (moved) detail.focus({ preventScroll: true });
  }

  on('house', () => {
    stale = true;
    if (!seen) return;
    draw();
    if (opened && !shown) open(opened);
    else if (opened && !device(opened)) {
      shown = null;
      open(opened);
    } else shown?.refresh();
  }, signal);
  on('devices', (changed) => {
    for (const one of changed) {
      const row = rows.get(one.id);
      if (row) paint(row, one);
      if (one.id === opened) shown?.live();
    }
  }, signal);
  search.addEventListener('input', sift);
  show.addEventListener('change', sift);
  return { node, open, hide: () => (seen = false) };
}

// Browsers of before 2024 have no `Map.groupBy`.
function grouped(all) {
  const map = new Map();
  for (const one of all) map.set(one.room ?? '', [...(map.get(one.room ?? '') ?? []), one]);
  return map;
}
