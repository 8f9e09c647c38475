import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { peers } from '../service-map/index.ts';
import type { Store } from './condition-store.ts';
import type { Counted } from './counter-rules.ts';
import {
  type Counting,
  conditionsOn,
  countingLimits,
  inCounting,
  inCountingAround,
  parametersOf,
  stepEnd,
  withinBounds,
} from './counting-store.ts';

const { databaseName, databaseSystem, named, noSpan, outside, queueName, queueSystem } = peers;

/** The labels of metrics of the service graph, which are the columns of {@link calls}. */
const columns: Readonly<Record<string, string>> = { client: 'client', server: 'server', connection_type: 'type' };

/**
 * The calls of spans that began in the window: the edges of the service map (`service-map/store.ts`), each with its own time, and
 * the requests that came from outside, whose client Tempo calls `user`.
 * @param scope the condition on the tenant
 */
function calls(scope: string): string {
  const within = `${scope} AND ${inCounting}`;
  const fact = `time, weight, status = 'error' AS failed, duration AS server_took, duration AS client_took, true AS has_client`;
  return `
  SELECT parent.service AS client, child.service AS server, '' AS type, child.time AS time, child.weight AS weight,
    child.failed OR parent.failed AS failed, child.took AS server_took, parent.took AS client_took, parent.has_client AS has_client
  FROM (
    SELECT project, environment, toString(service) AS service, trace_id, parent_span_id, time, weight, status = 'error' AS failed, duration AS took
    FROM spans WHERE ${within} AND parent_span_id != ${noSpan} AND NOT (kind = 'consumer' AND ${queueSystem} != '')
  ) AS child INNER JOIN (
    SELECT project, trace_id, span_id, any(toString(spans.service)) AS service,
      any(status = 'error' AND kind IN ('client', 'producer')) AS failed,
      any(duration) AS took, any(kind IN ('client', 'producer')) AS has_client FROM spans
    WHERE ${scope} AND ${inCountingAround(600, 60)}
      AND (trace_id, span_id) IN (SELECT trace_id, parent_span_id FROM spans WHERE ${within} AND parent_span_id != ${noSpan})
    GROUP BY project, trace_id, span_id
  ) AS parent ON child.project = parent.project AND child.trace_id = parent.trace_id AND child.parent_span_id = parent.span_id
  WHERE child.service != parent.service

  UNION ALL SELECT 'user', toString(service), 'virtual_node', time, weight, status = 'error', duration, 0, false
  FROM spans WHERE ${within} AND kind = 'server' AND parent_span_id = ${noSpan}

  UNION ALL SELECT toString(service), peer.1, peer.2, time, weight, failed, server_took, client_took, has_client
  FROM (
    SELECT service, multiIf(${databaseSystem} != '', (${named(databaseSystem, databaseName)}, 'database'),
        ${queueSystem} != '', (${named(queueSystem, queueName)}, 'messaging_system'), (${outside}, 'virtual_node')) AS peer, ${fact}
    FROM spans WHERE ${within} AND kind IN ('client', 'producer')
      AND (${databaseSystem} != '' OR ${queueSystem} != '' OR (${outside} != ''
        AND (project, trace_id, span_id) NOT IN (SELECT project, trace_id, parent_span_id FROM spans
          WHERE ${scope} AND ${inCountingAround(10, 120)} AND kind IN ('server', 'consumer'))))
  )

  UNION ALL SELECT ${named(queueSystem, queueName)}, toString(service), 'messaging_system', time, weight, status = 'error', duration, 0, false
  FROM spans WHERE ${within} AND kind = 'consumer' AND ${queueSystem} != ''`;
}

/** Calls by who calls whom and by step. Each has a time of the server; its time at the client is known where the client sent a span of it. */
export function countCalls(took: 'server_took' | 'client_took') {
  return async (
    { telemetry }: Store,
    scope: TelemetryScope,
    counting: Counting,
    signal: AbortSignal,
  ): Promise<Counted[]> => {
    const isTimed = took === 'client_took' ? ['has_client'] : [];
    const where = [...isTimed, ...conditionsOn(columns, counting.conditions)];
    return telemetry.rows<Counted>(
      scope,
      `SELECT [${Object.values(columns).join(', ')}] AS labels, ${stepEnd} AS at, sum(weight) AS calls, sumIf(weight, failed) AS failed_calls,
         sum(weight * ${took}) / 1e9 AS seconds, ${withinBounds('weight', took, counting)} AS within
       FROM (${calls(inScope(scope))}) ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`}
       GROUP BY labels, at ORDER BY at, labels LIMIT {limit:UInt32}`,
      parametersOf(counting),
      signal,
      { limits: countingLimits(counting) },
    );
  };
}
