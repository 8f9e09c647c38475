import type { MetricDefinition } from '@fanion/contract';
import type { Budget, Gateway } from '../../../platform/gateway/index.ts';
import { manyParameters, tracesOfMany, unitsOfMany } from './many-store.ts';
import type { ArmSums, ExposedUnits, ManyExposed, MeasureMany } from './measure.ts';
import { mostSeconds, type Reads } from './measure-store.ts';
import { type Scan, scansOf } from './scan-rules.ts';
import { nothing, nsOf, type SumsRow, sumsOf, sumsSettings, sumsStatement } from './sums-store.ts';
import { traceBeganMs } from './units-store.ts';

/** Measures metrics of the units of several flags at once, in one lane of the gateway. */
export function createMeasureMany(gateway: Gateway, lane: Budget['lane']): MeasureMany {
  const reads: Reads = { gateway, lane };

  return {
    units: (asked, signal) => units(reads, asked, signal),

    async all(asked, metrics, { units: known, signal }) {
      const measured = asked.flags.map(() => metrics.map((): readonly ArmSums[] => []));
      // One after the other: each uses all processors.
      for (const scan of scansOf(metrics)) {
        const rows = await scanned(reads, asked, scan, signal);
        for (const [at, { arms }] of asked.flags.entries())
          for (const [part, { index }] of scan.metrics.entries()) {
            const ofFlag = measured[at];
            if (ofFlag === undefined) continue;
            ofFlag[index] = arms.map((variant, place) => {
              const row = rows.get(`${at + 1} ${place + 1}`);
              const n = known[at]?.arms[variant] ?? 0;
              return { variant, slice: '', n, ...((row && sumsOf(row, part)) ?? nothing) };
            });
          }
      }
      return measured.map((ofFlag) => ofFlag.map((sums) => ({ sums })));
    },
  };
}

async function units(
  { gateway, lane }: Reads,
  asked: ManyExposed,
  signal: AbortSignal,
): Promise<readonly ExposedUnits[]> {
  const rows = await gateway.lane(lane).rows<{ slice: number; arm: number; n: number }>(
    asked.scope,
    `WITH ${unitsOfMany(asked)} SELECT slice, arm, toFloat64(count()) AS n FROM units GROUP BY slice, arm
      UNION ALL SELECT slice, 0 AS arm, toFloat64(count()) AS n FROM seen WHERE first_arm != last_arm GROUP BY slice`,
    manyParameters(asked),
    signal,
  );
  return asked.flags.map(({ arms }, at) => {
    const own = rows.filter(({ slice }) => Number(slice) === at + 1);
    const n = (place: number) => own.find(({ arm }) => arm === place)?.n ?? 0;
    const counted = Object.fromEntries(arms.map((arm, place) => [arm, n(place + 1)]));
    return { arms: counted, crossed: n(0), slices: [] };
  });
}

/** The rows of the statement for a scan, by slice and arm. */
async function scanned(
  { gateway, lane }: Reads,
  asked: ManyExposed,
  scan: Scan,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SumsRow>> {
  const earliest = Math.min(...asked.flags.map(({ fromMs }) => fromMs)) - (scan.byTrace ? traceBeganMs : 0);
  const { rows } = await gateway.relate<SumsRow, 'rows'>(
    asked.scope,
    {
      rows: {
        oql: scan.oql,
        window: { fromNs: nsOf(earliest), toNs: nsOf(asked.toMs) },
        rows: true,
        numbers: scan.numbers,
        mostlyText: scan.mostlyText,
      },
    },
    ({ rows }) => ({
      sql: sumsStatement(
        rows,
        scan,
        { ctes: [unitsOfMany(asked), ...(scan.byTrace ? [tracesOfMany(asked)] : [])].join(', '), slices: 'flag' },
        0,
      ),
      params: manyParameters(asked),
      settings: sumsSettings,
    }),
    { lane, signal, limits: { maxSeconds: mostSeconds } },
  );
  return new Map(rows.map((row) => [`${row.slice} ${row.arm}`, row]));
}

/** Whether several flags can be measured together by these. */
export function isForMany(metrics: readonly MetricDefinition[]): boolean {
  return metrics.every(({ cap }) => cap === null);
}
