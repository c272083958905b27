// Says a sentence to the home: as a dry run, or for real.

import { post } from './api.js';
import { on } from './bus.js';
import { data, h } from './dom.js';
import { current } from './house.js';
import { lang, t } from './i18n.js';
import { app } from './shell.js';

const KEPT = 50;

// Speech is the browser's own. Where it can, it is told to keep what was said on this device; where it cannot, whoever speaks
// is told that their browser may ask somebody else.
function microphone(put) {
  const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
  if (!Recognition || !window.isSecureContext) return null;
  let near = 'processLocally' in Recognition.prototype;
  const said = h('p', { class: 'quiet' }, t(near ? 'say_mic_local' : 'say_mic_far'));
  const button = h('button', { type: 'button', 'aria-pressed': 'false' }, t('say_mic'));
  let hearing = null;
  const end = () => {
    hearing = null;
    button.setAttribute('aria-pressed', 'false');
    button.textContent = t('say_mic');
  };
  button.addEventListener('click', () => {
    if (hearing) return hearing.stop();
    hearing = new Recognition();
    hearing.lang = 'zh-CN';
    hearing.interimResults = true;
    if (near) hearing.processLocally = true;
    hearing.onresult = (event) => put([...event.results].map((one) => one[0].transcript).join(''));
    hearing.onerror = (event) => {
      // No words of this language lie on this device: whether they may go elsewhere is decided by pressing again.
      const missing = near && event.error === 'language-not-supported';
      if (missing) near = false;
      said.textContent = missing ? t('say_mic_no_pack') : t('say_mic_failed', event.error);
    };
    hearing.onend = end;
    button.setAttribute('aria-pressed', 'true');
    button.textContent = t('say_mic_stop');
    try {
      hearing.start();
    } catch (error) {
      said.textContent = t('say_mic_failed', error.message);
      end();
    }
    return undefined;
  });
  return { button, said, stop: () => hearing?.abort() };
}

/** The view. */
export function say({ signal, go }) {
  let page = null;
  const may = app.may('ask');
  const input = h('input', {
    id: 'say-what', type: 'text', maxlength: '2000', autocomplete: 'off', enterkeyhint: 'go', placeholder: t('say_example'), lang: 'zh', dir: 'auto',
    disabled: !may, required: true,
  });
  const room = h('select', { id: 'say-room', disabled: !may });
  const rooms = () => {
    const chosen = room.value;
    room.replaceChildren(
      h('option', { value: '' }, t('say_no_room')),
      ...current().rooms.map((one) => h('option', { value: one.name }, data(one.name).textContent)),
    );
    room.value = chosen;
    if (room.selectedIndex < 0) room.selectedIndex = 0;
  };
  const log = h('ol', { class: 'talk', 'aria-label': t('say_log'), 'aria-live': 'polite' });

  async function ask(instruct) {
    const text = input.value.trim();
    if (!text) return;
    const answer = h('div', { class: 'turn it' }, h('span', { class: 'away' }, `${t('say_it')}: `), t('say_wait'));
    const turn = h('li', {}, h('div', { class: 'turn you' }, h('span', { class: 'away' }, `${t('say_you')}: `), data(text)), answer);
    log.append(turn);
    if (log.childElementCount > KEPT) log.firstElementChild.remove();
    turn.scrollIntoView({ block: 'nearest' });
    input.value = '';
    try {
      const told = await post('/v1/ask', { text, instruct, ...(room.value ? { local: room.value } : {}), ...(page ? { page_id: page } : {}) });
      page = told.page_id ?? page;
      const moving = (told.instructs ?? []).filter((one) => !one.noop).length;
      answer.replaceChildren(
        h('span', { class: 'away' }, `${t('say_it')}: `),
        told.text ? data(told.text) : h('span', { class: 'quiet' }, t('say_silent')),
        h('span', { class: 'meta' },
          !instruct && h('span', { class: 'badge' }, t('say_dry')),
          moving > 0 && h('span', { class: 'badge good' }, t('say_moved', moving)),
          told.seq !== undefined && told.seq !== null && h('button', { type: 'button', class: 'plain', onclick: () => go('live', `${told.seq}`, true) }, t('say_open')),
        ),
      );
    } catch (error) {
      answer.replaceChildren(h('span', { class: 'bad' }, app.because(error)));
      // What was typed is not lost.
      if (!input.value) input.value = text;
    }
    turn.scrollIntoView({ block: 'nearest' });
  }

  const mic = may ? microphone((text) => (input.value = text)) : null;
  signal.addEventListener('abort', () => mic?.stop());
  // The dry run is first: what the Enter key does moves nothing.
  const form = h(
    'form',
    { class: 'say', lang: lang() === 'zh' ? 'zh-CN' : 'en' },
    h('div', { class: 'field grow' }, h('label', { for: 'say-what' }, t('say_what')), input),
    h('div', { class: 'field' }, h('label', { for: 'say-room' }, t('say_room')), room),
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'submit', class: 'main', disabled: !may }, t('say_dry')),
      h('button', { type: 'button', class: 'real', disabled: !may, onclick: () => ask(true) }, t('say_real')),
      mic?.button,
    ),
    h('p', { class: 'quiet' }, may ? t('say_dry_why') : t('say_none')),
    mic?.said,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    ask(false);
  });
  const fresh = h('button', { type: 'button', class: 'plain', onclick: () => ((page = null), log.replaceChildren(), input.focus()) }, t('say_new'));
  on('house', rooms, signal);
  rooms();
  const node = h('div', { class: 'scroll narrow' }, form, log, may && h('p', {}, fresh));
  return { node, open: (_, byHand) => byHand && input.focus(), hide: () => mic?.stop() };
}
