import fc from 'fast-check';
import { FIXTURE_TABLES, type SpanRow } from './fixture.ts';
import { type FixtureTable, rows, START, TENANT } from './world.ts';

/** A span with a number `x` that represents `weight` spans. */
export interface Weighted {
  readonly x: number;
  readonly weight: number;
}

const SEED = 20_261_122;
const weight = fc.constantFrom(1, 1, 1, 2, 10, 4 / 3, 2.5, 1000);
const value = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
);
const sampled = <T>(of: fc.Arbitrary<T>, count: number) => fc.sample(of, { seed: SEED, numRuns: count });
const group = (size: number, x: fc.Arbitrary<number>, weights: fc.Arbitrary<number>): readonly Weighted[] =>
  sampled(fc.record({ x, weight: weights }), size);

/** Groups of spans by span name; those named `large …` are too large for exact quantiles. */
export const GROUPS: ReadonlyMap<string, readonly Weighted[]> = new Map([
  ['two', [0, 100].map((x) => ({ x, weight: 1 }))],
  ['one', [{ x: 7, weight: 3 }]],
  ['sampled', [0, 100].map((x) => ({ x, weight: x === 0 ? 3 : 1 }))],
  ...sampled(fc.array(fc.record({ x: value, weight }), { minLength: 1, maxLength: 40 }), 60).map(
    (of, i) => [`group ${i}`, of] as const,
  ),
  ['full', group(1000, value, weight)],
  ['large one more', group(1001, value, fc.constant(1))],
  ['large latencies', group(2000, fc.double({ min: 1e3, max: 1e10, noNaN: true }), weight)],
  ['large negative', group(1200, fc.double({ min: -1e9, max: -1, noNaN: true }), weight)],
]);

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');

function spanOf(name: string, { x, weight: standsFor }: Weighted, at: number): SpanRow {
  return {
    ...TENANT,
    time: START + BigInt(at),
    duration: at,
    trace_id: hex(at + 1, 32),
    span_id: hex(at + 1, 16),
    parent_span_id: '',
    service: 'shop',
    name,
    kind: 'server',
    status: 'ok',
    weight: standsFor,
    resource: {},
    strings: {},
    ints: {},
    floats: { x },
    bools: {},
    jsons: {},
    events: [],
    link: null,
  };
}

const spans = [...GROUPS].flatMap(([name, of]) => of.map((one) => [name, one] as const));

export const QUANTILE_TABLES: readonly FixtureTable[] = [
  {
    insert: FIXTURE_TABLES[0]?.insert ?? '',
    rows: rows(spans.map(([name, one], at) => ({ ...spanOf(name, one, at), link: ['', ''] }))),
  },
];
