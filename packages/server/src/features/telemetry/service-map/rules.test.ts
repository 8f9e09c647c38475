import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  around,
  divideWindow,
  dueMinutes,
  type EdgeRow,
  lateBefore,
  mapOf,
  maxLiveMinutes,
  portionsOf,
  wholeMinutes,
} from './rules.ts';

const row = (source: string, target: string, calls = 10, more: Partial<EdgeRow> = {}): EdgeRow => {
  const [source_kind = '', from = ''] = source.split(':');
  const [target_kind = '', to = ''] = target.split(':');
  return {
    source_kind: source_kind as EdgeRow['source_kind'],
    source: from,
    target_kind: target_kind as EdgeRow['target_kind'],
    target: to,
    system: '',
    calls,
    errors: 1,
    durations: [1, 2, 3],
    ...more,
  };
};

describe('the map', () => {
  it('contains nodes and edges with their load', () => {
    const map = mapOf([row('', 'service:web', 20), row('service:web', 'service:cart')], 10);
    expect(map.nodes).toEqual([
      {
        id: 'service:web',
        kind: 'service',
        name: 'web',
        system: null,
        calls: 20,
        rate: 2,
        errors: 0.05,
        p50_ns: 1,
        p95_ns: 2,
        p99_ns: 3,
      },
      {
        id: 'service:cart',
        kind: 'service',
        name: 'cart',
        system: null,
        calls: 0,
        rate: 0,
        errors: 0,
        p50_ns: null,
        p95_ns: null,
        p99_ns: null,
      },
    ]);
    expect(map.edges).toEqual([
      {
        source: 'service:web',
        target: 'service:cart',
        calls: 10,
        rate: 1,
        errors: 0.1,
        p50_ns: 1,
        p95_ns: 2,
        p99_ns: 3,
      },
    ]);
  });
  it('names the system of databases and queues', () => {
    const { nodes } = mapOf([row('service:cart', 'database:postgresql/orders', 5, { system: 'postgresql' })], 1);
    expect(nodes.find(({ kind }) => kind === 'database')?.system).toBe('postgresql');
    expect(nodes.find(({ kind }) => kind === 'service')?.system).toBeNull();
  });
  it('recognizes a service that looked like an external system', () => {
    const { nodes, edges } = mapOf(
      [
        row('', 'service:cart', 9),
        row('service:web', 'service:cart', 6),
        row('service:web', 'external:cart', 2, { errors: 0, durations: [9, 9, 9] }),
        row('', 'external:cart', 2),
      ],
      1,
    );
    expect(nodes.map(({ id, calls }) => [id, calls])).toEqual([
      ['service:cart', 9],
      ['service:web', 0],
    ]);
    expect(edges).toEqual([expect.objectContaining({ calls: 8, errors: 0.125, p50_ns: 1 })]);
  });
  it('can be limited to a node and its neighbors', () => {
    const map = mapOf([row('service:a', 'service:b'), row('service:b', 'service:c'), row('service:c', 'service:d')], 1);
    const { nodes, edges } = around(map, 'service:b');
    expect(nodes.map(({ id }) => id)).toEqual(['service:a', 'service:b', 'service:c']);
    expect(edges).toHaveLength(2);
  });
  it('contains the nodes of every edge, and loses no call', () => {
    const kind = fc.constantFrom('service', 'database', 'queue', 'external');
    const name = fc.constantFrom('a', 'b', 'c');
    const rows = fc.uniqueArray(
      fc.record({ from: fc.tuple(kind, name), to: fc.tuple(kind, name), calls: fc.integer({ min: 1, max: 99 }) }),
      { selector: ({ from, to }) => `${from} ${to}` },
    );
    fc.assert(
      fc.property(rows, (given) => {
        const made = given.map(({ from, to, calls }) => row(from.join(':'), to.join(':'), calls));
        const { nodes, edges } = mapOf(made, 60);
        const ids = new Set(nodes.map(({ id }) => id));
        expect(ids.size).toBe(nodes.length);
        for (const { source, target } of edges) expect(ids.has(source) && ids.has(target)).toBe(true);
        const sum = (all: readonly { calls: number }[]) => all.reduce((total, { calls }) => total + calls, 0);
        expect(sum(edges)).toBe(sum(made));
      }),
    );
  });
});

describe('windows', () => {
  const ns = (seconds: number) => BigInt(seconds) * 1_000_000_000n;
  it('are whole minutes', () => {
    expect(wholeMinutes(ns(61), ns(179))).toEqual({ from: 60, to: 180 });
    expect(wholeMinutes(ns(60), ns(180))).toEqual({ from: 60, to: 180 });
  });
  it.each([
    ['all derived', { from: 0, to: 600 }, 600, { end: 600, live: undefined, missing: undefined }],
    ['the end is not', { from: 0, to: 600 }, 480, { end: 600, live: { from: 480, to: 600 }, missing: undefined }],
    ['nothing is', { from: 0, to: 300 }, undefined, { end: 300, live: { from: 0, to: 300 }, missing: undefined }],
    [
      'too much is not',
      { from: 0, to: 3600 },
      600,
      { end: 3600, live: { from: 3000, to: 3600 }, missing: { from: 600, to: 3000 } },
    ],
    ['the future', { from: 0, to: 99_999 }, 7200, { end: 7260, live: { from: 7200, to: 7260 }, missing: undefined }],
  ])('%s', (_name, window, derivedTo, expected) => {
    expect(divideWindow(window, derivedTo, 7259)).toEqual(expected);
  });
  it('are read exactly once, at most ten minutes live', () => {
    const minutes = fc.nat(300).map((count) => count * 60);
    fc.assert(
      fc.property(
        minutes,
        minutes,
        fc.option(minutes, { nil: undefined }),
        fc.nat(20_000),
        (from, length, derivedTo, now) => {
          const { end, live, missing } = divideWindow({ from, to: from + length }, derivedTo, now);
          const stored = (missing?.from ?? live?.from ?? end) - from;
          expect(stored).toBeGreaterThanOrEqual(0);
          expect((live?.to ?? end) - (live?.from ?? end)).toBeLessThanOrEqual(maxLiveMinutes * 60);
          if (missing !== undefined) expect(missing.to).toBe(live?.from);
        },
      ),
    );
  });
});

describe('minutes that are due', () => {
  it('are those that have settled', () => {
    expect(dueMinutes(3600, 3600 + 59)).toEqual([]);
    expect(dueMinutes(3600, 3600 + 120)).toEqual([3600]);
    expect(dueMinutes(3600, 3600 + 180)).toEqual([3600, 3660]);
  });
  it('go back a day at most, and an hour if none was derived', () => {
    expect(dueMinutes(0, 3_600_000)).toHaveLength(1440);
    expect(dueMinutes(0, 3_600_000)[0]).toBe(3_600_000 - 60 - 86_400);
    expect(dueMinutes(undefined, 36_000)[0]).toBe(36_000 - 60 - 3600);
    expect(dueMinutes(undefined, 36_000)).toHaveLength(60);
  });
  it('are derived again for late spans when they are five minutes old', () => {
    expect(lateBefore(3659)).toBe(3300);
  });
  it('are divided into portions by number of spans, without gaps', () => {
    const spans = new Map([
      [0, 300_000],
      [60, 300_000],
      [120, 1],
      [300, 900_000],
    ]);
    const of = (minute: number) => spans.get(minute) ?? 0;
    expect(portionsOf([0, 60, 120, 180, 300], of)).toEqual([
      { from: 0, to: 60, arrived: [300_000] },
      { from: 60, to: 240, arrived: [300_000, 1, 0] },
      { from: 300, to: 360, arrived: [900_000] },
    ]);
    // The newest first.
    expect(portionsOf([120, 60, 0], of)).toEqual([
      { from: 60, to: 180, arrived: [300_000, 1] },
      { from: 0, to: 60, arrived: [300_000] },
    ]);
    expect(
      portionsOf(
        [...Array(150).keys()].map((i) => i * 60),
        () => 0,
      ).map(({ arrived }) => arrived.length),
    ).toEqual([60, 60, 30]);
  });
});
