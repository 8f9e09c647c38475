import { Failure } from '../../../platform/fail.ts';
import { type Budget, type Gateway, type RelationQuestion, ranTooLong } from '../../../platform/gateway/index.ts';
import type {
  ArmSums,
  Exposed,
  ExposedUnits,
  MeasureMetrics,
  Measurement,
  MeasureOptions,
  Slicing,
} from './measure.ts';
import { halvesOf, type Scan, scanAlone, scansOf } from './scan-rules.ts';
import { nothing, nsOf, type SumsRow, sumsOf, sumsSettings, sumsStatement } from './sums-store.ts';
import { daysOfUnit, sliceQuery, traceBeganMs, tracesOf, unitParameters, unitsOf } from './units-store.ts';

const dayMs = 86_400_000;
/** Of a statement that reads the rows of several metrics. */
export const mostSeconds = 50;

/** Where measuring reads. */
export interface Reads {
  readonly gateway: Gateway;
  readonly lane: Budget['lane'];
}

/** Measures metrics of exposed units, in one lane of the gateway. Everything is summed up in the store. */
export function createMeasure(gateway: Gateway, lane: Budget['lane']): MeasureMetrics {
  const reads: Reads = { gateway, lane };

  return {
    units: (exposed, signal, slicing) => units(reads, exposed, signal, slicing),

    async values(exposed, expression, { limit, signal }) {
      const slicing: Slicing = { by: 'expression', expression, values: [] };
      const { rows } = await gateway.relate<{ value: string; units: number }, string>(
        exposed.scope,
        sliceQuestion(exposed, slicing),
        (relations) => ({
          sql: `WITH ${unitsOf(exposed, slicing, relations.expression)} SELECT slice AS value, toFloat64(count()) AS units FROM units GROUP BY slice ORDER BY units DESC, value LIMIT ${limit}`,
          params: unitParameters(exposed, slicing),
        }),
        { lane, signal },
      );
      return rows;
    },

    async sums(exposed, metric, options) {
      const known = options.units ?? (await units(reads, exposed, options.signal, options.slicing));
      const [measured] = await scanned(reads, exposed, scanAlone(metric, 0), known, options);
      if (measured === undefined) throw new Error('the metric was not measured');
      return measured.sums;
    },

    async all(exposed, metrics, options) {
      const known = options.units ?? (await units(reads, exposed, options.signal, options.slicing));
      const measured: Measurement[] = metrics.map(() => ({ error: 'not measured' }));
      // One after the other: each uses all processors.
      const pending = scansOf(metrics);
      for (let scan = pending.shift(); scan !== undefined; scan = pending.shift()) {
        try {
          for (const { index, sums } of await scanned(reads, exposed, scan, known, options)) measured[index] = { sums };
        } catch (error) {
          const failure = own(error, options.signal);
          const [first, second] = scan.metrics;
          // One of them has the error, or all together are too much.
          if (second !== undefined) pending.unshift(...smallerOf(scan, failure));
          else if (first !== undefined) measured[first.index] = { error: failure.message };
        }
      }
      return measured;
    },
  };
}

async function units(
  { gateway, lane }: Reads,
  exposed: Exposed,
  signal: AbortSignal,
  slicing?: Slicing,
): Promise<ExposedUnits> {
  const { expression, ...questions } = { ...sliceQuestion(exposed, slicing) };
  // Units of several arms have none, and no slice either.
  const slice =
    slicing?.by === 'day' ? `arrayJoin(range(toUInt64(greatest(0, least(${slicing.days}, ${daysOfUnit})))))` : 'slice';
  const { rows } = await gateway.relate<{ arm: number; slice: string; n: number; first: number }, string>(
    exposed.scope,
    { ...questions, ...(expression && { expression }) },
    (relations) => ({
      sql: `WITH ${unitsOf(exposed, slicing, relations.expression)} SELECT arm, toString(${slice}) AS slice, toFloat64(count()) AS n, toFloat64(toUnixTimestamp64Milli(min(at))) AS first FROM units GROUP BY arm, slice
        UNION ALL SELECT 0 AS arm, if(arms > 1, 'crossed', 'one') AS slice, toFloat64(count()) AS n, 0. AS first FROM seen WHERE arms > 1 GROUP BY arms`,
      params: unitParameters(exposed, slicing),
    }),
    { lane, signal },
  );
  const arms = Object.fromEntries(exposed.arms.map((arm) => [arm, 0]));
  const slices: { variant: string; slice: string; n: number }[] = [];
  let crossed = 0;
  let firstMs: number | undefined;
  for (const { arm, slice, n, first } of rows) {
    const variant = exposed.arms[arm - 1];
    if (variant === undefined) crossed += n;
    else {
      firstMs = Math.min(firstMs ?? first, first);
      arms[variant] = (arms[variant] ?? 0) + (slicing?.by === 'day' && slice !== '0' ? 0 : n);
      if (slicing !== undefined) slices.push({ variant, slice, n });
    }
  }
  return { arms, crossed, slices, firstMs };
}

/** The sums of all metrics of a scan. */
async function scanned(
  { gateway, lane }: Reads,
  exposed: Exposed,
  scan: Scan,
  known: ExposedUnits,
  options: MeasureOptions,
) {
  const { beforeDays = 0, slicing, signal } = options;
  const isAlone = scan.metrics.some(({ definition }) => definition.kind === 'quantile');
  // Traces that saw the flag say nothing about the time before.
  const beforeMs = scan.byTrace || isAlone || slicing?.by === 'day' ? 0 : beforeDays * dayMs;
  const fromMs = Math.max(0, (exposed.countedFromMs ?? exposed.fromMs) - (scan.byTrace ? traceBeganMs : beforeMs));
  const all = Object.values(known.arms).reduce((sum, n) => sum + n, 0);
  const rows: RelationQuestion = {
    oql: scan.oql,
    window: { fromNs: nsOf(fromMs), toNs: nsOf(exposed.toMs) },
    rows: true,
    numbers: scan.numbers,
    mostlyText: scan.mostlyText,
  };
  const { rows: found } = await gateway.relate<SumsRow, string>(
    exposed.scope,
    { rows, ...sliceQuestion(exposed, slicing) },
    ({ rows, expression }) => {
      if (rows === undefined) throw new Error('the rows were not compiled');
      const ctes = [unitsOf(exposed, slicing, expression), ...(scan.byTrace ? [tracesOf(exposed)] : [])].join(', ');
      const slices = slicing === undefined ? 'none' : slicing.by === 'day' ? slicing.days : 'unit';
      return {
        sql: sumsStatement(rows, scan, { ctes, slices }, beforeMs),
        params: { ...unitParameters(exposed, slicing), all_units: all },
        settings: sumsSettings,
      };
    },
    { lane, signal, limits: { maxSeconds: mostSeconds } },
  );
  const named = new Map(found.map((row) => [`${row.arm} ${row.slice}`, row]));
  const wanted =
    slicing === undefined
      ? exposed.arms.map((variant) => ({ variant, slice: '', n: known.arms[variant] ?? 0 }))
      : known.slices;
  return scan.metrics.map(({ index }, at) => ({
    index,
    sums: wanted.map(({ variant, slice, n }): ArmSums => {
      const row = named.get(`${exposed.arms.indexOf(variant) + 1} ${slice}`);
      return { variant, slice, n, ...((row && sumsOf(row, at)) ?? nothing) };
    }),
  }));
}

/** An error of the metric itself. A store that is away, or too busy, fails for all metrics alike, so that is thrown. */
function own(error: unknown, signal: AbortSignal): Failure {
  signal.throwIfAborted();
  if (!(error instanceof Failure) || error.status >= 429) throw error;
  return error;
}

/** Scans in place of one that failed. After a time-out, each metric alone would make a busy store busier. */
function smallerOf(scan: Scan, failure: Failure): Scan[] {
  if (ranTooLong(failure)) return halvesOf(scan);
  return scan.metrics.map(({ definition, index }) => scanAlone(definition, index));
}

function sliceQuestion(exposed: Exposed, slicing: Slicing | undefined): Record<string, RelationQuestion> {
  if (slicing?.by !== 'expression') return {};
  const window = { fromNs: nsOf(exposed.fromMs), toNs: nsOf(exposed.toMs) };
  return { expression: { oql: sliceQuery(exposed.flag, slicing.expression), window, rows: true } };
}
