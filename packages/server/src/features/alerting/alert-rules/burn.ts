import type { AlertDefinition } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ScopedTelemetry, TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { burnRate, findCountedTo, floorTo, isBurning, noCounts, sumRanges } from '../../slos/budget/index.ts';
import { identityOf } from './sample-rules.ts';
import type { Labels, Sample } from './step-rules.ts';
import { Unanswerable } from './unanswerable.ts';

/** How far the count of events may lag behind before a rule fails instead of judging old events. */
const staleMs = 5 * 60_000;

export type Burn = NonNullable<AlertDefinition['burn']>;

/**
 * The burn rates of an SLO, an instance for each pair of windows. The windows end where its events have been counted to.
 * Throws `Unanswerable` if that is too long ago.
 */
export function createBurn({ telemetry, db }: { telemetry: ScopedTelemetry; db: Database }) {
  return async (
    scope: TelemetryScope,
    { slo, revision, objective, min_events, step_seconds, windows }: Burn,
    ruleLabels: Labels,
    atMs: number,
    signal: AbortSignal,
  ): Promise<readonly Sample[]> => {
    const stepMs = step_seconds * 1_000;
    const countedTo = await findCountedTo(db, slo);
    const toMs = Math.min(countedTo?.getTime() ?? 0, atMs);
    if (atMs - toMs > staleMs + stepMs)
      throw new Unanswerable('The events of the SLO have not been counted for more than five minutes.');
    const starts = windows
      .flatMap(({ long, short }) => [long, short])
      .map((window) => floorTo(toMs - durationMs(window), stepMs));
    const [summed] = await sumRanges(telemetry, [{ slo: { id: slo, revision, scope }, fromMs: starts }], toMs, signal);
    const counts = summed?.ranges ?? [];
    return windows.map(({ long, short, factor }, i) => {
      const both = { long: counts[2 * i] ?? noCounts, short: counts[2 * i + 1] ?? noCounts };
      const labels = { long_window: long, short_window: short, ...ruleLabels };
      return {
        identity: identityOf(labels),
        labels,
        value: burnRate(both.long, objective),
        holds: isBurning({ factor }, both, { objective, minEvents: min_events }),
      };
    });
  };
}
