/**
 * A query: `service.ts` resolves the scope and window and asks the gateway, which compiles and runs it
 * (`platform/gateway`). The answer leaves as JSON in slices, or as a stream of CSV, NDJSON or Arrow (`results`).
 */

import { telemetryRoutes } from '@fanion/contract';
import {
  type Context,
  EncodedReply,
  implement,
  type MountedRoute,
  reply,
  type Streamed,
} from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import { EncodedRows } from '../../../platform/gateway/index.ts';
import type { QueryHistory } from '../../dashboards/saved-queries/index.ts';
import type { Feature } from '../../feature.ts';
import type { TraceService } from '../traces/index.ts';
import { streamedAnswer } from './results/answer.ts';
import { chooseForm, resultMedia } from './results/media.ts';
import { maxJsonRows, type QueryInput, type QueryService } from './service.ts';

export { type CompilerCall, type ConditionSource, checkedCondition, compileFor } from './condition.ts';
export { createQueryService, type QueryScope, type QueryService } from './service.ts';

/** Older cached answers are never returned, whatever the client accepts. */
const maxAcceptedSeconds = 300;

/** Queries of telemetry: OQL, and traces by id. */
export const telemetryFeature = {
  name: 'telemetry/query',
  routes: handlers,
} satisfies Feature;

interface Parts {
  readonly queries: QueryService;
  readonly traces: TraceService;
  readonly history: Pick<QueryHistory, 'observe'>;
}

function handlers(parts: Parts): MountedRoute[] {
  const { queries: query, traces } = parts;
  return implement(telemetryRoutes, {
    runQuery: (context) => answered(parts, context),
    async validateQuery({ workspace, narrowed, body, signal }) {
      const { valid, diagnostics } = await query.validate({ workspace, ...narrowed }, body.query, signal);
      return { valid, diagnostics: [...diagnostics] };
    },
    async explainQuery({ workspace, narrowed, body, signal }) {
      return (await query.explain({ workspace, ...narrowed }, body, signal)) as never;
    },
    async getTrace({ workspace, narrowed, params, query: { include }, signal }) {
      const { trace, warnings } = await traces.get(
        { workspace, ...narrowed },
        params.trace_id,
        { logs: includes(include, 'logs'), flags: includes(include, 'flags') },
        signal,
      );
      return reply(trace, { meta: { warnings } });
    },
  });
}

async function answered(parts: Parts, context: Asked) {
  const { body, request } = context;
  const form = chooseForm(request.headers.accept);
  if (form === undefined)
    throw fail('NOT_ACCEPTABLE', {
      forms: Object.values(resultMedia)
        .flatMap(([type]) => type)
        .join(', '),
    });
  refuseOfOtherLanguage(body);
  return form === 'json' ? answeredInJson(parts, context) : answeredAsStream(parts, context, form);
}

type Asked = Context<typeof telemetryRoutes.runQuery>;

async function answeredInJson(
  { queries, history }: Parts,
  { workspace, narrowed, caller, body, request, signal }: Asked,
) {
  if ((body.limit ?? 0) > maxJsonRows)
    throw fail('INVALID_INPUT', {
      reason: `limit: at most ${maxJsonRows} rows in JSON; ask for NDJSON, CSV or Arrow`,
    });
  const scope = { workspace, ...narrowed, caller };
  const { query, query_language } = body;
  const fact = { workspace, narrowed, caller, query, query_language, signal };
  const maxAgeMs = acceptedAge(request.headers['cache-control']) * 1000;
  const { data, meta } = await history.observe(fact, () => queries.run(scope, body, signal, { maxAgeMs }));
  const { rows, ...rest } = data;
  const { age_ms } = meta;
  const headers: Record<string, string> = typeof age_ms === 'number' ? { age: String(Math.floor(age_ms / 1000)) } : {};
  return rows instanceof EncodedRows
    ? new EncodedReply(encodedData(rest, rows), { meta, headers })
    : reply({ ...rest, rows }, { meta, headers });
}

/** The run ends when the last row has been sent; the response begins with the first one. */
function answeredAsStream(
  { queries, history }: Parts,
  { workspace, narrowed, caller, body, signal }: Asked,
  form: Exclude<ReturnType<typeof chooseForm>, 'json' | undefined>,
) {
  const scope = { workspace, ...narrowed, caller };
  const { query, query_language } = body;
  const fact = { workspace, narrowed, caller, query, query_language, signal };
  return new Promise<Streamed>((resolve, reject) => {
    const run = async () => {
      const result = await queries.stream(scope, body, signal);
      const { answer, ended } = streamedAnswer(result, form);
      resolve(answer);
      await ended;
      const { rows, truncated } = result.told;
      return { data: { rows: { length: rows } }, meta: { truncated, from: result.from, to: result.to } };
    };
    history.observe(fact, run).catch(reject);
  });
}

function* encodedData(rest: object, rows: EncodedRows): Generator<string | Uint8Array> {
  yield `${JSON.stringify(rest).slice(0, -1)},"rows":`;
  yield* rows.chunks;
  yield '}';
}

function includes(list: string | undefined, what: string): boolean {
  return list?.split(',').some((part) => part.trim() === what) ?? false;
}

/**
 * The seconds of `Cache-Control: max-age` in a request (RFC 9111 §5.2.1.1): the age of an answer that the client
 * accepts.
 */
function acceptedAge(header: string | undefined): number {
  const seconds = header?.split(',').flatMap((part) => /^\s*max-age=(\d{1,6})\s*$/i.exec(part)?.[1] ?? [])[0];
  return Math.min(maxAcceptedSeconds, Number(seconds ?? 0));
}

/** Nothing that was asked for is ignored. @throws `INVALID_INPUT` */
function refuseOfOtherLanguage(body: QueryInput): void {
  const { query_language, params = {}, when_shards_away, evaluate, step } = body;
  const given =
    query_language === 'promql'
      ? { params: Object.keys(params).length > 0, when_shards_away: when_shards_away === 'skip' }
      : { step: step !== undefined, evaluate: evaluate === 'instant' };
  const [name] = Object.entries(given).find(([, isGiven]) => isGiven) ?? [];
  if (name === undefined) return;
  const [other, own] = query_language === 'promql' ? ['OQL', 'PromQL'] : ['PromQL', 'OQL'];
  throw fail('INVALID_INPUT', { reason: `${name}: only for queries in ${other}, and this one is in ${own}` });
}
