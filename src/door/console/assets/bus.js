// What happens, told to whoever listens: one way to hear of it for all views.

const bus = new EventTarget();

export const emit = (name, detail) => bus.dispatchEvent(new CustomEvent(name, { detail }));

/** Listens until the signal says otherwise. */
export const on = (name, listener, signal) => bus.addEventListener(name, (event) => listener(event.detail), { signal });
