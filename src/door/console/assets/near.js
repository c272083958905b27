// The nearest names of what was not found, and one click that makes it a name.

import { post } from './api.js';
import { data, h, plain, put } from './dom.js';
import { addAlias, current, undo } from './house.js';
import { t } from './i18n.js';
import { app } from './shell.js';

let fields = 0;

/** The names, each with its button. */
export function near(account, detail, phrase) {
  fields += 1;
  const id = `phrase-${fields}`;
  const input = h('input', { id, type: 'text', value: phrase, maxlength: '64', autocomplete: 'off', dir: 'auto' });
  const said = h('div', { class: 'said-back', role: 'status' });
  const may = app.may('manage');

  async function again() {
    const answer = await post('/v1/ask', { text: account.said, instruct: false, ...(account.room ? { local: account.room } : {}) });
    if (answer.seq !== undefined) app.go('live', `${answer.seq}`, true);
    else put(said, h('p', {}, data(answer.text)));
  }

  async function make(one, button) {
    const alias = input.value.trim();
    if (!alias) {
      put(said, h('p', { class: 'bad' }, t('near_empty')));
      input.focus();
      return;
    }
    button.disabled = true;
    try {
      await addAlias(one.id, alias);
      put(
        said,
        h('p', { class: 'good' }, data(t('near_done', alias, one.name))),
        h('p', { class: 'buttons' },
          app.may('ask') && h('button', { type: 'button', onclick: () => again().catch(app.failed) }, t('near_again')),
          h('button', { type: 'button', class: 'plain', onclick: () => undo().then(() => put(said, h('p', {}, t('edit_undone'))), app.failed) }, t('edit_undo')),
        ),
      );
    } catch (error) {
      put(said, h('p', { class: 'bad' }, app.because(error)));
    } finally {
      button.disabled = false;
    }
  }

  // Any other device can be meant as well.
  const labels = new Map(current().devices.map((one) => [plain(`${one.name}${one.room ? ` · ${one.room}` : ''}`), one]));
  const other = h('input', { id: `${id}-other`, type: 'text', list: `${id}-all`, autocomplete: 'off', dir: 'auto', disabled: !may });
  const take = h('button', { type: 'button', disabled: !may }, t('near_take'));
  take.addEventListener('click', () => {
    const one = labels.get(other.value);
    if (one) return void make(one, take);
    put(said, h('p', { class: 'bad' }, t('near_which')));
    other.focus();
  });

  const rows = (detail.near ?? []).filter((one) => one.name !== phrase).map((one) => {
    // Who cannot see the field above hears what the button makes of it.
    const whole = h('span', { class: 'away' });
    const button = h('button', { type: 'button', disabled: !may, class: 'near' }, data(one.name, 'name'), h('span', { class: 'quiet' }, data(one.room)), whole);
    const label = () => (whole.textContent = t('near_make', plain(input.value), plain(one.name)));
    input.addEventListener('input', label);
    label();
    button.addEventListener('click', () => make(one, button));
    return h('li', {}, button);
  });
  return [
    h('p', {}, rows.length ? t('near_why') : t('near_none')),
    h('div', { class: 'field' }, h('label', { for: id }, t('near_phrase')), input),
    rows.length > 0 && h('ul', { class: 'nears' }, rows),
    h('div', { class: 'field' },
      h('label', { for: `${id}-other` }, t('near_other')),
      h('div', { class: 'with' }, other, take),
      h('datalist', { id: `${id}-all` }, [...labels.keys()].map((label) => h('option', { value: label }))),
    ),
    !may && h('p', { class: 'quiet' }, t('read_only')),
    said,
  ];
}
