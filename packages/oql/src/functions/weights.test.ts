import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';
import { FIXTURE_TABLES, type SpanRow } from '../testing/fixture.ts';
import { type FixtureTable, rows, START, TENANT } from '../testing/world.ts';
import { AGGREGATES } from './index.ts';

/** The same spans three times: with weights, each repeated as often as its weight, and without weights. */
const SPANS = [
  { x: 900, y: 1, weight: 1 },
  { x: 100, y: 3, weight: 5 },
  { x: 250, y: 1, weight: 2 },
  { x: 1e9 + 100, y: 9, weight: 4 },
  { x: 4, y: -2, weight: 3 },
  { x: 250, y: 5, weight: 1 },
];
const SETS = {
  weighted: SPANS,
  repeated: SPANS.flatMap((span) => Array.from({ length: span.weight }, () => ({ ...span, weight: 1 }))),
  plain: SPANS.map((span) => ({ ...span, weight: 1 })),
};

/** Questions that depend on weights, where the function's own example does not. */
const QUESTIONS: Readonly<Record<string, string>> = {
  count: 'count()',
  sum: 'sum(x)',
  sum_if: 'sum_if(x, y > 0)',
  avg_if: 'avg_if(x, y > 0)',
  ratio: 'ratio(x > 200)',
  histogram_fraction: 'histogram_fraction(x, 50, 200)',
  correlation: 'correlation(x, y)',
  quantile: 'quantile(x, 0.4)',
  top_values: 'top_values(x, 2)',
};

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
let at = 0;
const spans = Object.entries(SETS).flatMap(([name, of]) =>
  of.map(({ x, y, weight }): SpanRow => {
    at++;
    return {
      ...TENANT,
      time: START + BigInt(at),
      duration: at,
      trace_id: hex(at, 32),
      span_id: hex(at, 16),
      parent_span_id: '',
      service: 'shop',
      name,
      kind: 'server',
      status: 'ok',
      weight,
      resource: {},
      strings: {},
      ints: {},
      floats: { x, y },
      bools: {},
      jsons: {},
      events: [],
      link: null,
    };
  }),
);
const TABLES: readonly FixtureTable[] = [
  { insert: FIXTURE_TABLES[0]?.insert ?? '', rows: rows(spans.map((span) => ({ ...span, link: ['', ''] }))) },
];

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(TABLES);
});
afterAll(() => engine.stop());

// A gap is that of one trace, in which weights do not count.
describe.each(AGGREGATES.filter(({ name }) => name !== 'gap'))('$name of rows that stand for several', (definition) => {
  const { name, weights, examples } = definition;
  const question = QUESTIONS[name] ?? examples[0]?.[0] ?? '';

  it(`is ${weights}`, async () => {
    const of = async (set: keyof typeof SETS) =>
      (await engine.ask(`spans | where name == "${set}" | stats n=${question}`)).rows[0]?.[0];
    const [weighted, repeated, plain] = [await of('weighted'), await of('repeated'), await of('plain')];
    const same = (a: unknown, b: unknown) => {
      if (typeof a === 'number' && typeof b === 'number') expect(Math.abs(a / b - 1)).toBeLessThan(1e-7);
      else expect(a).toEqual(b);
    };
    if (weights === 'stored') same(weighted, plain);
    else same(weighted, repeated);
    if (weights === 'alike') same(weighted, plain);
    if (weights === 'counted') expect(weighted).not.toEqual(plain);
  });
});
