import type { Budget, Gateway, RelationQuestion } from '../../../platform/gateway/index.ts';
import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';

interface VariantRow {
  readonly flag: string;
  readonly variant: string;
  readonly failing: number;
  readonly others: number;
}

/** Traces of each kind that are looked at; the hash of their ids decides which. */
const maxTraces = 10_000;

/**
 * The variants that failing traces saw more often than others. Both are shares of the traces that evaluated any flag.
 * @param traces a query that returns the number of failing rows by trace
 */
export async function variantsOf(
  gateway: Gateway,
  scope: TelemetryScope,
  traces: RelationQuestion,
  limit: number,
  budget: Budget,
): Promise<VariantRow[]> {
  const { rows } = await gateway.relate<VariantRow, 'traces'>(
    scope,
    { traces },
    (relations) => ({
      sql: `WITH seen AS (
          SELECT unhex(assumeNotNull(k1)) AS id, v1 > 0 AS failed FROM (${relations.traces.sql})
          WHERE k1 IS NOT NULL ORDER BY failed DESC, cityHash64(k1) LIMIT {most:UInt32} BY failed),
        evaluated AS (
          SELECT DISTINCT trace_id, toString(flag) AS key, toString(variant) AS served FROM flag_events
          WHERE ${inScope(scope)} AND trace_id IN (SELECT toFixedString(id, 16) FROM seen)
            AND time >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND time < fromUnixTimestamp64Nano({to:Int64}, 'UTC')),
        joined AS (
          SELECT e.trace_id AS trace, e.key AS key, e.served AS served, s.failed AS failed
          FROM evaluated AS e INNER JOIN seen AS s ON e.trace_id = toFixedString(s.id, 16)),
        (SELECT (uniqExactIf(trace, failed), uniqExactIf(trace, NOT failed)) FROM joined) AS total
      SELECT key AS flag, served AS variant, toFloat64(countIf(failed) / greatest(total.1, 1)) AS failing,
        toFloat64(countIf(NOT failed) / greatest(total.2, 1)) AS others
      FROM joined WHERE served != '' GROUP BY key, served
      HAVING failing > others ORDER BY failing - others DESC, flag, variant LIMIT {shown:UInt32}`,
      params: {
        most: maxTraces,
        shown: limit,
        // A flag may be evaluated before the rows of its trace began.
        from: String(traces.window.fromNs - 600_000_000_000n),
        to: String(traces.window.toNs + 60_000_000_000n),
      },
    }),
    budget,
  );
  return [...rows];
}
