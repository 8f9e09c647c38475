import type { MetricDefinition } from '@fanion/contract';
import type { CompiledRelation } from '@fanion/oql';
import { durationMs } from '../../../platform/durations.ts';
import type { Around, Budget, Gateway } from '../../../platform/gateway/index.ts';
import { rowColumns, rowsQuery } from './definition-rules.ts';
import type { ArmSums, Exposed, ExposedUnits, MeasureMetrics } from './measure.ts';
import { tracesOf, unitParameters, unitsOf } from './units-store.ts';

const dayMs = 86_400_000;
/** How long before an evaluation its trace may have begun. */
const traceBeganMs = 600_000;

/** Measures metrics of exposed units, in one lane of the gateway. Everything is summed up in the store. */
export function createMeasure(gateway: Gateway, lane: Budget['lane']): MeasureMetrics {
  async function units(exposed: Exposed, signal: AbortSignal): Promise<ExposedUnits> {
    const rows = await gateway.lane(lane).rows<{ arm: string; crossed: number; n: number }>(
      exposed.scope,
      `WITH ${unitsOf(exposed)} SELECT if(arms > 1, '', arm) AS arm, toUInt8(arms > 1) AS crossed, toFloat64(count()) AS n FROM seen
       WHERE arms > 1 OR has({seen_arms:Array(String)}, seen.arm) GROUP BY arm, crossed`,
      unitParameters(exposed),
      signal,
    );
    const arms = Object.fromEntries(exposed.arms.map((arm) => [arm, 0]));
    for (const { arm, crossed, n } of rows) if (crossed === 0) arms[arm] = n;
    return { arms, crossed: rows.find(({ crossed }) => crossed === 1)?.n ?? 0 };
  }

  return {
    units,
    async sums(exposed, metric, { beforeDays = 0, units: known, signal }) {
      const { arms } = known ?? (await units(exposed, signal));
      const all = Object.values(arms).reduce((sum, n) => sum + n, 0);
      const byTrace = metric.unit === 'trace_id';
      // Traces that saw the flag say nothing about the time before.
      const beforeMs = byTrace || metric.kind === 'quantile' ? 0 : beforeDays * dayMs;
      const fromMs = Math.max(0, exposed.fromMs - (byTrace ? traceBeganMs : beforeMs));
      const { rows } = await gateway.relate<ArmRow, 'rows'>(
        exposed.scope,
        {
          rows: {
            oql: rowsQuery(metric),
            window: { fromNs: BigInt(fromMs) * 1_000_000n, toNs: BigInt(exposed.toMs) * 1_000_000n },
            rows: true,
          },
        },
        (relations) => statement(relations.rows, exposed, metric, { all, beforeMs }),
        { lane, signal },
      );
      const found = new Map(rows.map((row) => [row.arm, row]));
      return exposed.arms.map((variant) => toSums(variant, arms[variant] ?? 0, found.get(variant)));
    },
  };
}

interface ArmRow extends Omit<ArmSums, 'variant' | 'n' | 'quantile'> {
  readonly arm: string;
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly delta: number | null;
}

const zeros = { x: 0, xx: 0, y: 0, yy: 0, xy: 0, p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0 };

function toSums(variant: string, n: number, row: ArmRow | undefined): ArmSums {
  if (row === undefined) return { variant, n, ...zeros, active: 0, rows: 0, quantile: null };
  const { arm: _, value, lower, upper, delta, ...sums } = row;
  const known = value !== null && lower !== null && upper !== null && delta !== null;
  return { variant, n, ...sums, quantile: known ? { value, lower, upper, delta } : null };
}

function statement(
  relation: CompiledRelation,
  exposed: Exposed,
  metric: MetricDefinition,
  { all, beforeMs }: { all: number; beforeMs: number },
): Around {
  const per = perUnit(relation, exposed, metric, beforeMs);
  const params = { ...unitParameters(exposed), all_units: all };
  const made = metric.kind === 'quantile' ? ofQuantile(metric.quantile ?? 0.5) : ofSums(metric.cap);
  return { sql: `WITH ${per}, ${made}`, params };
}

/** A column as a finite number of a row, or null. */
export function numberOf(relation: CompiledRelation, column: string | undefined): string {
  if (column === undefined) return '1.';
  const type = relation.values.find(({ name }) => name === column)?.type;
  const number = type === 'string' || type === 'any' ? `toFloat64OrNull(r.${column})` : `toFloat64(r.${column})`;
  return `if(isFinite(${number}), ${number}, NULL)`;
}

/** `per`: for each unit with rows its arm and numbers; rows whose number is missing or not finite do not count. */
function perUnit(relation: CompiledRelation, exposed: Exposed, metric: MetricDefinition, beforeMs: number): string {
  const columns = rowColumns(metric);
  const { value, denominator, steps } = { ...columns, steps: columns.steps.map((step) => `ifNull(${step}, 0)`) };
  const kept = metric.retention;
  const ms = (duration: string) => `toIntervalMillisecond(${durationMs(duration)})`;
  const within = [
    ...(metric.unit === 'trace_id' ? [] : ['t >= at']),
    ...(metric.window === null ? [] : [`t < at + ${ms(metric.window)}`]),
    ...(kept === undefined ? [] : [`t >= at + ${ms(kept.from)}`, `t < at + ${ms(kept.to)}`]),
  ];
  const after = within.length === 0 ? '1' : within.join(' AND ');
  const before = beforeMs === 0 ? '0' : `t < at AND t >= at - toIntervalMillisecond(${beforeMs})`;
  const hasBelow = metric.kind === 'ratio' || metric.kind === 'mean' || metric.kind === 'quantile';
  const of = (when: string): { main: string; below: string } => {
    const below = hasBelow ? `sumIf(d * w, ${when})` : '0.';
    switch (metric.kind) {
      case 'conversion':
      case 'retention':
        return { main: `toFloat64(countIf(${when}) > 0)`, below };
      case 'count':
        return { main: `sumIf(w, ${when})`, below };
      case 'funnel':
        // In nanoseconds: no window of its own, since that of the metric applies already.
        return {
          main: `toFloat64(windowFunnelIf(9000000000000000000)(toUInt64(toUnixTimestamp64Nano(t)), ${steps.join(', ')}, ${when}) = ${steps.length})`,
          below,
        };
      case 'mean':
      case 'sum':
      case 'ratio':
      case 'quantile':
        return { main: `sumIf(v * w, ${when})`, below };
    }
  };
  const [now, past] = [of(after), of(before)];
  const kinds =
    metric.kind === 'quantile'
      ? `groupArrayIf((v, w), ${after}) AS points`
      : `${now.main} AS x0, ${now.below} AS y, ${beforeMs === 0 ? '0.' : past.main} AS p0, ${beforeMs === 0 ? '0.' : past.below} AS q`;
  const conditions = [
    'isNotNull(r.v)',
    'isNotNull(r.d)',
    ...(beforeMs === 0 ? [after] : [`((${after}) OR (${before}))`]),
  ];
  const joined =
    metric.unit === 'trace_id'
      ? `INNER JOIN (SELECT traces.trace AS id, units.unit AS unit, units.arm AS arm, units.at AS at FROM traces INNER JOIN units ON traces.unit = units.unit) AS u ON r.id = u.id`
      : `INNER JOIN (SELECT units.unit AS id, units.unit AS unit, units.arm AS arm, units.at AS at FROM units) AS u ON r.id = u.id`;
  const ctes = [unitsOf(exposed), ...(metric.unit === 'trace_id' ? [tracesOf(exposed)] : [])].join(', ');
  return `${ctes}, per AS (SELECT unit, any(arm) AS arm, countIf(${after}) AS counted, ${kinds}
    FROM (SELECT r.t AS t, assumeNotNull(r.v) AS v, assumeNotNull(r.d) AS d, r.w AS w, ${columns.steps.map((step) => `r.${step} AS ${step}, `).join('')}u.unit AS unit, u.arm AS arm, u.at AS at
      FROM (SELECT assumeNotNull(r.${columns.time}) AS t, assumeNotNull(r.${columns.unit}) AS id, ${numberOf(relation, value)} AS v, ${numberOf(relation, denominator)} AS d, r.w AS w
          ${columns.steps.map((step) => `, r.${step} AS ${step}`).join('')}
        FROM (${relation.sql}) AS r WHERE r.${columns.unit} IS NOT NULL AND r.${columns.time} IS NOT NULL) AS r ${joined}
      WHERE ${conditions.join(' AND ')})
    GROUP BY unit)`;
}

const products = [
  ['x', 'x'],
  ['xx', 'x * x'],
  ['y', 'y'],
  ['yy', 'y * y'],
  ['xy', 'x * y'],
  ['p', 'p'],
  ['pp', 'p * p'],
  ['px', 'p * x'],
  ['py', 'p * y'],
  ['q', 'q'],
  ['qq', 'q * q'],
  ['qx', 'q * x'],
  ['qy', 'q * y'],
  ['pq', 'p * q'],
] as const;
const summed = products.map(([name, product]) => `sum(${product}) AS s_${name}`).join(', ');
const named = products.map(([name]) => `s_${name} AS ${name}`).join(', ');

/** Units without rows are zeros, so that they add to no sum; the cap is a quantile of all units, with them. */
function ofSums(cap: number | null): string {
  // The value at the rank ⌈cap · units⌉, counted from the largest: units without rows are zeros, between positive and negative ones.
  const ceiling =
    cap === null
      ? ''
      : `ceiling AS (SELECT arrayReverseSort(groupArray(x0)) AS sorted, toInt64({all_units:Float64}) - toInt64(ceil(${cap} * {all_units:Float64})) + 1 AS place,
          toInt64(greatest(0, {all_units:Float64} - count())) AS idle, toInt64(countIf(x0 >= 0)) AS above,
          multiIf(place <= countIf(x0 > 0), sorted[place], place <= above + idle, 0., sorted[place - idle]) AS c FROM per), `;
  const capped = (column: string) => (cap === null ? column : `least(${column}, (SELECT c FROM ceiling))`);
  return `${ceiling}sums AS (SELECT arm, toFloat64(countIf(counted > 0)) AS active, toFloat64(sum(counted)) AS rows, ${summed}
      FROM (SELECT arm, counted, ${capped('x0')} AS x, y, ${capped('p0')} AS p, q FROM per) GROUP BY arm)
    SELECT arm, active, rows, ${named}, NULL AS value, NULL AS lower, NULL AS upper, NULL AS delta FROM sums`;
}

/** A value at a share of the sorted rows, each of which represents `w` rows. */
function ofQuantile(quantile: number): string {
  const at = (share: string) =>
    `sorted[greatest(1, arrayFirstIndex(c -> c >= total * ${share} - 1e-9 * total, running))].1`;
  return `arms AS (SELECT arm, arraySort(point -> point.1, arrayFlatten(groupArray(points))) AS sorted, arrayCumSum(arrayMap(point -> point.2, sorted)) AS running,
      running[-1] AS total, 1.959963984540054 * sqrt(${quantile} * ${1 - quantile} / length(sorted)) AS width,
      greatest(0, ${quantile} - width) AS low, least(1, ${quantile} + width) AS high,
      ${at(String(quantile))} AS value, ${at('low')} AS lower, ${at('high')} AS upper, (high - low) / 2 AS delta
      FROM per GROUP BY arm HAVING length(sorted) > 0),
    sums AS (SELECT arm, toFloat64(countIf(counted > 0)) AS active, toFloat64(sum(counted)) AS rows, ${summed}
      FROM (SELECT per.arm AS arm, per.counted AS counted, arraySum(arrayMap(point -> if(point.1 <= arms.value, point.2, 0.), per.points)) AS x,
          arraySum(arrayMap(point -> point.2, per.points)) AS y, 0. AS p, 0. AS q
        FROM per INNER JOIN arms ON per.arm = arms.arm) GROUP BY arm)
    SELECT sums.arm AS arm, active, rows, ${named}, toNullable(arms.value) AS value, toNullable(arms.lower) AS lower, toNullable(arms.upper) AS upper, toNullable(arms.delta) AS delta
    FROM sums INNER JOIN arms ON sums.arm = arms.arm`;
}
