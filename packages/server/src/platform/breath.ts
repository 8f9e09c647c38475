import { performance } from 'node:perf_hooks';
import type { Steps } from './steps.ts';

/** Milliseconds of work on one response before other requests get a turn. */
const sliceMs = 2;

/** Tasks that wait for a slice. One of them runs in each turn of the event loop, so many delay others no more than one. */
const waiting: (() => void)[] = [];

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/**
 * Splits long work into slices: call it between steps, and await what it returns. Every 2 ms it lets the event loop
 * serve other requests. A single step must be short by itself.
 */
export function createBreath(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < sliceMs) return undefined;
    return new Promise((resolve) => {
      waiting.push(() => {
        began = performance.now();
        resolve();
      });
      if (waiting.length === 1) setImmediate(next);
    });
  };
}

/** Runs steps to the end; other requests get a turn in between. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  const breath = createBreath();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await breath();
  }
}

/** `items.map(change)` that lets other requests in between. */
export async function mapInSlices<T, U>(items: readonly T[], change: (item: T) => U): Promise<U[]> {
  const breath = createBreath();
  const changed: U[] = [];
  for (const item of items) {
    changed.push(change(item));
    await breath();
  }
  return changed;
}
