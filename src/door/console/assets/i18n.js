// What the page says, in the language of whoever looks.

import en from './en.js';
import zh from './zh.js';

const KEY = 'zhiju-language';
const words = { zh, en };

function preferred() {
  const kept = localStorage.getItem(KEY);
  if (kept in words) return kept;
  return (navigator.language || 'zh').toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

let language = preferred();

/** The language: `zh` or `en`. */
export const lang = () => language;

/** Takes another language, and remembers it. */
export function speak(other) {
  language = other;
  localStorage.setItem(KEY, other);
}

/** A text by its key; with values where it takes some. */
export function t(key, ...values) {
  const text = words[language][key];
  return typeof text === 'function' ? text(...values) : (text ?? key);
}

/** A word of a list of words; `otherwise` where there is none, which is what a newer daemon says. */
export function word(list, key, otherwise = key) {
  const known = words[language][list];
  return Object.hasOwn(known, key) ? known[key] : otherwise;
}
