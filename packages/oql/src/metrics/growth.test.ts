import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResultValue } from '../result.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { GROWTH_SERIES, GROWTH_TABLES, type GrowthPoint, type GrowthSeries } from '../testing/growth-fixture.ts';
import { START } from '../testing/world.ts';

/**
 * Compares the growth of histograms in the compiled SQL with the rule in plain TypeScript, point by point: resets by a drop
 * and by a later start, both temporalities, changing bounds and scales, end-of-series markers, and series that began before
 * the range with and without a point there.
 */
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(GROWTH_TABLES);
});
afterAll(() => engine.stop());

/** Bucket counts: explicit ones by their bounds, exponential ones by scale, sign and index. */
interface Buckets {
  readonly explicit: Map<string, number>;
  readonly exponential: Map<string, number>;
}

function add(to: Map<string, number>, key: string, count: number): void {
  to.set(key, (to.get(key) ?? 0) + count);
}

/** Adds to `into` what a point counted since the previous one. */
function grow(into: Buckets, point: GrowthPoint, before: GrowthPoint | undefined, isWhole: boolean): void {
  if (!isWhole && before === undefined) return;
  const then = isWhole ? undefined : before;
  const isSame = then && String(then.bounds) === String(point.bounds) && then.explicit.length === point.explicit.length;
  point.explicit.forEach((count, i) => {
    const low = i === 0 ? Math.min(point.bounds[0] ?? 0, 0) : point.bounds[i - 1];
    const high = point.bounds[i] ?? point.bounds.at(-1);
    add(into.explicit, `${low},${high}`, count - (isSame ? (then.explicit[i] ?? 0) : 0));
  });
  add(into.explicit, `${-point.threshold},${point.threshold}`, point.zero - (isSame ? then.zero : 0));
  const isFiner = then !== undefined && then.scale >= point.scale;
  for (const [side, sign] of [
    ['positive', 1],
    ['negative', -1],
  ] as const) {
    const at = sign > 0 ? 0 : 1;
    point[side].forEach((count, i) => {
      const index = point.offsets[at] + i;
      const had = isFiner
        ? then[side].reduce((all, n, j) => {
            const there = Math.floor((then.offsets[at] + j) / 2 ** (then.scale - point.scale));
            return there === index ? all + n : all;
          }, 0)
        : 0;
      add(into.exponential, `${point.scale},${sign},${index}`, count - had);
    });
  }
}

interface Growth extends Buckets {
  count: number;
  sum: number;
}

/** How much the series of a metric grew, grouped by `keysOf`; points before `from` serve only as baselines. */
function growthBy(metric: string, from: number, keysOf: (series: GrowthSeries, minute: number) => readonly string[]) {
  const groups = new Map<string, Growth>();
  for (const series of GROWTH_SERIES.filter((one) => one.metric === metric)) {
    const points = series.points.filter(({ ended, minute }) => !ended && minute >= from - 10);
    points.forEach((point, i) => {
      if (point.minute < from) return;
      const before = points[i - 1];
      const restarted = before !== undefined && (point.since > before.since || point.count < before.count);
      const begins = before === undefined && point.since >= from;
      const isWhole = series.temporality === 'delta' || begins || restarted;
      for (const key of keysOf(series, point.minute)) {
        const group = groups.get(key) ?? { explicit: new Map(), exponential: new Map(), count: 0, sum: 0 };
        groups.set(key, group);
        grow(group, point, before, isWhole);
        const [count, sum] = isWhole ? [0, 0] : [before?.count ?? point.count, before?.sum ?? point.sum];
        group.count += point.count - count;
        group.sum += point.sum - sum;
      }
    });
  }
  return groups;
}

interface Bucket {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly isExponential: boolean;
}

function bucketsOf({ explicit, exponential }: Buckets): readonly Bucket[] {
  const powers = [...exponential].filter(([, count]) => count > 0);
  const scale = Math.min(...powers.map(([key]) => Number(key.split(',')[0])));
  const has = (sign: number) => powers.some(([key]) => Number(key.split(',')[1]) === sign);
  const [up, down] = [has(1), has(-1)];
  const straight = [...explicit].map(([key, count]): Bucket => {
    const [low = 0, high = 0] = key.split(',').map(Number);
    const isZero = low === -high;
    return {
      low: isZero && up && !down ? 0 : low,
      high: isZero && down && !up ? 0 : high,
      count,
      isExponential: false,
    };
  });
  const curved = powers.map(([key, count]): Bucket => {
    const [own = 0, sign = 1, index = 0] = key.split(',').map(Number);
    const width = 2 ** -scale;
    const at = Math.floor((index * 2 ** -own) / width);
    const [near, far] = [2 ** (at * width), 2 ** ((at + 1) * width)];
    return sign > 0
      ? { low: near, high: far, count, isExponential: true }
      : { low: -far, high: -near, count, isExponential: true };
  });
  return [...straight, ...curved].filter(({ count }) => count > 0);
}

function quantile(level: number, of: Buckets): number | null {
  const buckets = bucketsOf(of);
  if (buckets.length === 0) return null;
  const share = ({ low, high, isExponential }: Bucket, y: number) => {
    if (y >= high) return 1;
    if (y <= low) return 0;
    return isExponential ? Math.log(y / low) / Math.log(high / low) : (y - low) / (high - low);
  };
  const below = (y: number) => buckets.reduce((all, one) => all + one.count * share(one, y), 0);
  const isOn = (one: Bucket, y: number) => one.low === one.high && y <= one.high;
  const beneath = (y: number) => buckets.reduce((all, one) => all + (isOn(one, y) ? 0 : one.count * share(one, y)), 0);
  const ends = [...new Set(buckets.flatMap(({ low, high }) => [low, high]))].sort((a, b) => a - b);
  const rank = level * buckets.reduce((all, { count }) => all + count, 0);
  const first = ends.findIndex((y) => below(y) >= rank * 0.999999999999);
  const last = ends.findLastIndex((y) => beneath(y) <= rank * 1.000000000001);
  const isExponential = buckets.some((one) => one.isExponential);
  if (level >= 0.5 && first >= 0 && isExponential && last > first) return ends[last] ?? null;
  if (first < 0) return ends.at(-1) ?? null;
  if (first === 0) return ends[0] ?? null;
  const [from = 0, to = 0] = [ends[first - 1], ends[first]];
  const [least, most] = [below(from), beneath(to)];
  if (rank >= most || most <= least) return to;
  const part = (rank - least) / (most - least);
  const isLinear = from * to <= 0 || buckets.some((one) => !one.isExponential && one.low < to && one.high > from);
  return isLinear ? from + (to - from) * part : from * (to / from) ** part;
}

const LEVELS = [0.1, 0.25, 0.5, 0.75, 0.9, 0.99];
const quantiles = LEVELS.map((level, i) => `q${i}=quantile(value, ${level})`).join(', ');
const minuteOf = (time: ResultValue) => (Date.parse(String(time)) - Number(START / 1_000_000n)) / 60_000;

function expectAll(
  rows: readonly (readonly ResultValue[])[],
  keys: number,
  expected: ReadonlyMap<string, Growth>,
  what: 'all' | 'quantiles',
) {
  const found = new Map(
    rows.map((row) => [
      row
        .slice(0, keys)
        .map((key) => (String(key).includes('T') ? minuteOf(key) : key))
        .join(),
      row.slice(keys),
    ]),
  );
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [key, growth] of expected) {
    const values = found.get(key) ?? [];
    LEVELS.forEach((level, i) => {
      const [value, wanted] = [values[i], quantile(level, growth)];
      if (wanted === null) expect(value, `${key} ${level}`).toBeNull();
      else expect(Number(value), `${key} ${level}`).toBeCloseTo(wanted, 9);
    });
    if (what === 'all') expect(values.slice(LEVELS.length).map(Number), key).toEqual([growth.count, growth.sum]);
  }
}

test.each(['mixed', 'powers'])('computes the growth of %s over the range', async (metric) => {
  const { rows } = await engine.ask(
    `metric ${metric} | increase | stats ${quantiles}, n=sum(count), s=sum(sum) by group`,
  );
  expectAll(
    rows,
    1,
    growthBy(metric, 0, ({ group }) => [group]),
    'all',
  );
});

test.each(['mixed', 'powers'])('computes the growth of %s in time buckets', async (metric) => {
  const { rows } = await engine.ask(
    `metric ${metric} | increase | stats ${quantiles}, n=sum(count), s=sum(sum) by group, bucket(5m)`,
  );
  expectAll(
    rows,
    2,
    growthBy(metric, 0, ({ group }, at) => [`${group},${Math.floor(at / 5) * 5}`]),
    'all',
  );
});

test.each(['mixed', 'powers'])('computes the growth of %s with a lookback longer than a bucket', async (metric) => {
  const { rows } = await engine.ask(
    `metric ${metric} | increase 20m | stats ${quantiles}, n=sum(count), s=sum(sum) by group, bucket(10m)`,
  );
  const keys = ({ group }: GrowthSeries, at: number) =>
    [0, 1]
      .map((n) => Math.floor(at / 10) * 10 + n * 10)
      .filter((start) => start >= 0 && start < 60)
      .map((start) => `${group},${start}`);
  expectAll(rows, 2, growthBy(metric, -10, keys), 'all');
});

test.each(['mixed', 'powers'])('computes the growth of %s point by point', async (metric) => {
  const { rows } = await engine.ask(`metric ${metric} | stats ${quantiles} by group, bucket(10m)`);
  expectAll(
    rows,
    2,
    growthBy(metric, 0, ({ group }, at) => [`${group},${Math.floor(at / 10) * 10}`]),
    'quantiles',
  );
});

test('computes the same growth after a limit', async () => {
  const { rows } = await engine.ask('metric mixed | sort time | limit 1000 | increase | stats n=sum(count) by group');
  const expected = growthBy('mixed', 0, ({ group }) => [group]);
  expect(rows.map(([group, n]) => [group, n])).toEqual(
    [...expected].map(([group, { count }]) => [group, count]).sort(),
  );
});

test('returns the same rows for a repeated query: the engine compiles it from the third run', async () => {
  for (const query of [
    'metric mixed | increase | stats p=p99(value) by group',
    'metric powers | rate | stats p=p99(value) by group, bucket(5m)',
    'metric powers | p50 by group',
  ]) {
    const { rows } = await engine.ask(query);
    for (let again = 0; again < 5; again++) expect((await engine.ask(query)).rows).toEqual(rows);
  }
});
