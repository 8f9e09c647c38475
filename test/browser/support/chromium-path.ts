import { existsSync } from 'node:fs';

const CANDIDATES = [
  process.env.FANION_CHROMIUM,
  // Without the windows of a desktop's browser, of which each page would open one.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The installed Chromium that tests and benchmarks drive; undefined where there is none. */
export const chromiumPath = CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));

export const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] as const;
