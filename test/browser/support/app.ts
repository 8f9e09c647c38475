import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { SignedUp } from '../../../packages/server/src/testing/test-client.ts';
import { startTestServer } from '../../../packages/server/src/testing/test-server.ts';
import { chromiumPath } from './chromium.ts';

const webDirectory = fileURLToPath(new URL('../../../packages/web/dist/app', import.meta.url));

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Page errors, security policy violations and requests to other origins so far. */
  readonly faults: readonly string[];
}

export interface App {
  readonly base: string;
  /** Opens a page in a new browser profile; with `as`, signed in. */
  open(options?: { as?: SignedUp; path?: string; colourScheme?: 'dark' | 'light' }): Promise<OpenPage>;
  stop(): Promise<void>;
}

/** Shared by the test files of a worker. It exits with the worker, which closes its control pipe. */
let sharedBrowser: Promise<Browser> | undefined;

/**
 * The server with the built web application, and a Chromium to open it. Without options, the test files of a worker
 * share one server; `env` starts a separate one for this file.
 */
export async function startApp(options?: { env: Readonly<Record<string, string>> }): Promise<App> {
  if (!existsSync(webDirectory))
    throw new Error('the web application is not built: run npx vite build in packages/web');
  const server = await (options === undefined ? startTestServer() : startTestServer({ ...options, webDirectory }));
  sharedBrowser ??= chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const browser = await sharedBrowser;
  const contexts: BrowserContext[] = [];
  return {
    base: server.base,
    async open({ as, path, colourScheme = 'light' } = {}) {
      const context = await browser.newContext({
        baseURL: server.base,
        viewport: { width: 1440, height: 900 },
        colorScheme: colourScheme,
        reducedMotion: 'reduce',
      });
      contexts.push(context);
      context.setDefaultTimeout(20_000);
      if (as) {
        const cookies = as.cookie.split('; ').map((cookie) => {
          const [name = '', value = ''] = cookie.split('=');
          return { name, value, url: server.base };
        });
        await context.addCookies(cookies);
      }
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        // Chromium reports every 4xx response as an error; the tests check how the page handles those.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          faults.push(message.text());
      });
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== server.base && protocol !== 'data:' && protocol !== 'blob:')
          faults.push(`left the origin: ${request.url()}`);
      });
      if (path !== undefined) await page.goto(path);
      return { page, context, faults };
    },
    async stop() {
      await Promise.all(contexts.map((context) => context.close()));
      await server.stop();
    },
  };
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
  await expect.poll(() => locator.count(), { timeout: 20_000 }).toBe(count);
}

/** Waits for a URL. */
export async function isAt(page: Page, path: RegExp): Promise<void> {
  await page.waitForURL(path);
  expect(page.url()).toMatch(path);
}
