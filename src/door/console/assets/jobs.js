// What is to be done later, and what became of what was.

import { get, post } from './api.js';
import { on } from './bus.js';
import { data, h, plain, put } from './dom.js';
import { t, word } from './i18n.js';
import { app } from './shell.js';
import { clock, repeat, span } from './words.js';

const AGAIN_MS = 30_000;
const HOW = { done: 'good', missed: 'warn', failed: 'bad', cancelled: '' };

function due(one) {
  const seconds = (new Date(one.due) - Date.now()) / 1000;
  return seconds > 0 ? t('jobs_due_in', span(seconds)) : t('jobs_overdue');
}

/** The view. */
export function jobs({ signal }) {
  const pending = h('div', {}, h('p', { class: 'empty' }, t('loading')));
  const ended = h('div', {});
  const said = h('p', { role: 'status', class: 'said-back' });
  let seen = false;

  async function cancel(one) {
    try {
      const { gone } = await post('/v1/jobs/cancel', { id: one.id });
      said.textContent = gone.length ? t('jobs_cancelled', plain(one.summary)) : t('jobs_was_gone');
    } catch (error) {
      app.failed(error);
    }
    await load();
    said.tabIndex = -1;
    said.focus();
  }

  // Twice, because nothing brings a job back.
  function cancelButton(one) {
    const button = h('button', { type: 'button', 'aria-label': `${t('jobs_cancel')}: ${plain(one.summary)}` }, t('jobs_cancel'));
    let sure = false;
    const calm = () => {
      sure = false;
      button.className = '';
      button.textContent = t('jobs_cancel');
      button.setAttribute('aria-label', `${t('jobs_cancel')}: ${plain(one.summary)}`);
    };
    button.addEventListener('click', () => {
      if (sure) return void cancel(one);
      sure = true;
      button.className = 'real';
      button.textContent = t('jobs_sure');
      button.setAttribute('aria-label', `${t('jobs_sure')} ${plain(one.summary)}`);
    });
    button.addEventListener('blur', calm);
    return button;
  }

  const job = (one) =>
    h(
      'li',
      { class: 'job' },
      h('div', { class: 'job-when' }, h('b', {}, clock(one.due, false)), h('span', { class: 'quiet' }, due(one))),
      h('div', { class: 'grow' }, data(one.summary, 'name'), one.repeat && h('p', { class: 'quiet' }, data(repeat(one.repeat)))),
      app.may('manage') && cancelButton(one),
    );

  const past = (one) =>
    h(
      'li',
      { class: 'job' },
      h('div', { class: 'job-when' }, h('b', {}, clock(one.at, false))),
      h('div', { class: 'grow' }, data(one.summary, 'name')),
      h('span', { class: `badge ${HOW[one.how] ?? ''}` }, word('jobs_how', one.how)),
    );

  function draw(told) {
    put(pending, told.jobs.length ? h('ul', { class: 'cards' }, told.jobs.map(job)) : h('p', { class: 'empty' }, t('jobs_none')));
    const over = told.ended ?? [];
    put(ended, over.length ? h('ul', { class: 'cards' }, over.map(past)) : h('p', { class: 'empty' }, t('jobs_none_ended')));
  }

  async function load() {
    try {
      draw(await get('/v1/jobs'));
    } catch (error) {
      put(pending, h('p', { class: 'bad' }, app.because(error)));
    }
  }

  // While somebody is about to press a button nothing moves under them.
  const now = () => seen && !pending.contains(document.activeElement) && load();
  const timer = setInterval(() => !document.hidden && now(), AGAIN_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  on('jobs', () => seen && load(), signal);

  const node = h(
    'div',
    { class: 'scroll narrow', tabindex: '0', role: 'region', 'aria-label': t('jobs') },
    !app.may('manage') && h('p', { class: 'note' }, t('read_only')),
    said,
    h('h2', {}, t('jobs_pending')),
    pending,
    h('h2', {}, t('jobs_ended')),
    ended,
  );
  return {
    node,
    open: () => {
      seen = true;
      load();
    },
    hide: () => (seen = false),
  };
}
