// The home as the daemon tells it, and what its owner changes of it.

import { Refused, get, post } from './api.js';
import { emit } from './bus.js';

const nothing = { revision: 0, floors: [], rooms: [], devices: [], groups: [], scenes: [], hubs: [], notices: [] };
let home = nothing;
let byId = new Map();
const unsaid = { revision: '', devices: {}, history: [], problem: null, undo: false };
let said = unsaid;
let loading = null;
let again = false;

/** The home. */
export const current = () => home;
/** A device of it. */
export const device = (id) => byId.get(id);
/** What the owner said of it so far. */
export const overrides = () => said;

async function fetchAll() {
  const [whole, own] = await Promise.all([get('/v1/console/home'), get('/v1/overrides').catch(() => said)]);
  home = { ...nothing, ...whole };
  byId = new Map(home.devices.map((one) => [one.id, one]));
  said = own;
  emit('house', home);
}

/** Reads it anew. One reading at a time: what changes meanwhile is read after it. */
export function load() {
  if (loading) {
    again = true;
    return loading;
  }
  loading = fetchAll().finally(() => {
    loading = null;
    if (again) {
      again = false;
      load().catch(() => {});
    }
  });
  return loading;
}

/** What devices told of themselves. */
export function told(states) {
  const changed = [];
  for (const [id, { state, online }] of states) {
    const one = byId.get(id);
    if (!one) continue;
    one.state = { ...one.state, ...state };
    one.online = online ?? one.online;
    changed.push(one);
  }
  if (changed.length) emit('devices', changed);
}

/** Changes what the owner says of a device, as it was when `base` was read. A 409 says that somebody else was faster. */
export async function change(id, set, base = said.revision) {
  said = await post('/v1/overrides', { base, device: id, set });
  await load();
  return said;
}

/** Takes back the last change. */
export async function undo(base = said.revision) {
  said = await post('/v1/overrides/undo', { base });
  await load();
  return said;
}

/** Gives a device one more name. What others changed meanwhile does not stand against it: it is added to what there is now. */
export async function addAlias(id, alias) {
  await load();
  for (let attempt = 0; ; attempt += 1) {
    const one = byId.get(id);
    if (!one) throw new Refused(404, null);
    if (one.name === alias || one.aliases.includes(alias)) return said;
    try {
      return await change(id, { aliases: [...one.aliases, alias] });
    } catch (error) {
      if (error.status !== 409 || attempt > 0) throw error;
      await load();
    }
  }
}

/** Forgets it. */
export function clear() {
  home = nothing;
  byId = new Map();
  said = unsaid;
}
