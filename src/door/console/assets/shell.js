// What stands around the views: tabs, the state of the connection, language, light and dark, messages, the login.

import { Refused, get, token } from './api.js';
import { on } from './bus.js';
import { h, put } from './dom.js';
import { lang, speak, t, word } from './i18n.js';
import { now as reconnect, state as linked } from './live.js';

export const VIEWS = ['live', 'say', 'home', 'jobs', 'health'];
const THEME = 'zhiju-theme';
const THEMES = ['auto', 'light', 'dark'];
const TOAST_MS = 12_000;

/** What views may ask of the page around them; filled in when it is built. */
export const app = {
  me: { name: '', rights: [] },
  may: (right) => app.me.rights.includes(right),
  go: () => {},
  announce: () => {},
  toast: () => {},
  failed: (error) => app.toast(t('failed', app.because(error)), { bad: true }),
  because(error) {
    if (!(error instanceof Refused)) return t('failed_net');
    return error.code && error.code !== 'denied' ? word('errors', error.code, error.message) : error.message;
  },
};

/** Light or dark, as it was chosen. */
export function dress() {
  const theme = localStorage.getItem(THEME);
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

function themeButton() {
  const button = h('button', { type: 'button', class: 'plain' });
  const name = () => localStorage.getItem(THEME) ?? 'auto';
  const paint = () => {
    const label = `${t('theme')}: ${t(`theme_${name()}`)}`;
    button.setAttribute('aria-label', label);
    button.title = label;
    button.textContent = { auto: '◐', light: '☀︎', dark: '☾' }[name()];
  };
  button.addEventListener('click', () => {
    localStorage.setItem(THEME, THEMES[(THEMES.indexOf(name()) + 1) % THEMES.length]);
    dress();
    paint();
  });
  paint();
  return button;
}

function languageButton(rebuild) {
  const other = lang() === 'zh' ? 'en' : 'zh';
  const button = h('button', { type: 'button', class: 'plain', lang: other }, t('other_language'));
  button.addEventListener('click', () => {
    speak(other);
    rebuild();
  });
  return button;
}

// The state of the stream, with the seconds until the next try.
function link(signal) {
  const label = h('span', { class: 'link-text' });
  const button = h('button', { type: 'button', class: 'plain', hidden: true, onclick: reconnect }, t('link_now'));
  const node = h('div', { class: 'link', role: 'status' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), label, button);
  let state = { state: 'opening' };
  let ticking = 0;
  const paint = () => {
    node.dataset.state = state.state;
    const seconds = Math.max(0, Math.ceil((state.at - Date.now()) / 1000));
    const closed = state.why === 'gone' ? t('link_closed', seconds) : t(`link_${state.why}`);
    const text = state.state === 'open' ? t('link_open') : state.state === 'opening' ? t('link_opening') : closed;
    if (label.textContent !== text) label.textContent = text;
    button.hidden = state.state !== 'closed';
  };
  const show = (told) => {
    // Between two tries it stays what it was: disconnected.
    if (told.state === 'opening' && state.state === 'closed') told = { ...state, at: Date.now() };
    state = told;
    clearInterval(ticking);
    // A screen reader hears of the change once, not of every second.
    node.setAttribute('aria-live', 'polite');
    paint();
    if (state.state === 'closed') {
      node.setAttribute('aria-live', 'off');
      ticking = setInterval(paint, 1_000);
    }
  };
  on('link', show, signal);
  signal.addEventListener('abort', () => clearInterval(ticking));
  show(linked());
  return node;
}

function tabs(signal) {
  const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': t('views') });
  const made = VIEWS.map((name) =>
    h('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `view-${name}`, onclick: () => app.go(name, '') }, t(name)),
  );
  list.append(...made);
  list.addEventListener('keydown', (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const at = VIEWS.indexOf(document.activeElement.id.slice(4));
    const next = Math.abs(move) === 1 ? (at + move + VIEWS.length) % VIEWS.length : move < 0 ? 0 : VIEWS.length - 1;
    made[next].focus();
    app.go(VIEWS[next], '');
  }, { signal });
  const select = (name) => {
    for (const one of made) {
      const mine = one.id === `tab-${name}`;
      one.setAttribute('aria-selected', String(mine));
      one.tabIndex = mine ? 0 : -1;
    }
  };
  return { list, select };
}

/** Builds it all around the views' panels. */
export function shell({ signal, rebuild, leave, panels }) {
  const { list, select } = tabs(signal);
  const announcer = h('div', { class: 'away', role: 'log', 'aria-live': 'polite' });
  const toasts = h('div', { class: 'toasts', role: 'status' });
  app.announce = (text) => {
    announcer.textContent = text;
  };
  app.toast = (text, { bad = false, action } = {}) => {
    const message = h('div', { class: bad ? 'toast bad' : 'toast' }, h('span', {}, text));
    const close = () => message.remove();
    if (action) {
      message.append(h('button', { type: 'button', class: 'plain', onclick: () => (close(), action.run()) }, action.label));
    }
    message.append(h('button', { type: 'button', class: 'plain', 'aria-label': t('close'), onclick: close }, '×'));
    put(toasts, message);
    // It waits for whoever is about to press its button.
    const later = () => (message.contains(document.activeElement) || message.matches(':hover') ? setTimeout(later, 2_000) : close());
    setTimeout(later, TOAST_MS);
  };
  const head = h(
    'header',
    { class: 'top' },
    h('h1', {}, t('title')),
    list,
    link(signal),
    h(
      'div',
      { class: 'settings' },
      languageButton(rebuild),
      themeButton(),
      token.get() && h('button', { type: 'button', class: 'plain', onclick: leave }, t('leave')),
    ),
  );
  const main = h('main', { id: 'main' }, panels);
  put(document.body, head, main, toasts, announcer);
  return { select };
}

/** Asks for a token; ends when one was right. `why` is a key of the texts. */
export function login(why) {
  return new Promise((done) => {
    const input = h('input', { id: 'token', type: 'password', autocomplete: 'current-password', required: true, spellcheck: 'false' });
    const said = h('p', { class: 'bad', role: 'alert' }, why ? t(why) : '');
    const button = h('button', { type: 'submit', class: 'main' }, t('login'));
    const form = h(
      'form',
      { class: 'login' },
      h('h1', {}, t('title')),
      h('p', {}, t('login_why')),
      h('label', { for: 'token' }, t('login_token')),
      input,
      button,
      said,
      languageButton(() => login(why).then(done)),
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      button.disabled = true;
      token.set(input.value.trim());
      try {
        done(await get('/v1/me'));
      } catch (error) {
        token.forget();
        const known = { 401: 'login_wrong', 429: 'login_shut', 403: 'login_denied' }[error.status];
        said.textContent = known ? t(known) : t('failed_net');
        button.disabled = false;
        input.select();
      }
    });
    put(document.body, h('main', { class: 'center' }, form));
    input.focus();
  });
}

/** Tells why there is nothing to see. */
export function refuse(text, again) {
  put(document.body, h('main', { class: 'center' }, h('div', { class: 'login', role: 'alert' }, h('h1', {}, t('title')), h('p', {}, text), h('button', { type: 'button', onclick: again }, t('retry')))));
}
