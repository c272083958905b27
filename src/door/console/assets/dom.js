// Builds the page node by node. Whatever comes from outside goes in as text: nothing here reads markup.

// What cannot be seen and changes how the rest is seen: controls, marks of direction, zero-width characters, tags. The joiner
// is left alone between the parts of one emoji.
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

const code = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Text for an attribute: what cannot be seen is spelt out. */
export const plain = (text) => String(text ?? '').replace(UNSEEN, (c) => `[${code(c)}]`);

/** Whether a text holds what cannot be seen. */
export const hasUnseen = (text) => String(text ?? '').search(UNSEEN) >= 0;

/** Text that somebody else wrote: kept apart from the direction of what is around it, what cannot be seen spelt out. */
export function data(text, className) {
  const whole = String(text ?? '');
  const node = document.createElement('bdi');
  node.dir = 'auto';
  if (className) node.className = className;
  let from = 0;
  for (const match of whole.matchAll(UNSEEN)) {
    if (match.index > from) node.append(whole.slice(from, match.index));
    const mark = document.createElement('span');
    mark.className = 'unseen';
    mark.textContent = code(match[0]);
    node.append(mark);
    from = match.index + match[0].length;
  }
  if (from < whole.length) node.append(whole.slice(from));
  return node;
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on') && typeof value === 'function') node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(node, child);
    else node.append(child instanceof Node ? child : String(child));
  }
}

/** An element. Attributes that are functions and begin with `on` are listeners. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** The same of a drawing. */
export const s = (tag, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

/** Puts other children in. */
export function put(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

/** A bar of a part of a whole. What it says stands beside it, so it is hidden from those who cannot see it. */
export function bar(value, whole, className = '') {
  const width = whole > 0 ? Math.max(0, Math.min(100, (100 * value) / whole)) : 0;
  return s(
    'svg',
    { class: `bar ${className}`, viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' },
    s('rect', { class: 'bar-bed', width: 100, height: 6, rx: 1 }),
    s('rect', { class: 'bar-fill', width: value > 0 ? Math.max(width, 1) : 0, height: 6, rx: 1 }),
  );
}

/** Lets the arrow keys walk over the items of a list, of which one alone is reached by Tab. */
export function walk(list, selector) {
  const items = () => [...list.querySelectorAll(selector)].filter((item) => !item.hidden);
  const stop = (item) => {
    for (const other of list.querySelectorAll(`${selector}[tabindex="0"]`)) other.tabIndex = -1;
    item.tabIndex = 0;
  };
  list.addEventListener('keydown', (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    const move = moves[event.key];
    const here = event.target.closest(selector);
    if (move === undefined || !here || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const all = items();
    const at = Math.max(0, Math.min(all.length - 1, all.indexOf(here) + move));
    all[at]?.focus();
  });
  list.addEventListener('focusin', (event) => {
    const item = event.target.closest(selector);
    if (item) stop(item);
  });
  return { stop, ensure: () => list.querySelector(`${selector}[tabindex="0"]`) ?? items().slice(0, 1).map((i) => ((i.tabIndex = 0), i))[0] };
}
