import { decodeReadRequest, encodeReadResponse, type ReadQuery, TooLarge, WireError } from '@fanion/telemetry';
import { createSource } from '../../../features/telemetry/promql/index.ts';
import { fail } from '../../../platform/fail.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import type { Place } from '../../read/request.ts';
import type { QueryParts } from './queries.ts';

/** Of the request when it is inflated: it holds matchers only. */
const maxRequestBytes = 1024 ** 2;

/** The samples of a remote read request (prometheus.io/docs/prometheus/latest/querying/remote_read_api), in Snappy. */
export async function remoteRead(parts: QueryParts, place: Place, body: unknown): Promise<Buffer> {
  const queries = requestOf(body);
  const source = createSource({
    store: parts.store,
    scope: scopeOf(place),
    limits: parts.promql.limits,
    alerts: parts.alertsOf(place),
  });
  const run = async () => {
    const results = [];
    // Both ends of a read are inclusive.
    for (const { start, end, matchers } of queries)
      results.push((await source.select({ matchers, start: start - 1, end }, place.signal)).series);
    return { data: { rows: { length: results.flat().length } }, meta: {}, results };
  };
  const query = queries.map(
    ({ matchers }) =>
      `{${matchers.map(({ name, op, value }) => `${JSON.stringify(name)}${op}${JSON.stringify(value)}`).join(', ')}}`,
  );
  const { results } = await parts.history.observe({ ...place, query: query.join(' or ') }, run);
  return encodeReadResponse(results);
}

/** Without a body, a request has no queries. */
function requestOf(body: unknown): ReadQuery[] {
  if (!Buffer.isBuffer(body)) return [];
  try {
    return decodeReadRequest(body, maxRequestBytes);
  } catch (error) {
    if (error instanceof WireError || error instanceof TooLarge)
      throw fail('PROMETHEUS_PARAMETER_INVALID', { name: 'body', reason: error.message }, { cause: error });
    throw error;
  }
}
