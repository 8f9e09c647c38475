/**
 * Jaeger's HTTP API, for the Jaeger UI and Grafana's Jaeger data source. A search becomes one statement that finds traces with a
 * span that meets all conditions (`search-store.ts`); their spans are read whole (`traces.ts`) and written as Jaeger translates
 * them from OTLP (`jaeger-span-rules.ts`), or as OTLP for version 3 (`v3.ts`). `metrics.ts` measures spans for the Monitor tab.
 */

import { jaegerRoutes } from '@fanion/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../config.ts';
import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { runInSlices } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import { enveloped, invalid, type PartialError, send, sendJaegerFailure } from './answer.ts';
import { writingJaegerTrace } from './jaeger-span-rules.ts';
import { type Parameters, parametersOf, searchOf, traceIdOf } from './parameter-rules.ts';
import { listOperations, listServices } from './search-store.ts';
import { type JaegerParts, type Place, readTraces, search, type Trace } from './traces.ts';

/** The routes, for the listeners. */
export function jaegerReadRoutes({
  gateway,
  history,
  clock,
  config,
}: {
  readonly gateway: Gateway;
  readonly history: Pick<QueryHistory, 'observe'>;
  readonly clock: Clock;
  readonly config: Pick<Config, 'jaeger'>;
}): MountedRoute[] {
  const parts: JaegerParts = { telemetry: gateway.lane('interactive'), history, limits: config.jaeger };
  const nowNs = () => BigInt(clock.now()) * 1_000_000n;

  return implement(
    jaegerRoutes,
    {
      jaegerServices: answering(async (place, _parameters, reply) => {
        const names = await listServices(parts.telemetry, scopeOf(place), parts.limits.names, place.signal);
        return send(reply, enveloped(names, { total: names.length }));
      }),
      jaegerServiceOperations: answering(async (place, _parameters, reply, path) => {
        const found = await operationsOf(parts, place, nowNs(), path.service ?? '', undefined);
        const names = [...new Set(found.map(({ name }) => name))];
        return send(reply, enveloped(names, { total: names.length }));
      }),
      jaegerOperations: answering(async (place, parameters, reply) => {
        const service = parameters.one('service');
        if (service === undefined) throw invalid("parameter 'service' is required");
        const found = await operationsOf(parts, place, nowNs(), service, parameters.one('spanKind'));
        const data = found.map(({ name, kind }) => ({ name, spanKind: kind === 'unspecified' ? '' : kind }));
        return send(reply, enveloped(data, { total: data.length }));
      }),
      jaegerSearch: answering(async (place, parameters, reply, _path, request) => {
        const ids = [...new Set(parameters.all('traceID').map(traceIdOf))];
        if (ids.length > parts.limits.traces) throw invalid(`more than ${parts.limits.traces} trace IDs`);
        if (ids.length > 0) {
          const traces = await readTraces(parts, place, ids);
          return send(reply, enveloped(await shown(traces), { errors: missingOf(ids, traces) }));
        }
        const asked = searchOf(parameters, nowNs(), parts.limits.traces);
        if (asked.service === undefined) throw invalid("parameter 'service' is required");
        return send(reply, enveloped(await shown(await search(parts, place, asked, `GET ${request.url}`))));
      }),
      jaegerTrace: answering(async (place, _parameters, reply, path) => {
        const traces = await readTraces(parts, place, [traceIdOf(path.trace_id ?? '')]);
        if (traces.length === 0) throw fail('TRACE_NOT_FOUND', { trace_id: path.trace_id ?? '' });
        return send(reply, enveloped(await shown(traces)));
      }),
      // Jaeger itself has only placeholders for both.
      jaegerDeepDependencies: answering(async (_place, _parameters, reply) => send(reply, { dependencies: [] })),
      jaegerQualityMetrics: answering(async (_place, _parameters, reply) =>
        send(reply, { traceQualityDocumentationLink: '', scores: [], metrics: [] }),
      ),
    },
    sendJaegerFailure,
  );
}

/** The names and kinds of the spans of a service within the hours that the configuration allows. */
export function operationsOf(
  { telemetry, limits }: JaegerParts,
  place: Place,
  nowNs: bigint,
  service: string,
  kind: string | undefined,
) {
  const window = { fromNs: nowNs - BigInt(limits.operationHours) * 3_600_000_000_000n, toNs: nowNs };
  return listOperations(telemetry, scopeOf(place), { service, kind, window, limit: limits.names }, place.signal);
}

async function shown(traces: readonly Trace[]): Promise<object[]> {
  const written: object[] = [];
  for (const trace of traces) written.push(await runInSlices(writingJaegerTrace(trace)));
  return written;
}

function missingOf(ids: readonly string[], traces: readonly Trace[]): PartialError[] {
  const found = new Set(traces.map(([span]) => span?.traceId));
  return ids.filter((id) => !found.has(id)).map((traceID) => ({ msg: 'trace not found', traceID }));
}

interface RequestContext extends Place {
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function answering(
  answer: (
    place: Place,
    parameters: Parameters,
    reply: FastifyReply,
    path: Readonly<Record<string, string>>,
    request: FastifyRequest,
  ) => Promise<unknown>,
): (context: RequestContext) => Promise<undefined> {
  return async ({ workspace, narrowed, caller, signal, query, params, request, reply }) => {
    await answer({ workspace, narrowed, caller, signal }, parametersOf(query), reply, params, request);
    return undefined;
  };
}
