// Headless Chromium that may speak to the daemon and to nobody else.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

import { chromium } from 'playwright-core';

import { BASE, OWNER } from './daemon.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ARGUMENTS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 860 };

// CONSOLE_ASSETS=src/door/console/assets tries the files as they lie there, without building the daemon for each of them.
const { CONSOLE_ASSETS } = process.env;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
async function unbuilt(route, path) {
  const name = path === '/' ? 'index.html' : path.slice('/console/'.length);
  const { 'content-security-policy': policy } = Object.fromEntries((await fetch(BASE)).headers);
  return route.fulfill({ body: readFileSync(join(CONSOLE_ASSETS, name)), headers: { 'Content-Security-Policy': policy, 'Content-Type': TYPES[extname(name)] } });
}

let browser = null;

export async function launch() {
  // Every start has a profile of its own, which goes with it.
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGUMENTS });
}
export const close = () => browser?.close();

/** What stands on every page that is open, for whoever looks for the reason of a failure. */
export async function standing() {
  const pages = browser?.contexts().flatMap((context) => context.pages()) ?? [];
  return Promise.all(pages.map(async (page) => `${page.url()}\n${await page.evaluate(() => document.body.innerText.slice(0, 3_000))}`));
}

/** Closes what a test that failed left open. */
export const sweep = () => Promise.all((browser?.contexts() ?? []).map((context) => context.close()));

/** What went wrong on any page so far: errors, violations of the policy, requests to others. */
export const wrongs = [];

/** A page. */
export async function open(hash = '', { size = DESKTOP, scheme = 'light', locale = 'zh-CN', token = OWNER, reduced = 'reduce', base = BASE, watch = '' } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, locale, reducedMotion: reduced, hasTouch: size === PHONE });
  if (token) await context.addInitScript((secret) => sessionStorage.getItem('was') || (sessionStorage.setItem('zhiju-token', secret), sessionStorage.setItem('was', '1')), token);
  // When what is watched for stands there, as the page's own clock shows it.
  if (watch) {
    await context.addInitScript((selector) => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector(selector)) return;
        globalThis.seenAt = Math.round(performance.now());
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    }, watch);
  }
  await context.route('**/*', (route) => {
    const url = new URL(route.request().url());
    const page = url.origin === base && (url.pathname === '/' || url.pathname.startsWith('/console/'));
    if (page && CONSOLE_ASSETS) return unbuilt(route, url.pathname);
    if (url.origin === base || url.protocol === 'data:') return route.continue();
    wrongs.push(`a request left: ${url}`);
    return route.abort();
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => wrongs.push(`${hash}: ${error.stack}`));
  page.on('dialog', (dialog) => {
    wrongs.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/u.test(message.text())) wrongs.push(`${hash}: ${message.text()}`);
  });
  await page.goto(`${base}/${hash}`);
  return page;
}

/** Serious findings of axe-core, as lines. */
export async function findings(page) {
  // The policy of the page lets no script in: it is handed to the browser itself.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const serious = violations.filter((one) => ['serious', 'critical'].includes(one.impact));
  return serious.flatMap((one) => one.nodes.slice(0, 3).map((node) => `${one.id}: ${node.html.slice(0, 160)} – ${node.failureSummary?.slice(0, 200)}`));
}
