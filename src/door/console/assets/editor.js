// One device: how it is, and what its owner says of it. A change is told, merged or refused; nothing that was typed is lost.

import { bar, data, h, hasUnseen, plain, put } from './dom.js';
import { change, current, device, load, overrides, undo } from './house.js';
import { t, word } from './i18n.js';
import { app } from './shell.js';
import { clock, value } from './words.js';

const RISKS = ['', 'low', 'high'];
const HISTORY = 10;
const FIELDS = ['name', 'aliases', 'room', 'exposed', 'risk'];

let forms = 0;

// What the owner said of the risk; what the kind says by itself is no choice of theirs.
const riskOf = (one) => (one.changed?.includes('risk') && RISKS.includes(one.risk) ? one.risk : '');

const asSaid = (one) => ({ name: one.name, aliases: [...one.aliases], room: one.room ?? '', exposed: one.exposed, risk: riskOf(one) });

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const inWords = (field, what) =>
  field === 'aliases' ? what.join('、') || '–' : field === 'exposed' ? t(what ? 'yes' : 'no') : field === 'risk' ? word('edit_risks', what) : what || '–';

const takeBack = () =>
  undo().then(
    () => app.toast(t('edit_undone')),
    async (error) => {
      if (error.status === 409) await load();
      app.toast(error.status === 409 ? word('errors', 'conflict') : app.because(error), { bad: true });
    },
  );

function status(one) {
  const entries = Object.entries(one.state ?? {});
  if (!entries.length) return h('p', { class: 'quiet' }, t('device_state_none'));
  const row = ([name, what]) => {
    const percent = typeof what === 'number' && ['brightness', 'position', 'volume', 'battery', 'humidity'].includes(name) && what <= 100;
    return h('div', {}, h('dt', {}, data(word('props', name))), h('dd', {}, percent && bar(what, 100), data(value(name, what))));
  };
  return h('dl', { class: 'state' }, entries.map(row));
}

/** The device of an id. */
export function editor(id) {
  forms += 1;
  const field = (name) => `edit-${forms}-${name}`;
  const may = app.may('manage');
  const now = h('div', {});
  const title = h('h2', {});
  const about = h('div', {});
  const message = h('div', { class: 'said-back', role: 'status' });
  const unseen = h('p', { class: 'note', hidden: true });
  const aliases = h('ul', { class: 'aliases' });
  const text = (name, most) => h('input', { id: field(name), type: 'text', maxlength: String(most), autocomplete: 'off', dir: 'auto', disabled: !may });
  const name = text('name', 64);
  const room = text('room', 64);
  const alias = text('alias', 64);
  const rooms = h('datalist', { id: field('rooms') });
  room.setAttribute('list', field('rooms'));
  const exposed = h('input', { id: field('exposed'), type: 'checkbox', disabled: !may });
  const risk = h('select', { id: field('risk'), disabled: !may }, RISKS.map((one) => h('option', { value: one }, word('edit_risks', one))));
  const saveButton = h('button', { type: 'submit', class: 'main', disabled: !may }, t('save'));

  // What the fields began with: what is other than that is the owner's wish.
  let base = asSaid(device(id));
  let revision = overrides().revision;
  let names = [...base.aliases];

  const wish = () => ({ name: name.value.trim(), aliases: names, room: room.value.trim(), exposed: exposed.checked, risk: risk.value });
  const wished = () => Object.fromEntries(FIELDS.filter((one) => !same(wish()[one], base[one])).map((one) => [one, wish()[one]]));

  function drawAliases() {
    put(
      aliases,
      names.length
        ? names.map((one) =>
            h('li', {}, data(one), may && h('button', { type: 'button', class: 'plain', 'aria-label': t('edit_alias_remove', plain(one)), onclick: () => {
              names = names.filter((other) => other !== one);
              drawAliases();
              alias.focus();
            } }, '×')),
          )
        : h('li', { class: 'quiet' }, t('edit_alias_none')),
    );
  }
  function addName() {
    const one = alias.value.trim();
    if (one && !names.includes(one)) names = [...names, one];
    alias.value = '';
    drawAliases();
  }
  function fill(from) {
    name.value = from.name;
    room.value = from.room;
    exposed.checked = from.exposed;
    risk.value = from.risk;
    names = [...from.aliases];
    drawAliases();
    spell();
  }
  function spell() {
    const strange = [name.value, ...names].filter(hasUnseen);
    unseen.hidden = !strange.length;
    put(unseen, t('edit_unseen'), ' ', strange.map((one) => [data(one), ' ']));
  }
  function begin() {
    base = asSaid(device(id));
    revision = overrides().revision;
    fill(base);
  }

  async function save(set, on = revision) {
    saveButton.disabled = true;
    put(message);
    try {
      await change(id, set, on);
      if (device(id)) begin();
      put(message, h('p', { class: 'good' }, t('edit_saved')));
      app.toast(t('edit_saved'), { action: { label: t('edit_undo'), run: takeBack } });
    } catch (error) {
      if (error.status === 409) await conflict(set);
      else if (error.status === 422) put(message, h('p', { class: 'bad' }, data(t('edit_refused', error.message))));
      else if (error.status === 507) put(message, h('p', { class: 'bad' }, t('edit_full')));
      else put(message, h('p', { class: 'bad' }, app.because(error)));
    } finally {
      saveButton.disabled = !may;
    }
  }

  // Somebody else was faster: both are shown, and whoever looks decides.
  async function conflict(set) {
    await load().catch(() => {});
    const one = device(id);
    if (!one) return void put(message, h('p', { class: 'bad' }, t('device_gone')));
    const there = asSaid(one);
    const rows = Object.keys(set).map((key) =>
      h('div', {}, h('dt', {}, t(`edit_${key}`)), h('dd', {}, t('edit_theirs'), ' ', data(inWords(key, there[key])), h('br'), t('edit_mine'), ' ', data(set[key] === null ? t('edit_reset') : inWords(key, set[key])))),
    );
    const mine = h('button', { type: 'button', class: 'main', onclick: () => save(set, overrides().revision) }, t('edit_keep_mine'));
    put(
      message,
      h('div', { class: 'conflict' },
        h('p', {}, t('edit_conflict')),
        h('dl', {}, rows),
        h('p', { class: 'buttons' }, mine, h('button', { type: 'button', onclick: () => (begin(), put(message)) }, t('edit_take_theirs'))),
      ),
    );
    mine.focus();
  }

  // A field that the owner changed can be given back to whoever brought the device.
  const reset = (key) => {
    const button = h('button', { type: 'button', class: 'plain reset', hidden: true, 'aria-label': `${t('edit_reset')}: ${t(`edit_${key}`)}`, onclick: () => save({ [key]: null }) }, t('edit_reset'));
    button.dataset.key = key;
    return button;
  };
  const labelled = (key, input, ...more) => h('div', { class: 'field' }, h('label', { for: field(key) }, t(`edit_${key}`)), h('div', { class: 'with' }, input, reset(key)), more);
  const addButton = h('button', { type: 'button', disabled: !may, onclick: addName }, t('edit_alias_add'));
  alias.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !alias.value.trim()) return;
    event.preventDefault();
    addName();
  });
  name.addEventListener('input', spell);
  const form = h(
    'form',
    { class: 'edit', 'aria-label': t('edit') },
    h('h3', {}, t('edit')),
    !may && h('p', { class: 'note' }, t('read_only')),
    labelled('name', name),
    unseen,
    h('div', { class: 'field', role: 'group', 'aria-labelledby': field('aliases') },
      h('div', { class: 'with' }, h('span', { id: field('aliases'), class: 'label' }, t('edit_aliases')), reset('aliases')),
      aliases,
      may && h('div', { class: 'with' }, (alias.setAttribute('aria-label', t('edit_alias_new')), alias.setAttribute('placeholder', t('edit_alias_new')), alias), addButton),
    ),
    labelled('room', room, rooms),
    labelled('risk', risk),
    h('div', { class: 'field check' }, exposed, h('label', { for: field('exposed') }, t('edit_exposed')), reset('exposed')),
    message,
    may && h('p', { class: 'buttons' }, saveButton),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    addName();
    const set = wished();
    if (set.risk === '') set.risk = null;
    if (Object.keys(set).length) save(set);
    else put(message, h('p', {}, t('edit_nothing')));
  });

  function live() {
    const one = device(id);
    if (one) put(now, h('h3', {}, t('device_state')), status(one));
  }
  function refresh() {
    const one = device(id);
    if (!one) return;
    put(title, data(one.name));
    put(
      about,
      h('p', {},
        h('span', { class: one.online ? 'badge good' : 'badge bad' }, t(one.online ? 'online' : 'offline')), ' ',
        !one.exposed && h('span', { class: 'badge' }, t('hidden')),
      ),
      h('dl', { class: 'facts' },
        [[t('edit_room'), one.room], [t('device_kind'), one.kind], [t('device_hub'), one.hub ?? t('device_document')], [t('device_id'), one.id],
          [t('device_groups'), (one.groups ?? []).map((group) => current().groups.find((each) => each.id === group)?.name ?? group).join('、')]]
          .filter(([, what]) => what)
          .map(([label, what]) => h('div', {}, h('dt', {}, label), h('dd', {}, data(what)))),
      ),
    );
    for (const button of form.querySelectorAll('.reset')) button.hidden = !may || !one.changed?.includes(button.dataset.key);
    put(rooms, current().rooms.map((each) => h('option', { value: each.name })));
    live();
    // Nothing typed: what others changed is simply shown.
    if (!Object.keys(wished()).length) begin();
  }
  fill(base);
  refresh();
  return { node: h('article', { class: 'one' }, h('header', {}, title, about), now, form), refresh, live };
}

/** What was changed, and the way back. */
export function log() {
  const { history = [], undo: canUndo } = overrides();
  const rows = history.slice(0, HISTORY).map((one) => h('li', {}, h('span', { class: 'quiet' }, clock(one.at, false)), ' ', data(one.what === 'by hand' ? t('history_by_hand') : one.what), ' ', one.who && h('span', { class: 'quiet' }, data(one.who))));
  return h(
    'details',
    {},
    h('summary', {}, t('history'), ' ', h('span', { class: 'quiet' }, String(history.length))),
    rows.length ? h('ol', { class: 'history' }, rows) : h('p', { class: 'quiet' }, t('history_none')),
    canUndo && app.may('manage') && h('button', { type: 'button', onclick: takeBack }, t('history_undo')),
  );
}
