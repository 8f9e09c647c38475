/**
 * Pictures of every page of the web application with the demo's telemetry: light and dark at 1440×900, and on a phone of
 * 390×844. Writes them to `.build/pictures`, which is not committed.
 *
 *   npm run pictures -- [--history 6h] [--rate 1] [--only service,trace]
 *
 * Starts its own server in a folder that it removes, and stops it.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { BrowserContextOptions } from 'playwright-core';
import { settled, visits } from './pages.ts';
import { startShop } from './shop.ts';

const { values: options } = parseArgs({
  options: {
    history: { type: 'string', default: '6h' },
    rate: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});

const directory = fileURLToPath(new URL('../../.build/pictures/', import.meta.url));
const PHONE = { width: 390, height: 844 };
const LOOKS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { viewport: PHONE, hasTouch: true, colorScheme: 'light' },
};

mkdirSync(directory, { recursive: true });
const shop = await startShop({ history: options.history, rate: Number(options.rate), log: console.error });
try {
  const only = options.only.split(',').filter((name) => name !== '');
  const pages = (await visits(shop)).filter(({ name }) => only.length === 0 || only.includes(name));
  for (const [look, context] of Object.entries(LOOKS)) {
    const profile = await shop.context({ ...context, reducedMotion: 'reduce' });
    const page = await profile.newPage();
    for (const { name, path } of pages) {
      await page.goto(path);
      await settled(page);
      await page.screenshot({ path: join(directory, `${name}-${look}.png`) });
    }
    await profile.close();
    console.error(`${pages.length} pictures: ${look}`);
  }
  console.log(directory);
} finally {
  await shop.stop();
}
process.exit();
