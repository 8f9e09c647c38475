import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { StoreLog } from '../store.ts';

/** A new directory that is deleted after the test. */
export function temporaryDirectory(): string {
  const dir = makeDirectory();
  onTestFinished(() => removeDirectory(dir));
  return dir;
}

export function makeDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'fanion-embedded-'));
}

export function removeDirectory(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

export interface RememberingLog extends StoreLog {
  lines: string[];
}

export function rememberingLog(): RememberingLog {
  const lines: string[] = [];
  const write = (o: object, message: string) => void lines.push(`${message} ${JSON.stringify(o)}`);
  return { lines, info: write, warn: write, error: write };
}

/** Polls until the answer is neither false nor undefined, within the test's own timeout. */
export async function until<Value>(
  ask: () => Promise<Value | false | undefined> | Value | false | undefined,
): Promise<Value> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await delay(20);
  }
}
