import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  around,
  candidatesOf,
  chooseLive,
  dueMinutes,
  type EdgeRow,
  fiveMinutesOf,
  lateBefore,
  mapOf,
  maxLateMinutes,
  maxSpansLive,
  portionsOf,
  untilNow,
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
  it('end with the current minute', () => {
    expect(untilNow({ from: 60, to: 120 }, 7259)).toEqual({ from: 60, to: 120 });
    expect(untilNow({ from: 60, to: 99_960 }, 7259)).toEqual({ from: 60, to: 7260 });
    expect(untilNow({ from: 9000, to: 9060 }, 7259)).toEqual({ from: 9000, to: 9000 });
  });
});

describe('minutes to derive while reading', () => {
  const minutesOf = (from: number, to: number) =>
    Array.from({ length: (to - from) / 60 }, (_, index) => to - 60 * (index + 1));
  const late = (...minutes: number[]) => minutes.map((at) => ({ at, spans: 1 }));

  it.each([
    ['all are derived', { from: 0, to: 600 }, 600, [], { recent: [], late: [] }],
    ['the end is not', { from: 0, to: 600 }, 480, [], { recent: [540, 480], late: [] }],
    ['nothing is', { from: 0, to: 300 }, undefined, [], { recent: minutesOf(0, 300), late: [] }],
    ['spans came later', { from: 0, to: 600 }, 540, late(540, 480, 60), { recent: [540], late: [480, 60] }],
    [
      'the job stopped',
      { from: 0, to: 3600 },
      600,
      late(3300, 2940, 1200, 120),
      { recent: minutesOf(3000, 3600), late: [2940, 1200, 120] },
    ],
    ['the window is empty', { from: 9000, to: 9000 }, 7200, [], { recent: [], late: [] }],
  ])('are found when %s', (_name, window, derivedTo, found, expected) => {
    expect(candidatesOf(window, derivedTo, found)).toEqual({ ...expected, beyond: [] });
  });

  it('are not looked for in too many minutes or spans', () => {
    const window = { from: 60, to: 200_000 };
    const listed = late(...minutesOf(120, 199_980).slice(0, maxLateMinutes + 1));
    const cut = candidatesOf(window, 200_000, listed);
    expect(cut.late).toHaveLength(maxLateMinutes);
    // There may be more of them, down to the start of the window.
    expect(cut.beyond).toEqual([listed.at(-1)?.at, window.from]);
    const huge = [600, 540, 480].map((at) => ({ at, spans: 30_000_000 }));
    expect(candidatesOf(window, 200_000, huge)).toMatchObject({ late: [600], beyond: [540, 480] });
  });

  it.each([
    ['all of them', [600], [120, 60], { 600: 5, 120: 6, 60: 7 }, [600, 120, 60], 1, undefined],
    ['those with spans of the tenant', [600], [120, 60], { 60: 7 }, [60], 1, undefined],
    ['recent ones by a sample', [600], [], { 600: 500_000 }, [600], 3, undefined],
    [
      'late ones as far as they need no sample',
      [600],
      [300, 240, 180, 60],
      { 600: 100_000, 300: 150_000, 240: 90_000, 180: 20_000, 60: 10_000 },
      [600, 240, 60],
      1,
      { from: 180, to: 360 },
    ],
    ['no late ones beside a sample', [600], [60], { 600: 500_000, 60: 1 }, [600], 3, { from: 60, to: 120 }],
  ])('are %s', (_name, recent, older, spans: Record<number, number>, minutes, sampling, missing) => {
    const chosen = chooseLive({ recent, late: older, beyond: [] }, (at) => spans[at] ?? 0);
    expect(chosen).toEqual({ live: { minutes, sampling }, missing });
  });

  it('are reported as missing when nobody looked for their spans', () => {
    const chosen = chooseLive({ recent: [], late: [600], beyond: [300, 60] }, () => 1);
    expect(chosen).toEqual({ live: { minutes: [600], sampling: 1 }, missing: { from: 60, to: 360 } });
  });

  it('contain every late minute of the window once, or it is within what is missing', () => {
    const at = fc.nat(300).map((count) => count * 60);
    fc.assert(
      fc.property(
        fc.record({
          from: at,
          length: at,
          derivedTo: fc.option(at, { nil: undefined }),
          now: fc.nat(20_000),
          spans: fc.dictionary(at.map(String), fc.nat(maxSpansLive * 2)),
        }),
        ({ from, length, derivedTo, now, spans }) => {
          const window = untilNow({ from, to: from + length }, now);
          const found = Object.entries(spans)
            .map(([minute, count]) => ({ at: Number(minute), spans: count }))
            .filter((one) => one.at >= window.from && one.at < window.to)
            .sort((a, b) => b.at - a.at);
          const candidates = candidatesOf(window, derivedTo, found);
          const { live, missing } = chooseLive(candidates, (minute) => spans[minute] ?? 0);
          expect(new Set(live.minutes).size).toBe(live.minutes.length);
          for (const minute of live.minutes) expect(minute >= from && minute < window.to).toBe(true);
          for (const one of found) {
            if (one.spans === 0 || live.minutes.includes(one.at)) continue;
            expect(missing !== undefined && one.at >= missing.from && one.at < missing.to).toBe(true);
          }
          const read = live.minutes.reduce((sum, minute) => sum + (spans[minute] ?? 0), 0);
          expect(read / live.sampling).toBeLessThanOrEqual(maxSpansLive);
        },
      ),
    );
  });

  it('are read by the five minutes that contain them and what is around them', () => {
    expect(fiveMinutesOf([600, 660, 3540], 0, 0)).toEqual([600, 3300]);
    expect(fiveMinutesOf([900], 600, 120)).toEqual([300, 600, 900]);
    expect(fiveMinutesOf([1140], 600, 120)).toEqual([300, 600, 900, 1200]);
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
