import { jaegerV3Routes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { runInSlices } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import { invalid, sendJaegerV3Failure } from './answer.ts';
import { type Asked, answering } from './answering.ts';
import { operations, services, summaries, tracesData } from './messages.ts';
import { writingOtlp } from './otlp-rules.ts';
import { searchOfV3, timeOf, traceIdOf } from './parameter-rules.ts';
import { listServices } from './search-store.ts';
import { writtenKind } from './span-rules.ts';
import { summaryOf } from './summary-rules.ts';
import { type JaegerParts, operationsOf, readTraces, search, type Trace } from './traces.ts';

/** Version 3 of Jaeger's API, which answers with OTLP. */
export function jaegerV3ReadRoutes(parts: JaegerParts, nowNs: () => bigint): MountedRoute[] {
  const found = ({ place, parameters, shown }: Asked) =>
    search(parts, place, searchOfV3(parameters, parts.limits.traces), shown);
  return implement(
    jaegerV3Routes,
    {
      jaegerV3Services: answering(
        async ({ place }) => ({
          services: await listServices(parts.telemetry, scopeOf(place), parts.limits.names, place.signal),
        }),
        services,
      ),
      jaegerV3Operations: answering(async ({ place, parameters }) => {
        const service = parameters.one('service');
        if (service === undefined) throw invalid('service is required');
        const kind = parameters.one('spanKind', 'span_kind');
        const operations = await operationsOf(parts, place, nowNs(), service, kind);
        return { operations: operations.map(({ name, kind }) => ({ name, spanKind: writtenKind(kind) })) };
      }, operations),
      jaegerV3Search: answering(async (asked) => {
        const traces = await found(asked);
        if (traces.length === 0) throw fail('NO_TRACES_FOUND');
        return otlpOf(traces);
      }, tracesData),
      jaegerV3Trace: answering(async ({ place, parameters, path }) => {
        for (const [camel, snake] of [
          ['startTime', 'start_time'],
          ['endTime', 'end_time'],
        ] as const) {
          const text = parameters.one(camel, snake);
          if (text !== undefined) timeOf(snake, text);
        }
        const traces = await readTraces(parts, place, [traceIdOf(path.trace_id ?? '')]);
        if (traces.length === 0) throw fail('TRACE_NOT_FOUND', { trace_id: path.trace_id ?? '' });
        return otlpOf(traces);
      }, tracesData),
      jaegerV3Summaries: answering(async (asked) => ({ summaries: (await found(asked)).map(summaryOf) }), summaries),
    },
    sendJaegerV3Failure,
  );
}

/** As the gateway of gRPC writes a stream of one message: the resources of one trace after those of another. */
async function otlpOf(traces: readonly Trace[]) {
  const resourceSpans: object[] = [];
  for (const trace of traces) resourceSpans.push(...(await runInSlices(writingOtlp(trace))).resourceSpans);
  return { result: { resourceSpans } };
}
