import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';
import { START } from '../testing/fixture.ts';
import { FUNCTION_ANSWERS, FUNCTION_SERIES } from '../testing/prometheus/functions.ts';
import { HISTOGRAM_ANSWERS, HISTOGRAM_SERIES } from '../testing/prometheus/histograms.ts';
import type { Expected } from '../testing/prometheus/notation.ts';
import { seriesTables } from '../testing/series-tables.ts';

/** Prometheus' own tests of its functions, as OQL queries. */
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(seriesTables([...HISTOGRAM_SERIES, ...FUNCTION_SERIES]));
});
afterAll(() => engine.stop());

const MINUTE_NS = 60_000_000_000n;

async function answers({ query, at, rows }: Expected) {
  const window = { fromNs: START, toNs: START + BigInt(at) * MINUTE_NS };
  const answer = await engine.ask(query, { window, nowNs: window.toNs });
  const found = new Map(answer.rows.map((row) => [row.slice(0, -1).join(), row.at(-1)]));
  expect([...found.keys()].sort()).toEqual(Object.keys(rows).sort());
  for (const [labels, expected] of Object.entries(rows)) {
    const value = found.get(labels);
    if (typeof expected === 'number') expect(value, labels).toBeCloseTo(expected, 6);
    else expect(value, labels).toBe(expected);
  }
}

describe('histograms.test', () => {
  test.each(HISTOGRAM_ANSWERS)('$query', answers);
});

describe('functions.test', () => {
  test.each(FUNCTION_ANSWERS)('$query', answers);
});
