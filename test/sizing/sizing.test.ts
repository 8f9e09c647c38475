import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Figures, measured } from '../../bench/sizing/figures.ts';
import { duration, inShort, simulationTable, sizingTable } from '../../bench/sizing/page.ts';
import { mostOf, simulate } from '../../bench/sizing/simulation-rules.ts';
import { blocksOf, type Load, sizeOf, usualPlan } from '../../bench/sizing/sizing-rules.ts';

const guide = readFileSync(fileURLToPath(new URL('../../docs/guides/scaling.md', import.meta.url)), 'utf8');

/** Easy to compute with. */
const item = { serverSeconds: 1e-6, storeSeconds: 2e-6, mostOfServer: 100_000 };
const bytes = { protobufBytes: 400, insertedBytes: 500, storedBytes: 50 };
const simple: Figures = {
  ...{ span: { ...item, ...bytes }, log: { ...item, ...bytes }, point: { ...item, ...bytes } },
  ...{ blockSeconds: 0.2, mergeShare: 0.5 },
  ...{ segmentSeconds: 1, segmentBytes: 40_000_000, segmentItems: 480_000, logBytes: 8e9 },
  ...{ readRowSeconds: 1e-8, querySeconds: 0.01, mostRowsOfQuery: 2e9 },
};
const nothing: Load = { spansPerSecond: 0, logsPerSecond: 0, series: 0, retentionDays: 30, queriesPerSecond: 0 };

describe('sizeOf', () => {
  it('follows from the load by arithmetic', () => {
    const load = { ...nothing, spansPerSecond: 1_000_000, retentionDays: 10, queriesPerSecond: 100 };
    // 20 servers at half of 100,000 a second each; a block of each a second.
    // Work: 2 cores for rows, 100 queries of 900 million rows: 900 cores, and 20 × 0.2 = 4 cores of each shard for blocks.
    expect(sizeOf(load, simple)).toEqual({
      ...{ ingestServers: 20, ingestCores: 1, apiServers: 2, blocksPerSecond: 20 },
      shards: Math.ceil(902 / 28),
      shardsFor: { processors: Math.ceil(902 / 28), disk: Math.ceil(43.2 / 16), network: 2 },
      ...{ firstLimit: 'processors', mostWork: 'queries' },
      storeCores: Math.ceil(2 * (902 / 33 + 4)),
      storeMemoryBytes: 63 * 4 * 1024 ** 3,
      storeDiskBytes: expect.closeTo(43.2e12 / 33 / 0.8, -3),
      receivedBytesPerSecond: 400e6,
      storeBytesPerSecond: expect.closeTo(1e9 / 33, 3),
      bridgeSeconds: 400,
      longestWindowSeconds: 2_000,
    });
  });

  it.each<[string, Partial<Load>, string, string]>([
    ['days of storage', { spansPerSecond: 100_000, retentionDays: 400 }, 'disk', 'blocks'],
    ['queries', { spansPerSecond: 10_000, queriesPerSecond: 1_000 }, 'processors', 'queries'],
    ['blocks of many servers', { spansPerSecond: 20_000_000 }, 'processors', 'blocks'],
  ])('reports the first limit for %s', (_name, load, firstLimit, mostWork) => {
    expect(sizeOf({ ...nothing, ...load }, simple)).toMatchObject({ firstLimit, mostWork });
  });

  it('reports the network as first limit if nothing is kept and blocks cost little', () => {
    const figures = { ...simple, blockSeconds: 0.002 };
    const load = { ...nothing, spansPerSecond: 2_500_000, retentionDays: 0 };
    expect(sizeOf(load, figures)).toMatchObject({ firstLimit: 'network', mostWork: 'rows', shards: 4 });
  });

  it('returns no number of shards if blocks alone are too much for each', () => {
    const { shards, shardsFor, mostWork } = sizeOf({ ...nothing, spansPerSecond: 20_000_000 }, simple);
    expect([shards, shardsFor.processors, mostWork]).toEqual([undefined, Number.POSITIVE_INFINITY, 'blocks']);
  });

  it('returns two servers for each role, one shard and one core for an empty load', () => {
    expect(sizeOf(nothing, measured)).toMatchObject({
      ingestServers: 2,
      apiServers: 2,
      shards: 1,
      storeCores: 1,
      blocksPerSecond: 0,
    });
  });

  it.each([
    ['spansPerSecond', -1],
    ['logsPerSecond', Number.NaN],
    ['series', Number.POSITIVE_INFINITY],
    ['retentionDays', -0.5],
  ])('rejects %s of %d', (name, value) => {
    expect(() => sizeOf({ ...nothing, [name]: value }, measured)).toThrow(
      `${name} is ${value}: give a number of 0 or more`,
    );
  });

  it.each([
    ['a block a second of each server', 10_000, 2, 2],
    ['more where a segment is full earlier, by bytes', 400_000, 2, 4],
  ])('counts %s', (_name, perSecond, servers, blocks) => {
    expect(blocksOf({ perSecond, cost: simple.span }, servers, simple)).toBe(blocks);
  });

  const loads = fc.record({
    spansPerSecond: fc.integer({ min: 0, max: 20_000_000 }),
    logsPerSecond: fc.integer({ min: 0, max: 20_000_000 }),
    series: fc.integer({ min: 0, max: 200_000_000 }),
    retentionDays: fc.integer({ min: 0, max: 400 }),
    queriesPerSecond: fc.integer({ min: 0, max: 500 }),
  });
  const names = Object.keys(nothing) as (keyof Load)[];

  it('never shrinks when a load grows', () => {
    fc.assert(
      fc.property(loads, fc.constantFrom(...names), fc.integer({ min: 1, max: 1_000_000 }), (load, name, more) => {
        const [before, after] = [load, { ...load, [name]: load[name] + more }].map((one) => sizeOf(one, measured));
        const least = (sizing = before) =>
          [sizing?.ingestServers, sizing?.apiServers, sizing?.shards ?? Number.POSITIVE_INFINITY].map(Number);
        for (const [at, value] of least(after).entries()) expect(value).toBeGreaterThanOrEqual(least(before)[at] ?? 0);
      }),
    );
  });

  it('keeps every server of the store within the plan', () => {
    fc.assert(
      fc.property(loads, (load) => {
        const { shards, storeCores, storeDiskBytes, storeBytesPerSecond } = sizeOf(load, measured);
        fc.pre(shards !== undefined);
        expect(storeCores).toBeLessThanOrEqual(usualPlan.storeCores);
        expect(storeDiskBytes).toBeLessThanOrEqual(usualPlan.storeDiskBytes * 1.000001);
        expect(storeBytesPerSecond).toBeLessThanOrEqual(usualPlan.bytesPerSecond * usualPlan.busy.network * 1.000001);
      }),
    );
  });

  it('returns a size that sustains the load in the simulation', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 10_000_000 }), (spansPerSecond) => {
        const { ingestServers, shards, storeCores } = sizeOf({ ...nothing, spansPerSecond }, measured);
        fc.pre(shards !== undefined);
        const outcome = simulate({ spansPerSecond, ingestServers, shards: shards ?? 1, cores: storeCores }, measured);
        expect(outcome).toMatchObject({ bottleneck: undefined, waitingParts: 0 });
      }),
      { numRuns: 50 },
    );
  });
});

describe('simulate', () => {
  const world = { spansPerSecond: 100_000, ingestServers: 2, shards: 1, cores: 8 };

  it.each([
    ['ingest servers', { spansPerSecond: 300_000 }, simple],
    ['store processors', { cores: 0.5 }, simple],
    ['merge threads', { cores: 100, ingestServers: 200, spansPerSecond: 17_000_000 }, simple],
  ])('reports %s as the bottleneck', (bottleneck, change, figures) => {
    const outcome = simulate({ ...world, ...change }, figures);
    expect(outcome).toMatchObject({ bottleneck });
    expect(outcome.stored).toBeLessThan(0.995);
    expect(outcome.waitingBytes).toBeGreaterThan(0);
  });

  it('stores everything and leaves no parts if the servers suffice', () => {
    expect(simulate(world, simple)).toEqual({ stored: 1, waitingBytes: 0, waitingParts: 0, bottleneck: undefined });
  });

  it('keeps what the store does not accept in the logs, with 1,000 to 3,000 parts', () => {
    const { stored, waitingBytes, waitingParts } = simulate({ ...world, cores: 0.3 }, simple);
    expect(stored).toBeGreaterThan(0);
    expect(waitingBytes).toBeGreaterThan(1e9);
    expect(waitingParts).toBeGreaterThan(1_000);
    expect(waitingParts).toBeLessThan(3_000);
  });

  const worlds = fc.record({
    ingestServers: fc.integer({ min: 1, max: 200 }),
    shards: fc.integer({ min: 1, max: 100 }),
    cores: fc.integer({ min: 1, max: 128 }),
  });

  it('never stores less with more cores or shards', () => {
    fc.assert(
      fc.property(worlds, (given) => {
        const most = mostOf(given, measured).spansPerSecond;
        for (const more of [{ cores: given.cores * 2 }, { shards: given.shards * 2 }])
          expect(mostOf({ ...given, ...more }, measured).spansPerSecond).toBeGreaterThanOrEqual(most * 0.99);
      }),
      { numRuns: 20 },
    );
  });

  it('stores nothing if blocks alone exceed the processors', () => {
    expect(mostOf({ ingestServers: 500, shards: 8, cores: 16 }, simple).spansPerSecond).toBeLessThan(1);
  });
});

describe('docs/guides/scaling.md', () => {
  it.each([
    ['sizes', sizingTable],
    ['bottlenecks', simulationTable],
  ])('contains the computed table of %s (npx tsx bench/sizing.ts)', (_name, table) => {
    expect(guide).toContain(`\n${table()}\n`);
  });

  it.each([
    [0, '0'],
    [0.056, '0.1'],
    [7, '7'],
    [9.96, '10'],
    [999.4, '999'],
    [999.6, '1k'],
    [142_178, '142k'],
    [1_250_000, '1.3M'],
    [2.5e15, '2.5P'],
  ])('formats %d as %s', (value, text) => {
    expect(inShort(value)).toBe(text);
  });

  it.each([
    [0, '0 s'],
    [Number.POSITIVE_INFINITY, 'any'],
    [119.9, '119 s'],
    [200, '3 min'],
    [7_200, '2 h'],
    [200_000, '2 days'],
  ])('formats %d seconds as %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
