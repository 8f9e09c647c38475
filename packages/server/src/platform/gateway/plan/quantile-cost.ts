import { availableParallelism } from 'node:os';
import type { Compiled } from '@fanion/oql';
import type { QueryLimits } from '../../clickhouse/index.ts';
import { fail } from '../../fail.ts';
import type { ScopedTelemetry, TelemetryScope } from '../../scoped-telemetry.ts';
import { boundParameters } from './bound-parameters.ts';

/** Statements with fewer quantiles are not estimated: that takes some milliseconds. */
const fewQuantiles = 32;
/** The least processor time of a quantile for one row (weighted-quantile.ts has the measurement). */
const secondsPerValue = 7e-9;
const planning = { maxSeconds: 2 };

/** Throws `QUERY_TOO_EXPENSIVE` for a statement with so many quantiles of so many rows that all processors together cannot compute it in its time. */
export async function refuseEndless(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { sql, params, settings }: Compiled,
  { maxSeconds }: QueryLimits,
  signal: AbortSignal,
): Promise<void> {
  const quantiles = sql.split('quantileExact').length - 1;
  if (quantiles < fewQuantiles) return;
  const tables = await telemetry
    .rows<{ rows: string }>(scope, `EXPLAIN ESTIMATE ${sql}`, boundParameters(params), signal, {
      settings,
      limits: planning,
    })
    .catch(() => []);
  const rows = tables.reduce((sum, table) => sum + Number(table.rows), 0);
  const seconds = (rows * quantiles * secondsPerValue) / availableParallelism();
  if (seconds <= maxSeconds) return;
  const reason = `${quantiles} quantiles of about ${rows} rows take at least ${Math.ceil(seconds)} s, and a query may take ${maxSeconds} s; ask for fewer quantiles at once, or count values by size, as in \`stats count() by bucket(duration, 10ms)\``;
  throw fail('QUERY_TOO_EXPENSIVE', { reason });
}

/**
 * The limit of a statement after its estimate, which is part of its time: the engine may plan hundreds of quantiles for seconds.
 * @param spent seconds of the estimate
 */
export function secondsLeft({ maxSeconds }: Pick<QueryLimits, 'maxSeconds'>, spent: number): number {
  if (spent < 0.1) return maxSeconds;
  return Math.ceil(Math.max(maxSeconds - spent, maxSeconds / 2) * 10) / 10;
}
