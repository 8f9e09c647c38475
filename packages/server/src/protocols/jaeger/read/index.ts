/**
 * Jaeger's HTTP API, for the Jaeger UI and Grafana's Jaeger data source. A search becomes one statement that finds traces with a
 * span that meets all conditions (`search-store.ts`); their spans are read whole (`traces.ts`) and written as Jaeger translates
 * them from OTLP (`jaeger-span-rules.ts`), or as OTLP for version 3 (`v3.ts`). `metrics.ts` measures spans for the Monitor tab.
 */

import { jaegerRoutes } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import { readServiceMap } from '../../../features/telemetry/service-map/index.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { runInSlices } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import type { Parameters } from '../../read/request.ts';
import { enveloped, invalid, type PartialError, sendJaegerFailure } from './answer.ts';
import { type Asked, answering } from './answering.ts';
import { dependenciesOf, dependencyWindow } from './dependency-rules.ts';
import { writingJaegerTrace } from './jaeger-span-rules.ts';
import { dependencies } from './messages.ts';
import { type Metric, quantileOf } from './metric-rules.ts';
import { measured } from './metrics.ts';
import { readingOtlp } from './otlp-reading-rules.ts';
import { searchOf, traceIdOf } from './parameter-rules.ts';
import { listServices } from './search-store.ts';
import { byTrace, writtenKind } from './span-rules.ts';
import { type JaegerParts, operationsOf, readTraces, search, type Trace } from './traces.ts';
import { jaegerV3ReadRoutes } from './v3.ts';

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
  const metric = (metricOf: (parameters: Parameters) => Metric) =>
    answering(({ place, parameters }) => measured(parts, place, metricOf(parameters), parameters, clock.now()));

  const routes = implement(
    jaegerRoutes,
    {
      jaegerServices: answering(async ({ place }) => {
        const names = await listServices(parts.telemetry, scopeOf(place), parts.limits.names, place.signal);
        return enveloped(names, { total: names.length });
      }),
      jaegerServiceOperations: answering(async ({ place, path }) => {
        const found = await operationsOf(parts, place, nowNs(), path.service ?? '', undefined);
        const names = [...new Set(found.map(({ name }) => name))];
        return enveloped(names, { total: names.length });
      }),
      jaegerOperations: answering(async ({ place, parameters }) => {
        const found = await operationsOf(parts, place, nowNs(), serviceIn(parameters), parameters.one('spanKind'));
        const data = found.map(({ name, kind }) => ({ name, spanKind: writtenKind(kind) }));
        return enveloped(data, { total: data.length });
      }),
      jaegerSearch: answering((asked) => searched(parts, asked, nowNs())),
      jaegerTrace: answering(async ({ place, path }) => {
        const traces = await readTraces(parts, place, [traceIdOf(path.trace_id ?? '')]);
        if (traces.length === 0) throw fail('TRACE_NOT_FOUND', { trace_id: path.trace_id ?? '' });
        return enveloped(await shown(traces));
      }),
      jaegerDependencies: answering(async ({ place, parameters }) => {
        const window = dependencyWindow(parameters, nowNs());
        const telemetry = { telemetry: parts.telemetry, clock };
        const { map } = await readServiceMap(telemetry, scopeOf(place), window, place.signal);
        return enveloped(dependenciesOf(map, parameters.one('service')));
      }, dependencies),
      // Jaeger itself has only placeholders for these two.
      jaegerDeepDependencies: answering(async () => ({ dependencies: [] })),
      jaegerQualityMetrics: answering(async () => ({ traceQualityDocumentationLink: '', scores: [], metrics: [] })),
      jaegerLatencies: metric((parameters) => ({ kind: 'latencies', quantile: quantileOf(parameters) })),
      jaegerCalls: metric(() => ({ kind: 'calls' })),
      jaegerErrors: metric(() => ({ kind: 'errors' })),
      jaegerMinStep: answering(async () => enveloped(1)),
      jaegerTransform: answering(async ({ body }) =>
        enveloped(await shown(byTrace(await runInSlices(readingOtlp(body)), []))),
      ),
    },
    sendJaegerFailure,
  );
  return [...routes, ...jaegerV3ReadRoutes(parts, nowNs)];
}

function serviceIn(parameters: Parameters): string {
  const service = parameters.one('service');
  if (service === undefined) throw invalid("parameter 'service' is required");
  return service;
}

async function searched(parts: JaegerParts, { place, parameters, shown: request }: Asked, nowNs: bigint) {
  const ids = [...new Set(parameters.all('traceID').map(traceIdOf))];
  if (ids.length > parts.limits.traces) throw invalid(`more than ${parts.limits.traces} trace IDs`);
  if (ids.length > 0) {
    const traces = await readTraces(parts, place, ids);
    return enveloped(await shown(traces), { errors: missingOf(ids, traces) });
  }
  serviceIn(parameters);
  const asked = searchOf(parameters, nowNs, parts.limits.traces);
  return enveloped(await shown(await search(parts, place, asked, request)));
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
