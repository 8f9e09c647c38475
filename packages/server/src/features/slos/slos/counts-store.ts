import type { SloIndicator } from '@fanion/contract';
import type { Budget, Gateway } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { PromqlEvaluator } from '../../telemetry/promql/index.ts';
import { type Minute, onlyValue, type Range } from '../budget/index.ts';
import { countExpressions } from './count-promql.ts';
import { eventsQuery, sliceMs } from './indicator-rules.ts';
import { isPromql } from './promql-rules.ts';

const minuteNs = 60_000_000_000n;
const atOf = (time: string) => `toUInt32(toUnixTimestamp(${time})) AS at`;
const number = (column: string) => `toFloat64(ifNull(${column}, 0))`;

const comparisons = { '>': '>', '>=': '>=', '<': '<', '<=': '<=', '==': '=', '!=': '!=' } as const;

export interface CountParts {
  readonly gateway: Gateway;
  readonly promql: Pick<PromqlEvaluator, 'evaluate'>;
}

/**
 * The events of an indicator by minute, or its slices; those without events are left out. Throws what the gateway and the
 * evaluator of PromQL throw.
 * @param range whole minutes (or slices); its end may be later than now
 */
export async function countIndicator(
  { gateway, promql }: CountParts,
  scope: TelemetryScope,
  indicator: SloIndicator,
  range: Range,
  budget: Budget,
): Promise<readonly Minute[]> {
  if (isPromql(indicator)) return countExpressions(promql, scope, indicator, range, budget);
  const { fromMs, toMs } = range;
  const window = { fromNs: BigInt(fromMs) * 1_000_000n, toNs: BigInt(toMs) * 1_000_000n };
  switch (indicator.kind) {
    case 'events': {
      const events = { oql: eventsQuery(indicator), window, bucketNs: minuteNs };
      const { rows } = await gateway.relate<Minute, 'events'>(
        scope,
        { events },
        (relations) => ({
          sql: `SELECT ${atOf('t')}, ${number('v2')} AS good, ${number('v1')} AS total FROM (${relations.events.sql}) WHERE v1 > 0 ORDER BY at`,
        }),
        budget,
      );
      return rows;
    }
    case 'ratio': {
      const of = (oql: string) => ({ oql, window, bucketNs: minuteNs });
      const { rows } = await gateway.relate<Minute, 'good' | 'total'>(
        scope,
        { good: of(indicator.good), total: of(indicator.total) },
        ({ good, total }) => ({
          // Counters of good and of all events are read at different moments: more good events than events are as many.
          sql: `SELECT at, least(found_good, found_total) AS good, found_total AS total FROM (
              SELECT ${atOf('t')}, sum(g) AS found_good, sum(n) AS found_total FROM (
                SELECT t, ${number(nameOf(good))} AS g, 0. AS n FROM (${good.sql})
                UNION ALL SELECT t, 0., ${number(nameOf(total))} FROM (${total.sql}))
              WHERE isFinite(g) AND isFinite(n) AND g >= 0 AND n >= 0 GROUP BY t)
            WHERE found_total > 0 ORDER BY at`,
        }),
        budget,
      );
      return rows;
    }
    case 'slices': {
      const { query, op, threshold, slice } = indicator;
      const values = { oql: query, window, bucketNs: BigInt(sliceMs(slice)) * 1_000_000n };
      const { rows } = await gateway.relate<Minute, 'values'>(
        scope,
        { values },
        (relations) => ({
          sql: `SELECT at, toFloat64(value ${comparisons[op]} {threshold:Float64}) AS good, 1. AS total
            FROM (SELECT ${atOf('t')}, toFloat64(${nameOf(relations.values)}) AS value FROM (${relations.values.sql}))
            WHERE value IS NOT NULL AND NOT isNaN(value) ORDER BY at`,
          params: { threshold },
        }),
        budget,
      );
      return rows;
    }
  }
}

/** The column with the value; checked when the SLO was written. */
function nameOf(relation: Parameters<typeof onlyValue>[0]): string {
  const value = onlyValue(relation);
  if ('problem' in value) throw new Error(value.problem);
  return value.name;
}
