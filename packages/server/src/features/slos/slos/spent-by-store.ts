import type { Gateway } from '../../../platform/gateway/index.ts';
import { inScope, inWindow, type TelemetryScope, windowParameters } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Counts } from '../budget/index.ts';
import type { VariantCounts } from './spent-by-rules.ts';

/** A flag may be evaluated before the events of its trace begin, and reported a little after them. */
const evaluatedBeforeNs = 600_000_000_000n;
const evaluatedAfterNs = 60_000_000_000n;

/**
 * Events by the variants that their traces saw. A trace that saw two variants of a flag counts for both of them, and once for the
 * flag.
 * @param eventsQuery with the columns `total` and `good`, without groups
 */
export async function countByVariant(
  gateway: Gateway,
  scope: TelemetryScope,
  eventsQuery: string,
  window: Window,
  signal: AbortSignal,
): Promise<{ all: Counts; variants: { variants: VariantCounts[]; flagged: Map<string, Counts> } }> {
  const { rows } = await gateway.relate<
    { flag: string; variant: string; good: number; total: number; level: string },
    'traces'
  >(
    scope,
    { traces: { oql: `${eventsQuery} by trace_id`, window } },
    ({ traces }) => ({
      sql: `WITH events AS (SELECT k1 AS trace, toFloat64(ifNull(v2, 0)) AS good, toFloat64(ifNull(v1, 0)) AS total FROM (${traces.sql})),
        seen AS (SELECT DISTINCT lower(hex(trace_id)) AS trace, toString(flag_events.flag) AS flag, toString(flag_events.variant) AS variant FROM flag_events
          WHERE ${inScope(scope)} AND ${inWindow('time', 'seen_')} AND variant != '' AND trace_id != toFixedString('', 16))
        SELECT seen.flag AS flag, seen.variant AS variant, sum(events.good) AS good, sum(events.total) AS total, 'variant' AS level
          FROM events INNER JOIN seen ON events.trace = seen.trace GROUP BY flag, variant
        UNION ALL SELECT once.flag, '', sum(events.good), sum(events.total), 'flag'
          FROM events INNER JOIN (SELECT DISTINCT trace, flag FROM seen) AS once ON events.trace = once.trace GROUP BY once.flag
        UNION ALL SELECT '', '', sum(events.good), sum(events.total), 'all' FROM events`,
      params: windowParameters(
        { fromNs: window.fromNs - evaluatedBeforeNs, toNs: window.toNs + evaluatedAfterNs },
        'seen_',
      ),
    }),
    { lane: 'interactive', signal },
  );
  const of = (level: string) => rows.filter((row) => row.level === level);
  const [all = { good: 0, total: 0 }] = of('all');
  return {
    all,
    variants: {
      variants: of('variant'),
      flagged: new Map(of('flag').map(({ flag, good, total }) => [flag, { good, total }])),
    },
  };
}
