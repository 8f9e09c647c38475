import { existsSync } from 'node:fs';
import { describe } from 'vitest';

const CANDIDATES = [
  process.env.FANION_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The installed Chromium that the tests drive; undefined where there is none. */
export const chromiumPath = CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));

if (chromiumPath === undefined) {
  console.warn(
    'Browser tests are skipped: no Chromium is installed. Install chromium, or name one in FANION_CHROMIUM.',
  );
}

/** `describe`, skipped where no Chromium is installed. */
export const describeInBrowser = describe.skipIf(chromiumPath === undefined);
