// One utterance as a text to share, its names replaced by the daemon.

import { text } from './api.js';
import { h, put } from './dom.js';
import { t } from './i18n.js';
import { app } from './shell.js';

async function copy(what, field) {
  // Pages that did not come over TLS or from this machine may not write to the clipboard; the older way still works there.
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(what);
      return true;
    } catch {
      // Refused: the other way.
    }
  }
  field.focus();
  field.select();
  return document.execCommand('copy');
}

/** The button, and what it made for everybody to see before they pass it on. */
export function share(account) {
  const shown = h('div', { class: 'shared' });
  const button = h('button', { type: 'button' }, t('share'));
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const whole = await text(`/v1/utterances/${account.seq}/trace`);
      const field = h('textarea', { readonly: true, rows: '12', 'aria-label': t('share_text'), spellcheck: 'false', dir: 'ltr' });
      field.value = whole;
      const told = h('p', { role: 'status' });
      put(shown, told, field);
      const done = await copy(whole, field);
      told.textContent = done ? t('share_done') : t('share_by_hand');
      if (done) button.focus();
    } catch (error) {
      app.failed(error);
    } finally {
      button.disabled = false;
    }
  });
  return h('section', { class: 'share' }, button, h('p', { class: 'quiet' }, t('share_why')), shown);
}
