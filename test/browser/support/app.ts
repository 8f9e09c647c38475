import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, CDPSession, Locator, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, vi } from 'vitest';
import { newWorkspace, type SignedUp, signUp } from '../../../packages/server/src/testing/test-client.ts';
import { startTestServer } from '../../../packages/server/src/testing/test-server.ts';
import { PATIENCE_MS, sharedChromium } from './chromium.ts';

const SCREEN = { width: 1440, height: 900 };
const webDirectory = fileURLToPath(new URL('../../../packages/web/dist/app', import.meta.url));

export interface App {
  readonly base: string;
  /** An account of this file with its first workspace. Tests that change something take a workspace of their own. */
  readonly owner: SignedUp;
  /** A new workspace of `owner`. */
  workspace(): Promise<SignedUp>;
  /**
   * Opens a page in a clean browser profile; with `as`, signed in. The test fails if the page has errors, violates its
   * security policy or asks another origin for something. `provokes` matches the messages of errors that the test causes.
   */
  open(options?: { as?: SignedUp; path?: string; colourScheme?: 'dark' | 'light'; provokes?: RegExp }): Promise<Page>;
}

/**
 * The server with the built web application, which the test files of a worker share, and an account on it. Call it in a
 * suite. With `env` it is a server of its own.
 */
export function useApp(ownerName: string, env?: Readonly<Record<string, string>>): App {
  let started: { base: string; owner: SignedUp } | undefined;
  beforeAll(async () => {
    if (!existsSync(webDirectory))
      throw new Error('the web application is not built: run npx vite build in packages/web');
    const { base, stop } = await startTestServer(env && { env, webDirectory });
    started = { base, owner: await signUp(base, ownerName) };
    return stop;
  });
  const running = () => {
    if (started === undefined) throw new Error('the server starts only before the first test');
    return started;
  };
  return {
    get base() {
      return running().base;
    },
    get owner() {
      return running().owner;
    },
    workspace: () => newWorkspace(running().owner, `${ownerName}'s own`),
    async open({ as, path, colourScheme = 'light', provokes } = {}) {
      const page = await newPage(running().base, provokes);
      if (colourScheme !== 'light') await page.emulateMedia({ colorScheme: colourScheme });
      if (as) await page.context().addCookies(cookiesFor(as));
      if (path !== undefined) await page.goto(path);
      return page;
    },
  };
}

/** A browser profile with its page. */
interface Profile {
  readonly base: string;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly session: CDPSession;
  readonly faults: string[];
}
/** Profiles that no test uses, each of one server. What they have loaded and compiled makes the next page twice as fast. */
const idle: Profile[] = [];

async function newPage(base: string, provokes?: RegExp): Promise<Page> {
  const at = idle.findLastIndex((one) => one.base === base);
  const profile = idle.splice(at, at < 0 ? 0 : 1)[0] ?? (await newProfile(base));
  onTestFinished(({ task }) => leave(profile, task.result?.state === 'fail', provokes));
  const storageTypes = 'cookies,local_storage,indexeddb,cache_storage,service_workers';
  await profile.session.send('Storage.clearDataForOrigin', { origin: base, storageTypes });
  profile.faults.length = 0;
  return profile.page;
}

/** Gives a profile to later tests. That of a failed test may be in any state. */
async function leave(profile: Profile, failed: boolean, provoked?: RegExp): Promise<void> {
  const { base, context, page, faults } = profile;
  const found = faults.filter((fault) => provoked?.test(fault) !== true);
  if (failed || found.length > 0) {
    await context.close();
  } else {
    // Another origin would be another process, also for the next test.
    await page.goto(`${base}/favicon.svg`);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(SCREEN);
    await context.clearCookies();
    idle.push(profile);
  }
  expect(found, 'faults of the page').toEqual([]);
}

async function newProfile(base: string): Promise<Profile> {
  const browser = await sharedChromium();
  const context = await browser.newContext({
    baseURL: base,
    viewport: SCREEN,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  return { base, context, page, session: await context.newCDPSession(page), faults: faultsOf(page, base) };
}

/** Collects page errors, security policy violations and requests to other origins. */
function faultsOf(page: Page, base: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // Chromium reports every 4xx response as an error; the tests check how the page handles those.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== base && !['data:', 'blob:', 'about:'].includes(protocol))
      faults.push(`left the origin: ${request.url()}`);
  });
  return faults;
}

function cookiesFor(user: SignedUp) {
  return user.cookie.split('; ').map((cookie) => {
    const [name = '', value = ''] = cookie.split('=');
    return { name, value, url: user.base };
  });
}

/** The path of a page in a user's project. */
export function pathOf(user: SignedUp, page: string): string {
  return `/w/${user.slug}/default${page}`;
}

/** Waits until the page shows a text. */
export function sees(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor();
}

/** Waits until the given number of elements exist. */
export async function hasCount(locator: Locator, count: number): Promise<void> {
  await expect.poll(() => locator.count(), { timeout: PATIENCE_MS }).toBe(count);
}

/** Waits until a button or field cannot be used. */
export async function isDisabled(locator: Locator): Promise<void> {
  await expect.poll(() => locator.isDisabled(), { timeout: PATIENCE_MS }).toBe(true);
}

/** Waits until an element has the focus. */
export async function hasFocus(locator: Locator): Promise<void> {
  await expect
    .poll(() => locator.evaluate((element) => element === document.activeElement), { timeout: PATIENCE_MS })
    .toBe(true);
}

/** Waits until a dialog has taken the focus. Text that is typed before may go to what had the focus. */
export async function takesFocus(dialog: Locator): Promise<void> {
  await expect
    .poll(() => dialog.evaluate((element) => element.contains(document.activeElement)), { timeout: PATIENCE_MS })
    .toBe(true);
}

/**
 * The editor of a query. Until its code is loaded, a plain field takes its place, in which a test would sometimes type, and sometimes
 * not: only test/browser/loading.test.ts tests that.
 */
export async function editorIn(place: Page | Locator, label = 'OQL query'): Promise<Locator> {
  const editor = place.locator(`.cm-content[aria-label="${label}"]`);
  await editor.waitFor();
  return editor;
}

/** Waits for a URL. */
export async function isAt(page: Page, path: RegExp): Promise<void> {
  // The document of a page is known to be loaded; only its address changes.
  await page.waitForURL(path, { waitUntil: 'commit' });
}

/**
 * Presses a button of the toolbar that a value shows under the pointer. What loads meanwhile may move the value away, and the
 * toolbar goes: then the pointer follows.
 */
export async function act(value: Locator, button: Locator): Promise<void> {
  await vi.waitFor(
    async () => {
      await value.hover();
      await button.dispatchEvent('click', undefined, { timeout: 2000 });
    },
    { timeout: PATIENCE_MS },
  );
}

/** Chooses an option of a select. */
export async function choose(page: Page, select: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: select, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
