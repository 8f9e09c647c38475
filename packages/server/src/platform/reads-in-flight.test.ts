import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { countReads, givingWay } from './reads-in-flight.ts';

/** Longer than a test may take. */
const forever = 3_600_000;

it('counts each read once, however often its end is told', () => {
  const reads = countReads();
  const count = new Int32Array(reads.shared);
  const [end, endOther] = [reads.begin(), reads.begin()];
  expect(count[0]).toBe(2);
  end();
  end();
  expect(count[0]).toBe(1);
  endOther();
  expect(count[0]).toBe(0);
});

it('waits until the last read has ended, and not at all without one', () => {
  const reads = countReads();
  givingWay(reads.shared, forever)();
  reads.begin();
  reads.begin();
  // As another thread ends them.
  const ending = `const count = new Int32Array(require('node:worker_threads').workerData);
    for (const _ of [1, 2]) { Atomics.sub(count, 0, 1); Atomics.notify(count, 0); }`;
  const thread = new Worker(ending, { eval: true, workerData: reads.shared });
  givingWay(reads.shared, forever)();
  expect(new Int32Array(reads.shared)[0]).toBe(0);
  return thread.terminate();
});

it('goes on beside reads that do not end', () => {
  const reads = countReads();
  reads.begin();
  givingWay(reads.shared, 1)();
  expect(new Int32Array(reads.shared)[0]).toBe(1);
});
