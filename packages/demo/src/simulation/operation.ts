/**
 * The output of the simulation, which the emitter renders. It is independent of OpenTelemetry's SDK; attribute names
 * are those of its semantic conventions (https://opentelemetry.io/docs/specs/semconv/).
 */

export const SERVICES = ['frontend', 'catalog', 'cart', 'checkout', 'payment'] as const;
export type ServiceName = (typeof SERVICES)[number];

export type OperationKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';
export type Severity = 'debug' | 'info' | 'warn' | 'error';
export type Attributes = Record<string, string | number | boolean | string[]>;
export type JsonBody = { [key: string]: string | number | boolean | string[] | JsonBody | JsonBody[] };

/** An exception of a program; it becomes a span event and a log record. */
export interface Exception {
  type: string;
  message: string;
  stack: string;
}

export interface LogLine {
  at: number;
  severity: Severity;
  body: string | JsonBody;
  attributes: Attributes;
  exception?: Exception;
}

export interface OperationEvent {
  at: number;
  name: string;
  attributes: Attributes;
}

/** The place in a trace where a service evaluates a flag. The emitter knows the result. */
export interface FlagUse {
  at: number;
  key: string;
}

/** A business figure that counts towards a metric, such as one more order. */
export interface Measurement {
  name: 'orders' | 'orders.revenue' | 'carts.open';
  value: number;
  attributes: Attributes;
}

/** One span with everything that happened in it. Times are milliseconds since the epoch, with fractions. */
export interface Operation {
  service: ServiceName;
  kind: OperationKind;
  name: string;
  start: number;
  end: number;
  attributes: Attributes;
  /** Set if the operation failed; the text is the status message. */
  failure?: string;
  events: OperationEvent[];
  logs: LogLine[];
  flagUses: FlagUse[];
  measurements: Measurement[];
  /** Operations of other traces that caused this one. */
  links: Operation[];
  children: Operation[];
}

/** Visits an operation and all below it, parents first. */
export function* walk(operation: Operation): Generator<Operation> {
  yield operation;
  for (const child of operation.children) yield* walk(child);
}

/** The last moment of an operation and all below it. */
export function endOf(operation: Operation): number {
  return operation.children.reduce((latest, child) => Math.max(latest, endOf(child)), operation.end);
}
