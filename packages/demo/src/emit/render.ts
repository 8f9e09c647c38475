import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type Logger, SeverityNumber } from '@opentelemetry/api-logs';
import type { Attributes, LogLine, Operation, OperationKind, ServiceName, Severity } from '../simulation/operation.ts';

/** The evaluations as attributes of `feature_flag.evaluation` events, by flag key. */
export type Evaluations = ReadonlyMap<string, Attributes>;

/** The tracer and the logger of the service that runs an operation. */
export type Instrumentation = (service: ServiceName, at: number) => { tracer: Tracer; logger: Logger };

const KIND: Readonly<Record<OperationKind, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

const SEVERITY: Readonly<Record<Severity, { severityNumber: SeverityNumber; severityText: string }>> = {
  debug: { severityNumber: SeverityNumber.DEBUG, severityText: 'DEBUG' },
  info: { severityNumber: SeverityNumber.INFO, severityText: 'INFO' },
  warn: { severityNumber: SeverityNumber.WARN, severityText: 'WARN' },
  error: { severityNumber: SeverityNumber.ERROR, severityText: 'ERROR' },
};

/**
 * Renders the traces of a visit through the SDK, with their own times: spans, their events and links, and the logs
 * that belong to them. Causes come before what links to them.
 *
 * @returns the span of each operation
 */
export function render(
  roots: readonly Operation[],
  evaluations: Evaluations,
  instrumentation: Instrumentation,
): ReadonlyMap<Operation, SpanContext> {
  const contexts = new Map<Operation, SpanContext>();
  for (const root of roots) renderOperation(root, undefined);
  return contexts;

  function renderOperation(operation: Operation, parent: { service: ServiceName; context: SpanContext } | undefined) {
    const { tracer, logger } = instrumentation(operation.service, operation.start);
    const span = tracer.startSpan(
      operation.name,
      {
        kind: KIND[operation.kind],
        startTime: operation.start,
        attributes: operation.attributes,
        links: operation.links.flatMap((cause): Link[] => {
          const context = contexts.get(cause);
          return context ? [{ context: { ...context, isRemote: true } }] : [];
        }),
      },
      parent
        ? // A parent in another service arrived in a header; the protocol distinguishes these.
          trace.setSpanContext(ROOT_CONTEXT, { ...parent.context, isRemote: parent.service !== operation.service })
        : ROOT_CONTEXT,
    );
    const own = span.spanContext();
    contexts.set(operation, own);
    for (const event of operation.events) span.addEvent(event.name, event.attributes, event.at);
    if (operation.failure !== undefined) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: operation.failure });
    }
    const context = trace.setSpan(ROOT_CONTEXT, span);
    for (const { key, at } of operation.flagUses) {
      const evaluation = evaluations.get(key);
      if (evaluation) emitEvaluation(logger, context, evaluation, at);
    }
    for (const line of operation.logs) emitLine(logger, context, line);
    for (const child of operation.children) renderOperation(child, { service: operation.service, context: own });
    span.end(operation.end);
  }
}

function emitLine(logger: Logger, context: Context, line: LogLine): void {
  logger.emit({
    ...SEVERITY[line.severity],
    timestamp: line.at,
    observedTimestamp: line.at,
    body: line.body,
    attributes: line.exception
      ? {
          ...line.attributes,
          'exception.type': line.exception.type,
          'exception.message': line.exception.message,
          'exception.stacktrace': line.exception.stack,
        }
      : line.attributes,
    context,
  });
}

/** https://opentelemetry.io/docs/specs/semconv/feature-flags/feature-flags-events/ */
function emitEvaluation(logger: Logger, context: Context, attributes: Attributes, at: number): void {
  logger.emit({
    ...SEVERITY.info,
    eventName: 'feature_flag.evaluation',
    timestamp: at,
    observedTimestamp: at,
    attributes,
    context,
  });
}
