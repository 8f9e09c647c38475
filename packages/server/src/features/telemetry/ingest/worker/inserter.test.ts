import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Block } from '@fanion/telemetry';
import { expect, it } from 'vitest';
import { type ClickHouse, createClickHouse } from '../../../../platform/clickhouse/index.ts';
import { Inserter } from './inserter.ts';

const mebibyte = 1024 ** 2;

/** A store whose inserts wait until the test ends them. */
function heldStore() {
  const running: { readonly mebibytes: number; end(): void }[] = [];
  const store: ClickHouse = {
    ...createClickHouse({ url: 'http://127.0.0.1:1', database: 'none', requestTimeoutMs: 1000 }),
    insert: (_table, _columns, _format, body) =>
      new Promise((resolve) => {
        const one = {
          mebibytes: (body as Uint8Array).length / mebibyte,
          end() {
            running.splice(running.indexOf(one), 1);
            resolve();
          },
        };
        running.push(one);
      }),
  };
  return { store, running };
}

function blockOf(mebibytes: number, number: number): Block {
  // Never written, so its pages are never there.
  return { table: 'spans', number, rows: 1, format: 'Native', body: Buffer.allocUnsafeSlow(mebibytes * mebibyte) };
}

it.each([
  ['small blocks, two at once', [8, 8, 8], [[8, 8], [8, 8], [8]]],
  ['blocks of log records, two at once', [24, 24, 24], [[24, 24], [24, 24], [24]]],
  ['large blocks, one after the other', [64, 64], [[64], [64]]],
  ['a large block beside a small one', [64, 8, 64, 8], [[64, 8], [8, 64], [64, 8], [8]]],
  ['a block that is larger than all may be together', [100, 1], [[100], [1]]],
])('inserts %s', async (_name, blocks, expected) => {
  const { store, running } = heldStore();
  const inserter = new Inserter({ store, signal: new AbortController().signal, onStore() {}, onRepeat() {} });
  const begun = blocks.map((mebibytes, number) => inserter.begin('segment', blockOf(mebibytes, number)));
  const seen: number[][] = [];
  for (;;) {
    await nextTurn();
    const [first] = running;
    if (first === undefined) break;
    seen.push(running.map(({ mebibytes }) => mebibytes));
    first.end();
  }
  expect(seen).toEqual(expected);
  for (const { done } of await Promise.all(begun))
    expect(await done).toEqual({ stored: true, seconds: expect.any(Number) });
  await inserter.ready();
});

it('reports each refused insert, and repeats it until it is stored', async () => {
  const refusals = [new Error('memory limit exceeded'), new Error('memory limit exceeded')];
  const { store } = heldStore();
  const refusing: ClickHouse = {
    ...store,
    insert: async () => {
      const refusal = refusals.shift();
      if (refusal) throw refusal;
    },
  };
  const reported: (string | undefined)[] = [];
  let repeats = 0;
  const inserter = new Inserter({
    store: refusing,
    signal: new AbortController().signal,
    onStore: (error) => void reported.push(error),
    onRepeat: () => void repeats++,
  });
  const { done } = await inserter.begin('segment', blockOf(1, 0));
  expect(await done).toEqual({ stored: true, seconds: expect.any(Number) });
  expect(repeats).toBe(2);
  expect(reported).toEqual(['memory limit exceeded', undefined]);
});
