import { type Browser, chromium } from 'playwright-core';
import { describe } from 'vitest';
import { CHROMIUM_ARGS, chromiumPath } from './chromium-path.ts';

if (chromiumPath === undefined) {
  console.warn(
    'Browser tests are skipped: no Chromium is installed. Install chromium, or name one in FANION_CHROMIUM.',
  );
}

/** How long one action or condition may take on a slow machine. Nothing takes that long unless something is broken. */
export const PATIENCE_MS = 60_000;
/** A test does up to 40 actions, few of which are slow. */
const TEST_MS = 240_000;

/**
 * `describe` with its tests in random order, since each of them stands alone; a run prints its seed. Skipped where no
 * Chromium is installed.
 */
export function describeInBrowser(name: string, define: () => void): void {
  const suite = chromiumPath === undefined ? describe.skip : describe.shuffle;
  suite(name, { timeout: TEST_MS }, define);
}

/** Shared by the test files of a worker. It exits with the worker, which closes its control pipe. */
let shared: Promise<Browser> | undefined;

export function sharedChromium(): Promise<Browser> {
  shared ??= chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [...CHROMIUM_ARGS],
  });
  return shared;
}
