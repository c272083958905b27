// Begins: who looks, what they look at, and the stream.

import { Refused, get, onLocked, token } from './api.js';
import * as book from './book.js';
import { emit, on } from './bus.js';
import { devices } from './devices.js';
import { h } from './dom.js';
import { health } from './health.js';
import { heard } from './heard.js';
import * as house from './house.js';
import { lang, t } from './i18n.js';
import { jobs } from './jobs.js';
import * as live from './live.js';
import { say } from './say.js';
import { VIEWS, app, dress, login, refuse, shell } from './shell.js';

const MAKE = { live: heard, say, home: devices, jobs, health };

let building = new AbortController();
let views = {};
let select = () => {};

// `#/live/17`: the view, and what is opened in it.
function route() {
  const [, name = '', rest = ''] = location.hash.split('/');
  let argument = '';
  try {
    argument = decodeURIComponent(rest);
  } catch {
    // Half a character: nothing is opened.
  }
  return { name: VIEWS.includes(name) ? name : 'live', argument };
}

// `byHand`: somebody asked for it here, so the focus goes along.
function show(byHand) {
  const { name, argument } = route();
  select(name);
  for (const [other, { panel, view }] of Object.entries(views)) {
    const mine = other === name;
    if (panel.hidden === mine) {
      panel.hidden = !mine;
      if (!mine) view.hide?.();
    }
    if (mine) view.open?.(argument, byHand);
  }
  document.title = `${t(name)} · ${t('title')}`;
}

app.go = (name, argument, byHand = false) => {
  const hash = argument ? `#/${name}/${encodeURIComponent(argument)}` : `#/${name}`;
  // What the address says already is not said again: going back goes somewhere else.
  if (location.hash !== hash) history.pushState(null, '', hash);
  show(byHand);
};

function build() {
  building.abort();
  building = new AbortController();
  const { signal } = building;
  document.documentElement.lang = lang() === 'zh' ? 'zh-CN' : 'en';
  views = {};
  for (const name of VIEWS) {
    const view = MAKE[name]({ signal, go: app.go, announce: (text) => app.announce(text) });
    const panel = h('div', { class: 'panel', id: `view-${name}`, role: 'tabpanel', 'aria-labelledby': `tab-${name}`, hidden: true }, view.node);
    views[name] = { panel, view };
  }
  ({ select } = shell({ signal, rebuild: build, leave, panels: VIEWS.map((name) => views[name].panel) }));
  addEventListener('popstate', () => show(true), { signal });
  addEventListener('hashchange', () => show(false), { signal });
  on('caught', ({ found, lost, restarted }) => {
    if (restarted) app.toast(t('restarted'));
    else app.toast(lost ? t('caught_lost', found, lost) : t('caught', found));
  }, signal);
  show(false);
}

// What is told of the stream is for the page as a whole, in whatever language it is.
on('utterances', book.heard);
on('outcome', book.settled);
on('states', house.told);
on('home', () => house.load().catch(() => {}));
on('lagged', () => book.catchUp().catch(() => {}));
// The first greeting comes right after everything was read; what came later may have changed it.
let greeted = false;
on('hello', (hello) => {
  book.catchUp(hello).catch(() => {});
  if (greeted) {
    house.load().catch(() => {});
    emit('jobs', {});
  }
  greeted = true;
});

function end() {
  building.abort();
  live.stop();
  book.clear();
  house.clear();
}

function leave() {
  end();
  token.forget();
  begin();
}

let asking = false;
async function enter(why) {
  if (asking) return;
  asking = true;
  end();
  app.me = await login(why);
  asking = false;
  run();
}
onLocked(() => enter('login_gone'));

function run() {
  greeted = false;
  build();
  book.older().catch(app.failed);
  house.load().catch(() => {});
  live.start();
}

async function begin() {
  dress();
  document.documentElement.lang = lang() === 'zh' ? 'zh-CN' : 'en';
  try {
    app.me = await get('/v1/me');
    run();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) enter(token.get() ? 'login_gone' : '');
    else if (error instanceof Refused && error.status === 403) refuse(t('login_distant'), begin);
    else if (error instanceof Refused && error.status === 429) refuse(t('login_shut'), begin);
    else refuse(t('failed_net'), begin);
  }
}

begin();
