import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlockLimits, blockLimitsOf, divisionFor, TableRows } from './block.ts';
import { BufferPool } from './buffer-pool.ts';
import { Hash64 } from './hash.ts';
import { SeriesCache } from './series-cache.ts';
import { hashShape, maskBody } from './shape.ts';
import { samplingWeight } from './trace-state.ts';

describe('sampling weight', () => {
  it.each([
    ['', 1],
    ['a=b', 1],
    ['ot=th:0', 1],
    ['ot=th:8', 2],
    ['ot=th:c', 4],
    ['ot=th:c;rv:ab12', 4],
    ['x=y,ot=rv:1;th:f', 16],
    ['ot=th:ffffffffffffff', 2 ** 56],
    ['ot=th:123456789abcdef', 1],
    ['ot=thx:8', 1],
    ['not=th:8', 1],
    ['ot=th:zz', 1],
  ])('%s', (traceState, weight) => {
    expect(samplingWeight(traceState)).toBe(weight);
  });
});

describe('shape of a log body', () => {
  it.each([
    ['user 17 logged in', 'user * logged in'],
    ['order-99 took 1.5ms', 'order-99 took 1.5ms'.replace('order-99', '*').replace('1.5ms', '*')],
    ['GET /api/v1/users/42 200', 'GET /api/*/users/* *'],
    ['id=0af7651916cd43dd8448eb211c80319c', 'id=*'],
    ['id deadbeefdeadbeef', 'id *'],
    ['a decade of feedback', 'a decade of feedback'],
    ['10.0.0.1:8080 refused', '*:* refused'],
    ['  two   spaces\n', 'two spaces'],
    ['Größe überschritten 7', 'Größe überschritten *'],
    ['{"a":1,"b":"x"}', '{"a":*,"b":"x"}'],
    ['', ''],
  ])('%s', (body, shape) => {
    expect(maskBody(body)).toBe(shape);
  });

  // Stored with each row, and compared with those of other versions: these numbers never change.
  it.each([
    ['', -2114883783, 1111964678],
    ['order 17 of customer c-99 placed in 5 ms', -786384257, 586766867],
    ['a  b\tc ', -1622808835, 1601303773],
    ['deadbeefdeadbeef and deadbeef', -607791900, 179562133],
    ['  Zürich: 1.5 °C (station ab_12)', 1305226974, 2099736824],
    ['{"a":1,"b":"x"}\n', 219854452, 1516510964],
    [`${'x'.repeat(9000)} tail 7`, 2053848325, 566825388],
  ])('%s has the hash of the versions before', (body, low, high) => {
    const hash = new Hash64();
    const bytes = Buffer.from(`1${body}2`);
    hashShape(bytes, 1, bytes.length - 1, hash);
    expect([hash.low, hash.high]).toEqual([low, high]);
  });

  it('has the same hash exactly if the shape is the same', () => {
    const hashOf = (body: string) => {
      const hash = new Hash64();
      const bytes = Buffer.from(body);
      hashShape(bytes, 0, bytes.length, hash);
      return [hash.low, hash.high].join();
    };
    const shapes = new Map<string, string>();
    const piece = fc.constantFrom('a', 'b', 'ab', ' ', '  ', '7', '19', '=', '.', '-', 'ff', '*', '\t');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const body = pieces.join('');
        const shape = maskBody(body);
        const hash = hashOf(body);
        expect(shapes.get(hash) ?? shape).toBe(shape);
        shapes.set(hash, shape);
        expect(hashOf(body.replaceAll('7', '123'))).toBe(hash);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('blocks', () => {
  const limits: BlockLimits = { rows: 4, bytes: 1000, partitions: 2 };
  function rowsOf(partitions: readonly number[], given = limits): TableRows {
    const rows = new TableRows('t', given, new BufferPool());
    for (const [index, partition] of partitions.entries()) {
      rows.begin(partition);
      rows.row.text(`row ${index}`);
    }
    rows.finish();
    return rows;
  }

  it('are divided by rows, by bytes and by partitions', () => {
    expect(
      rowsOf([1, 1, 1, 1, 1])
        .take()
        .map(({ rows }) => rows),
    ).toEqual([4, 1]);
    expect(
      rowsOf([1, 2, 1, 3, 2])
        .take()
        .map(({ rows }) => rows),
    ).toEqual([3, 2]);
    expect(
      rowsOf([1, 1, 1], { ...limits, bytes: 7 })
        .take()
        .map(({ rows }) => rows),
    ).toEqual([2, 1]);
  });

  it('are the same for the same rows, and contain each row once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4), { maxLength: 30 }), (partitions) => {
        const first = rowsOf(partitions).take();
        expect(rowsOf(partitions).take()).toEqual(first);
        expect(first.map(({ number }) => number)).toEqual(first.map((_, i) => i));
        const all = new TableRows('t', { rows: 1e6, bytes: 1e6, partitions: 100 }, new BufferPool());
        for (const index of partitions.keys()) {
          all.begin(0);
          all.row.text(`row ${index}`);
        }
        all.finish();
        expect(Buffer.concat(first.map(({ body }) => body))).toEqual(Buffer.concat(all.take().map(({ body }) => body)));
      }),
    );
  });

  it('contain nothing of rolled-back rows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(4), { maxLength: 12 }),
        fc.array(fc.nat(4), { maxLength: 12 }),
        fc.array(fc.nat(4)),
        (kept, undone, later) => {
          const rows = new TableRows('t', limits, new BufferPool());
          const write = (partitions: readonly number[], name: string) => {
            for (const [index, partition] of partitions.entries()) {
              rows.begin(partition);
              rows.row.text(`${name} ${index}`);
            }
          };
          write(kept, 'kept');
          rows.mark();
          write(undone, 'undone, and of another length');
          rows.rollback();
          write(later, 'later');
          rows.finish();
          const expected = new TableRows('t', limits, new BufferPool());
          for (const [name, partitions] of [
            ['kept', kept],
            ['later', later],
          ] as const) {
            for (const [index, partition] of partitions.entries()) {
              expected.begin(partition);
              expected.row.text(`${name} ${index}`);
            }
          }
          expected.finish();
          expect(rows.take()).toEqual(expected.take());
        },
      ),
    );
  });
});

describe('series cache', () => {
  it('detects new series by all 64 bits and the partition', () => {
    const cache = new SeriesCache(64);
    expect([cache.add(1, 2, 70), cache.add(1, 2, 70), cache.add(1, 3, 70), cache.add(1, 2, 71)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect([cache.add(-1, -2, 70), cache.add(-1, -2, 70)]).toEqual([true, false]);
  });

  it('starts over when it is full, and never reports an unknown series as known', () => {
    const cache = new SeriesCache(64);
    const told = new Set<number>();
    for (let i = 0; i < 10_000; i++) {
      const series = (i * 7919) % 500;
      if (!cache.add(series, 0, 1)) expect(told.has(series)).toBe(true);
      told.add(series);
    }
  });
});

// A replay that divides a segment otherwise stores its rows twice: these numbers may only be added to.
it.each([
  [0, 'traces', 480_000, 160],
  [0, 'logs', 480_000, 160],
  [1, 'traces', 240_000, 24],
  [1, 'logs', 240_000, 24],
  [2, 'traces', 480_000, 64],
  [2, 'logs', 240_000, 24],
  [2, 'metrics', 240_000, 24],
])('division %d of %s has blocks of %d rows and %d MiB', (division, signal, rows, mebibytes) => {
  expect(blockLimitsOf(division, signal)).toEqual({ rows, bytes: mebibytes * 1024 ** 2, partitions: 40 });
});

it.each([
  [3, 'traces', 480_000, 64],
  [3, 'logs', 240_000, 24],
  [3, 'metrics', 240_000, 24],
  [4, 'traces', 480_000, 64],
  [4, 'logs', 240_000, 24],
  [4, 'metrics', 480_000, 24],
  [5, 'traces', 240_000, 24],
  [5, 'logs', 240_000, 24],
  [5, 'metrics', 480_000, 24],
  [6, 'traces', 480_000, 64],
  [6, 'logs', 480_000, 48],
  [6, 'metrics', 480_000, 24],
])('division %d of %s has blocks of %d rows and %d MiB with derived columns', (division, signal, rows, mebibytes) => {
  const limits = { rows, bytes: mebibytes * 1024 ** 2, partitions: 40, countsDerived: true };
  expect(blockLimitsOf(division, signal)).toEqual(limits);
});

it.each([
  ['of 256 MiB', 256 * 1024 ** 2, { traces: 24, logs: 24 }],
  ['with the default memory', 576 * 1024 ** 2, { traces: 64, logs: 48 }],
  ['that is not embedded', undefined, { traces: 64, logs: 48 }],
])('blocks for an engine %s', (_name, engineBytes, mebibytes) => {
  const division = divisionFor(engineBytes);
  const found = (signal: string) => blockLimitsOf(division, signal).bytes / 1024 ** 2;
  expect({ traces: found('traces'), logs: found('logs') }).toEqual(mebibytes);
});
