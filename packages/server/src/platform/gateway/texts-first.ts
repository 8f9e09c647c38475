import type { Compiled } from '@fanion/oql';
import { storeErrorCode } from '../clickhouse/index.ts';
import type { Clock } from '../clock.ts';
import type { TelemetryScope } from '../scoped-telemetry.ts';
import { TtlCache } from '../ttl-cache.ts';

const keptMs = 10 * 60_000;
const maxKept = 2_000;

const FUNCTION_THROW_IF_VALUE_IS_NON_ZERO = 395;

/** What of a compiled query is sent to the store. */
export type Statement = Pick<Compiled, 'sql' | 'params'>;

/**
 * Runs the statement of a query that assumes texts (`Compiled.ofTexts`), and the general one where the assumption does not hold. It then
 * fails at the first such row. This is remembered for ten minutes, so that it is not tried for each query.
 */
export function createTextsFirst(clock: Clock) {
  const refused = new TtlCache<string, true>({ clock, ttlMs: keptMs, max: maxKept });

  return async function runTextsFirst<T>(
    { workspace, project, environment }: TelemetryScope,
    plan: Compiled,
    run: (statement: Statement) => Promise<T>,
  ): Promise<T> {
    const { ofTexts } = plan;
    if (ofTexts === undefined) return run(plan);
    const key = JSON.stringify([workspace, project, environment, ofTexts.names]);
    if (refused.get(key)) return run(plan);
    try {
      return await run(ofTexts);
    } catch (error) {
      // It may also be another limit of the query; then the general statement reports it.
      if (storeErrorCode(error) !== FUNCTION_THROW_IF_VALUE_IS_NON_ZERO) throw error;
      refused.set(key, true);
      return run(plan);
    }
  };
}
