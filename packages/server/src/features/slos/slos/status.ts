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
  sumRanges,
  windowAt,
} from '../budget/index.ts';
import { countedSlo } from './derive.ts';
import { progressOf, stepOf } from './indicator-rules.ts';
import type { SloRow } from './store.ts';

/** How an SLO stands, from one read of its minutes. */
export async function readStatus(telemetry: ScopedTelemetry, slo: SloRow, nowMs: number, signal: AbortSignal) {
  const { indicator, objective, window, min_events } = slo.definition;
  const stepMs = stepOf(indicator);
  const at = windowAt(window, nowMs);
  const countedToMs = Math.min(slo.derived_to.getTime(), nowMs);
  const starts = burnWindows.map(({ ms }) => floorTo(countedToMs - ms, stepMs));
  const fromMs = floorTo(at.fromMs, stepMs);
  const [whole, ...recent] = await sumRanges(
    telemetry,
    countedSlo(slo),
    { toMs: nowMs, fromMs: [fromMs, ...starts] },
    signal,
  );
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
    unmeasured: { seconds: (unmeasured * stepMs) / 1_000, share: steps === 0 ? null : unmeasured / steps },
    backfill: presentBackfill(slo),
    derived_to: slo.derived_to.toISOString(),
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
