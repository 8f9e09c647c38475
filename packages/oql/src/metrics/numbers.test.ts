import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';
import { type NumberPoint, type NumberSeries, seriesTables } from '../testing/series-tables.ts';
import { START } from '../testing/world.ts';

/**
 * Compares the growth of counters in the compiled SQL with the rule in plain TypeScript, over random series: resets by a drop
 * and by a later start, both temporalities, points sent twice with different values, and points inserted late.
 */
const START_S = Number(START / 1_000_000_000n);
const HOUR_S = 3600;
const LOOKBACK_S = 600;
const FAR_LOOKBACK_S = 7200;

/** The same numbers on each run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function seriesOf(id: number): { readonly series: NumberSeries; readonly late: NumberSeries } {
  const random = randomOf(id + 1);
  const chance = (share: number) => random() < share;
  const upTo = (most: number) => Math.floor(random() * most);
  const points: NumberPoint[] = [];
  const late: NumberPoint[] = [];
  let value = upTo(1000);
  let since = chance(0.3) ? undefined : -1500 + upTo(1200);
  const begin = chance(0.6) ? -1200 : upTo(2400);
  if (begin > 0 && since !== undefined) since = begin - 1;
  for (let at = begin; at < HOUR_S + 60; at += 4 + upTo(60)) {
    if (chance(0.05)) {
      value = upTo(50);
      if (since !== undefined && chance(0.7)) since = at - 2;
    } else value += upTo(30);
    const point = { at, value, ...(since !== undefined && { since }) };
    (chance(0.1) ? late : points).push(point);
    if (chance(0.1)) late.push({ ...point, value: value - 3 + upTo(7) });
    if (chance(0.05) && since !== undefined) late.push({ ...point, since: since + 1 });
  }
  const temporality = id % 4 === 3 ? 'delta' : 'cumulative';
  const about = { metric: temporality, kind: 'sum', temporality, attributes: { s: `s${id}` } } as const;
  return { series: { ...about, points }, late: { ...about, points: late } };
}

const ALL = Array.from({ length: 32 }, (_, id) => seriesOf(id));
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(
    seriesTables(
      ALL.map(({ series }) => series),
      ALL.map(({ late }) => late),
    ),
  );
});
afterAll(() => engine.stop());

interface Question {
  readonly fn: 'rate' | 'increase' | 'delta';
  readonly fromS: number;
  readonly toS: number;
  readonly stepS?: number;
  readonly overS?: number;
  /** Only points with a larger value. */
  readonly above?: number;
}

/** One point for each time: the one with the largest value, then the latest start. */
function pointsOf({ series, late }: (typeof ALL)[number]): readonly NumberPoint[] {
  const best = new Map<number, NumberPoint>();
  for (const point of [...series.points, ...late.points]) {
    const known = best.get(point.at);
    const isBetter =
      !known ||
      point.value > known.value ||
      (point.value === known.value && (point.since ?? -1e9) > (known.since ?? -1e9));
    if (isBetter) best.set(point.at, point);
  }
  return [...best.values()].sort((a, b) => a.at - b.at);
}

function expected(metric: string, { fn, fromS, toS, stepS, overS, above = -1 }: Question): Map<string, number> {
  const found = new Map<string, number>();
  const width = stepS ?? toS - fromS;
  const over = overS ?? width;
  const firstBucket = stepS === undefined ? fromS : fromS - ((START_S + fromS) % stepS);
  // A bucket without a look-back of its own adds up with the others, and ends where the range does.
  const adds = fn !== 'rate' && overS === undefined;
  const endOf = (start: number) => (adds ? start + width : Math.min(start + width, toS));
  const begin = endOf(firstBucket) - over;
  const from = Math.min(begin, fromS);
  for (const one of ALL.filter(({ series }) => series.metric === metric)) {
    // Further back only for series without a point right before the range, whatever its value is.
    const isNear = pointsOf(one).some(({ at }) => at >= from - LOOKBACK_S && at < from);
    const lookback = isNear ? LOOKBACK_S : FAR_LOOKBACK_S;
    const points = pointsOf(one).filter(({ at, value }) => at >= from - lookback && at < toS && value > above);
    points.forEach((point, i) => {
      if (point.at < from) return;
      const before = points[i - 1];
      const sinceOf = ({ since }: NumberPoint) => since ?? -START_S;
      const restarted = before && (sinceOf(point) > sinceOf(before) || point.value < before.value);
      const ofPairs = () => {
        if (fn === 'delta') return before ? point.value - before.value : 0;
        if (!before) return sinceOf(point) >= from ? point.value : 0;
        return restarted ? point.value : point.value - before.value;
      };
      const grown = metric === 'delta' ? point.value : ofPairs();
      for (let start = firstBucket; start < toS; start += width) {
        if (point.at < endOf(start) - over || point.at >= endOf(start)) continue;
        const key = stepS === undefined ? `${one.series.attributes?.s}` : `${one.series.attributes?.s} ${start}`;
        found.set(key, (found.get(key) ?? 0) + (fn === 'rate' ? grown / over : grown));
      }
    });
  }
  return found;
}

const QUESTIONS: readonly (readonly [string, Question])[] = [
  ['increase | sum by s', { fn: 'increase', fromS: 0, toS: HOUR_S }],
  ['increase | sum by s', { fn: 'increase', fromS: 17.5, toS: 3011.25 }],
  ['rate | sum by s, bucket(1m)', { fn: 'rate', fromS: 0, toS: HOUR_S, stepS: 60 }],
  ['rate | sum by s, bucket(1m)', { fn: 'rate', fromS: 17.5, toS: 3011.25, stepS: 60 }],
  ['rate 5m | sum by s, bucket(1m)', { fn: 'rate', fromS: 0, toS: HOUR_S, stepS: 60, overS: 300 }],
  ['increase 90s | sum by s, bucket(1m)', { fn: 'increase', fromS: 17.5, toS: 3011.25, stepS: 60, overS: 90 }],
  ['increase 7s | sum by s, bucket(10s)', { fn: 'increase', fromS: 0, toS: 600, stepS: 10, overS: 7 }],
  [
    'where value > 40 | increase | sum by s, bucket(5m)',
    { fn: 'increase', fromS: 0, toS: HOUR_S, stepS: 300, above: 40 },
  ],
  ['delta | sum by s, bucket(2m)', { fn: 'delta', fromS: 0, toS: HOUR_S, stepS: 120 }],
];

describe.each(['cumulative', 'delta'])('metric %s', (metric) => {
  test.each(QUESTIONS)('%s %j', async (query, question) => {
    const at = (seconds: number) => START + BigInt(Math.round(seconds * 1000)) * 1_000_000n;
    const window = { fromNs: at(question.fromS), toNs: at(question.toS) };
    const { rows } = await engine.ask(`metric ${metric} | ${query}`, { window });
    const answer = new Map(
      rows.map((row): [string, number] => {
        const bucket = question.stepS === undefined ? '' : ` ${Date.parse(String(row[1])) / 1000 - START_S}`;
        return [`${row[0]}${bucket}`, Number(row.at(-1))];
      }),
    );
    const wanted = expected(metric, question);
    expect([...answer.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [key, value] of wanted) expect(answer.get(key), key).toBeCloseTo(value, 9);
  });
});
