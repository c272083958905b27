// Asks the daemon. The token lives as long as the tab.

const KEY = 'zhiju-token';
const PATIENCE_MS = 15_000;

/** An answer that is none. */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.error?.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = body?.error?.code ?? '';
    this.body = body;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY) ?? '',
  set: (secret) => sessionStorage.setItem(KEY, secret),
  forget: () => sessionStorage.removeItem(KEY),
};

// Who is told when a token counts no more.
let locked = () => {};
export const onLocked = (listener) => (locked = listener);

export const headers = () => (token.get() ? { Authorization: `Bearer ${token.get()}` } : {});

/** Tells that the token does not count. */
export function lock() {
  token.forget();
  locked();
}

async function send(path, body) {
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(path, {
    ...post,
    headers: { ...headers(), ...type },
    cache: 'no-store',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (response.ok) return response;
  let told = null;
  try {
    told = await response.json();
  } catch {
    // Something before the daemon answered, or the answer broke off: the status has to do.
  }
  if (response.status === 401 && path !== '/v1/me') lock();
  throw new Refused(response.status, told);
}

export const get = async (path) => (await send(path)).json();
export const text = async (path) => (await send(path)).text();
export const post = async (path, body) => (await send(path, body)).json();
