// What was said, newest first, as far as the page remembers it: the daemon's last thousand, and what it forgot meanwhile.

import { get } from './api.js';
import { emit } from './bus.js';

/** Accounts that are kept. */
export const MOST = 1_000;
const PAGE = 50;

// Numbers begin anew with every start of the daemon: `run` tells the starts apart that this page has seen.
let run = 0;
let accounts = [];
let byKey = new Map();
let more = true;
let loading = null;
// While the page looks for what it missed, what comes waits: `null` when nothing is looked for.
let held = null;
// What devices answered to sentences that are not known yet, which may come a moment later.
let early = [];
const EARLY = 200;

const keyOf = (account) => `${account.run}.${account.seq}`;

/** The accounts, newest first. */
export const all = () => accounts;
/** Whether the daemon has older ones. */
export const hasMore = () => more && accounts.length < MOST;
/** Whether an account is of the daemon that runs now: it can be opened there. */
export const isCurrent = (account) => account.run === run;
/** The way in the address of an account. */
export const nameOf = (account) => (isCurrent(account) ? `${account.seq}` : keyOf(account));
/** The account of a name. */
export const find = (name) => byKey.get(name.includes('.') ? name : `${run}.${name}`);

function newest() {
  return accounts[0] && isCurrent(accounts[0]) ? accounts[0] : null;
}

/** Takes accounts in; says which were new. */
function add(list) {
  const fresh = [];
  for (const raw of list) {
    const key = `${run}.${raw.seq}`;
    const known = byKey.get(key);
    if (known) {
      merge(known, raw);
      continue;
    }
    const account = { ...raw, run };
    for (const one of early.filter((other) => other.rid === account.rid)) answer(account, one);
    early = early.filter((other) => other.rid !== account.rid);
    byKey.set(key, account);
    // What comes is nearly always newer than all there is, or older.
    let at = 0;
    if (accounts.length && account.seq < accounts[0].seq && isCurrent(accounts[0])) {
      at = accounts.findIndex((other) => other.run < run || other.seq < account.seq);
      if (at < 0) at = accounts.length;
    }
    accounts.splice(at, 0, account);
    fresh.push(account);
  }
  const gone = accounts.splice(MOST);
  for (const account of gone) byKey.delete(keyOf(account));
  return fresh.filter((account) => byKey.has(keyOf(account)));
}

/** What the stream told. */
export function heard(list) {
  if (held) {
    held.push(...list);
    held.splice(0, held.length - MOST);
    return;
  }
  const fresh = add(list);
  if (fresh.length) emit('book', { fresh, live: true });
}

/** What a device made of an instruct. */
export function settled({ rid, ...settlement }) {
  const heldOne = held?.find((one) => one.rid === rid);
  const account = accounts.find((one) => one.rid === rid) ?? heldOne;
  if (!account) {
    early.push({ rid, ...settlement });
    early.splice(0, early.length - EARLY);
    return;
  }
  answer(account, settlement);
  emit('account', account);
}

// What was told of devices stays told.
function merge(account, raw) {
  const heard = (account.outcomes ?? []).filter((one) => !raw.outcomes?.some((other) => other.id === one.id));
  Object.assign(account, raw, { outcomes: [...heard, ...(raw.outcomes ?? [])] });
}

function answer(account, { rid: _, ...settlement }) {
  const others = (account.outcomes ?? []).filter((one) => one.id !== settlement.id);
  account.outcomes = [...others, settlement];
}

/** What the daemon knows of an account by now. */
export function renew(account, raw) {
  merge(account, raw);
  emit('account', account);
}

/** The next older ones. */
export function older() {
  if (!hasMore()) return Promise.resolve();
  loading ??= (async () => {
    const last = accounts.findLast(isCurrent);
    const before = last ? `&before=${last.seq}` : '';
    const page = await get(`/v1/utterances?limit=${PAGE}${before}`);
    more = page.more && page.utterances.length > 0;
    const fresh = add(page.utterances);
    emit('book', { fresh, live: false });
  })().finally(() => (loading = null));
  return loading;
}

/** After a connection was made, or events were lost: what was missed is fetched, and told. */
export async function catchUp(hello) {
  if (held) return;
  held = [];
  try {
    await search(newest(), hello);
  } finally {
    const late = held;
    held = null;
    heard(late);
  }
}

async function search(known, hello) {
  if (!known) {
    await older();
    return;
  }
  const found = [];
  let before = '';
  let met = false;
  let restarted = hello?.seq !== undefined && hello.seq < known.seq;
  while (!met && !restarted && found.length < MOST) {
    const page = await get(`/v1/utterances?limit=${before ? 4 * PAGE : PAGE}${before}`);
    for (const account of page.utterances) {
      met = account.seq <= known.seq;
      if (!met) found.push(account);
      else restarted = account.seq === known.seq && (account.rid !== known.rid || account.at !== known.at);
      if (met) break;
    }
    if (!page.more || !page.utterances.length) break;
    before = `&before=${page.utterances.at(-1).seq}`;
  }
  if (restarted) {
    run += 1;
    more = true;
    await older();
    emit('caught', { restarted: true, found: 0, lost: 0 });
    return;
  }
  const fresh = add(found);
  const lost = met || !found.length ? 0 : Math.max(0, found.at(-1).seq - known.seq - 1);
  if (fresh.length) emit('book', { fresh, live: false });
  if (fresh.length || lost) emit('caught', { restarted: false, found: fresh.length, lost });
}

/** Forgets everything: somebody else may come. */
export function clear() {
  accounts = [];
  byKey = new Map();
  more = true;
}
