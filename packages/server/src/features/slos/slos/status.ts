import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import {
  attainmentOf,
  budgetOf,
  budgetTime,
  burnPairs,
  burnRate,
  burnWindows,
  exhaustedAt,
  floorTo,
  isBurning,
  isReachable,
  noCounts,
  nominalPeriodMs,
  type Sums,
  sumRanges,
  windowAt,
} from '../budget/index.ts';
import { countedSlo } from './derive.ts';
import { progressOf, stepOf } from './indicator-rules.ts';
import type { SloRow } from './store.ts';

const noSums: Sums = { ranges: [], trend: [] };

/** How SLOs of one project stand, in their order, from their minutes. */
export async function readStatuses(
  telemetry: ScopedTelemetry,
  slos: readonly SloRow[],
  nowMs: number,
  signal: AbortSignal,
) {
  const asked = slos.map((slo) => ({ slo: countedSlo(slo), fromMs: startsOf(slo, nowMs) }));
  const sums = await sumRanges(telemetry, asked, nowMs, signal);
  return slos.map((slo, i) => statusOf(slo, sums[i] ?? noSums, nowMs));
}

/** How one SLO stands, and how far it has been counted. */
export async function readStatus(telemetry: ScopedTelemetry, slo: SloRow, nowMs: number, signal: AbortSignal) {
  const asked = [{ slo: countedSlo(slo), fromMs: startsOf(slo, nowMs) }];
  const [sums = noSums] = await sumRanges(telemetry, asked, nowMs, signal);
  return {
    ...statusOf(slo, sums, nowMs),
    backfill: presentBackfill(slo),
    derived_to: slo.derived_to.toISOString(),
  };
}

/** Where the window begins, and then the windows of burn rates, which end where events have been counted to. */
function startsOf({ definition: { indicator, window }, derived_to }: SloRow, nowMs: number): number[] {
  const stepMs = stepOf(indicator);
  const countedToMs = Math.min(derived_to.getTime(), nowMs);
  return [
    floorTo(windowAt(window, nowMs).fromMs, stepMs),
    ...burnWindows.map(({ ms }) => floorTo(countedToMs - ms, stepMs)),
  ];
}

function statusOf(slo: SloRow, { ranges: [whole, ...recent], trend }: Sums, nowMs: number) {
  const { indicator, objective, window, min_events } = slo.definition;
  const stepMs = stepOf(indicator);
  const at = windowAt(window, nowMs);
  const countedToMs = Math.min(slo.derived_to.getTime(), nowMs);
  const fromMs = floorTo(at.fromMs, stepMs);
  const counts = whole ?? { ...noCounts, measured: 0 };
  const burn = burnWindows.map(({ name }, i) => ({ name, counts: recent[i] ?? noCounts }));
  const countsOf = (name: string) => burn.find((one) => one.name === name)?.counts ?? noCounts;
  const lastHour = burnRate(countsOf('1h'), objective);
  const exhausted = exhaustedAt(counts, objective, lastHour, { nowMs, ...at });
  const minEvents = indicator.kind === 'slices' ? 1 : min_events;
  const seenFromMs = Math.max(fromMs, slo.backfill_at.getTime());
  const steps = Math.max(0, Math.floor((countedToMs - seenFromMs) / stepMs));
  const unmeasured = Math.max(0, steps - counts.measured);
  return {
    attainment: attainmentOf(counts),
    objective,
    good: counts.good,
    total: counts.total,
    window: { from: iso(fromMs), to: iso(nowMs) },
    budget: { ...budgetOf(counts, objective), period_seconds: budgetTime(objective, at.periodMs) / 1_000 },
    burn: burn.map(({ name, counts: { good, total } }) => ({
      window: name,
      rate: burnRate({ good, total }, objective),
      good,
      total,
    })),
    alerts: burnPairs(nominalPeriodMs(window)).map((pair) => ({
      severity: pair.severity,
      long: pair.long,
      short: pair.short,
      factor: pair.factor,
      reachable: isReachable(pair, objective),
      firing: isBurning(pair, { long: countsOf(pair.long), short: countsOf(pair.short) }, { objective, minEvents }),
    })),
    exhausted_at: exhausted === null ? null : iso(exhausted),
    trend: trend.map((part) => burnRate(part, objective)),
    unmeasured: { seconds: (unmeasured * stepMs) / 1_000, share: steps === 0 ? null : unmeasured / steps },
  };
}

export function presentBackfill(row: Pick<SloRow, 'backfill_from' | 'backfill_to' | 'backfill_at' | 'backfill_error'>) {
  const range = { fromMs: row.backfill_from.getTime(), toMs: row.backfill_to.getTime() };
  const progress = progressOf(range, row.backfill_at.getTime());
  const state = row.backfill_error !== null ? 'failed' : progress < 1 ? 'running' : 'done';
  return { state: state as 'failed' | 'running' | 'done', progress, error: row.backfill_error };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
