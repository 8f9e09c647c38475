import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile, validate } from '../compile.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { SCOPE } from '../testing/fixture.ts';
import { type FixtureTable, rows, START } from '../testing/world.ts';

/** `concurrency` beside a count of the spans with `start <= t < end` at each moment. */

interface Span {
  readonly workspace: number;
  readonly project: number;
  readonly environment: string;
  readonly time: bigint;
  readonly duration: bigint;
  readonly service: string;
  readonly weight: number;
}

const SECOND = 1_000_000_000n;
const span = (service: string, at: number, lasts: number, weight = 1): Span => ({
  ...SCOPE,
  environment: 'production',
  time: START + BigInt(Math.round(at * 1e9)),
  duration: BigInt(Math.round(lasts * 1e9)),
  service,
  weight,
});

/** Around the full minute: a span is in flight from its start on, and no longer at its end. */
const BY_HAND: readonly Span[] = [
  span('hand', -90, 150), // -90 s to 60 s: at 0 s
  span('hand', 0, 60), // at 0 s, not at 60 s
  span('hand', 0.000000001, 60), // at 60 s only
  span('hand', 30, 29), // at no full minute
  span('hand', 60, 121, 10), // at 60 s, 120 s and 180 s
  span('hand', -3_700, 3_701), // began more than an hour before
];
let seed = 7;
const random = () => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};
const RANDOM: readonly Span[] = Array.from({ length: 400 }, () =>
  span(
    random() < 0.5 ? 'x' : 'y',
    Math.floor(random() * 7_000 - 3_000),
    Math.floor(random() ** 4 * 3_000),
    [1, 2, 16][Math.floor(random() * 3)],
  ),
);
const FOREIGN: readonly Span[] = [{ ...span('x', 0, 600), workspace: 8 }];

const SPANS: FixtureTable = {
  insert: `INSERT INTO spans (workspace, project, environment, retention_days, time, duration, trace_id, span_id, service, name, weight)
    SELECT workspace, project, environment, 3650, fromUnixTimestamp64Nano(time, 'UTC'), duration, toFixedString('t', 16), toFixedString('s', 8),
    service, 'work', weight FROM format(JSONEachRow, 'workspace UInt32, project UInt32, environment String, time Int64, duration UInt64,
    service String, weight Float64', {data})`,
  rows: rows([...BY_HAND, ...RANDOM, ...FOREIGN].map((one) => ({ ...one }))),
};

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([SPANS]);
});
afterAll(() => engine.stop());

const at = (seconds: number) => START + BigInt(seconds) * SECOND;
const iso = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString().replace('.000Z', 'Z');

function expected(spans: readonly Span[], window: { fromNs: bigint; toNs: bigint }, width: bigint, lookBack: bigint) {
  const found: [string, number][] = [];
  for (let t = ((window.fromNs + width - 1n) / width) * width; t < window.toNs; t += width) {
    const running = spans.filter(
      ({ time, duration }) => time <= t && t < time + duration && time >= window.fromNs - lookBack,
    );
    const count = running.reduce((sum, { weight }) => sum + weight, 0);
    if (count > 0) found.push([iso(t), count]);
  }
  return found;
}

describe('spans in flight', () => {
  const window = { fromNs: START, toNs: at(300) };
  test('are those that have begun and not ended, by hand', async () => {
    const { rows: answer, kind } = await engine.ask('spans | where service.name == "hand" | concurrency 1m', {
      window,
    });
    expect(kind).toBe('timeseries');
    expect(answer).toEqual([
      [iso(at(0)), 2],
      [iso(at(60)), 11],
      [iso(at(120)), 10],
      [iso(at(180)), 10],
    ]);
  });

  test('include those that began longer ago with `over`', async () => {
    const { rows: answer } = await engine.ask(
      'spans | where service.name == "hand" | concurrency 1m over 2h | fill 0',
      { window },
    );
    expect(answer.map(([, count]) => count)).toEqual([3, 11, 10, 10, 0]);
  });

  test('are as many as a plain count finds, for any window and width', async () => {
    const seconds = fc.integer({ min: -1_000, max: 2_000 });
    await fc.assert(
      fc.asyncProperty(
        seconds,
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        async (from, lasts, width, isLong) => {
          const window = { fromNs: at(from), toNs: at(from + lasts) };
          const { rows: answer } = await engine.ask(
            `spans | where service.name != "hand" | concurrency ${width}s${isLong ? ' over 2h' : ' over 20m'} by service.name`,
            { window },
          );
          for (const service of ['x', 'y']) {
            const own = RANDOM.filter((one) => one.service === service);
            const plain = expected(own, window, BigInt(width) * SECOND, (isLong ? 7_200n : 1_200n) * SECOND);
            expect(answer.filter(([, name]) => name === service).map(([time, , count]) => [time, count])).toEqual(
              plain,
            );
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('can be summed up, filled and compared', async () => {
    const most = expected(RANDOM, window, 10n * SECOND, 3_600n * SECOND).map(([, count]) => count);
    const { rows: answer } = await engine.ask(
      'spans | where service.name != "hand" | concurrency 10s | stats most=max(concurrency)',
      { window },
    );
    expect(answer).toEqual([[Math.max(...most)]]);
    const { columns } = await engine.ask('spans | concurrency 1m by service.name | compare 10m', { window });
    expect(columns.map(({ name }) => name)).toContain('concurrency_before');
  });

  test('are at most 10,000 moments', () => {
    const options = { scope: SCOPE, window: { fromNs: at(0), toNs: at(20_000) }, limit: 10, nowNs: at(20_000) };
    expect(compile('spans | concurrency 1s', options)).toMatchObject({
      diagnostics: [{ message: expect.stringContaining('at most 10000') }],
    });
  });

  test('have no partial moments', () => {
    const options = { scope: SCOPE, window: { fromNs: at(7), toNs: at(307) }, limit: 10, nowNs: at(307) };
    expect(compile('spans | concurrency 1m', options)).toMatchObject({ ok: true, partialBuckets: [] });
  });
});

test.each([
  'logs | concurrency 1m',
  'spans | limit 5 | concurrency 1m',
  'spans | stats n=count() by name | concurrency 1m',
  'spans | concurrency 100ms',
  'spans | concurrency 5',
  'spans | concurrency 1m over 8d',
  'spans | concurrency 1m by bucket(5m)',
  'spans | concurrency 1m by time=name',
])('is refused: %s', (query) => {
  expect(validate(query).valid).toBe(false);
});
