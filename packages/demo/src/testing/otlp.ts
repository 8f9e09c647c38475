import { double, hex, integer, type Message, message, messages, readMessage, string } from './wire.ts';

/** OTLP requests as plain objects; field numbers from opentelemetry-proto 1.x. */

export type Value = string | number | boolean | Value[] | { [key: string]: Value } | null;
export type Attributes = Record<string, Value>;

export interface Span {
  service: string;
  resource: Attributes;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  start: bigint;
  end: bigint;
  attributes: Attributes;
  events: { name: string; time: bigint; attributes: Attributes }[];
  links: { traceId: string; spanId: string }[];
  status: number;
}

export interface LogRecord {
  service: string;
  time: bigint;
  severity: string;
  eventName: string;
  body: Value;
  attributes: Attributes;
  traceId: string;
  spanId: string;
}

export interface Point {
  service: string;
  instance: Value | undefined;
  name: string;
  kind: 'gauge' | 'sum' | 'histogram' | 'exponential';
  /** 2 is cumulative. */
  temporality: number;
  monotonic: boolean;
  attributes: Attributes;
  start: bigint;
  time: bigint;
  /** The value of a number, the count of a histogram. */
  value: number;
  boundaries: number;
}

export function readSpans(body: Uint8Array): Span[] {
  return messages(readMessage(body), 1).flatMap((resourceSpans) => {
    const resource = attributes(message(resourceSpans, 1), 1);
    return messages(resourceSpans, 2)
      .flatMap((scope) => messages(scope, 2))
      .map((span) => ({
        service: String(resource['service.name']),
        resource,
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4),
        name: string(span, 5),
        kind: Number(integer(span, 6)),
        start: integer(span, 7),
        end: integer(span, 8),
        attributes: attributes(span, 9),
        events: messages(span, 11).map((event) => ({
          time: integer(event, 1),
          name: string(event, 2),
          attributes: attributes(event, 3),
        })),
        links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
        status: Number(integer(message(span, 15), 3)),
      }));
  });
}

export function readLogs(body: Uint8Array): LogRecord[] {
  return messages(readMessage(body), 1).flatMap((resourceLogs) => {
    const resource = attributes(message(resourceLogs, 1), 1);
    return messages(resourceLogs, 2)
      .flatMap((scope) => messages(scope, 2))
      .map((record) => ({
        service: String(resource['service.name']),
        time: integer(record, 1),
        severity: string(record, 3),
        body: anyValue(message(record, 5)),
        attributes: attributes(record, 6),
        traceId: hex(record, 9),
        spanId: hex(record, 10),
        eventName: string(record, 12),
      }));
  });
}

const KINDS = [
  ['gauge', 5],
  ['sum', 7],
  ['histogram', 9],
  ['exponential', 10],
] as const;

export function readPoints(body: Uint8Array): Point[] {
  return messages(readMessage(body), 1).flatMap((resourceMetrics) => {
    const resource = attributes(message(resourceMetrics, 1), 1);
    return messages(resourceMetrics, 2)
      .flatMap((scope) => messages(scope, 2))
      .flatMap((metric) =>
        KINDS.flatMap(([kind, field]) =>
          messages(metric, field).flatMap((data) =>
            messages(data, 1).map((point) => ({
              service: String(resource['service.name']),
              instance: resource['service.instance.id'],
              name: string(metric, 1),
              kind,
              temporality: Number(integer(data, 2)),
              monotonic: integer(data, 3) === 1n,
              attributes: attributes(point, kind === 'histogram' ? 9 : kind === 'exponential' ? 1 : 7),
              start: integer(point, 2),
              time: integer(point, 3),
              value: valueIn(kind, point),
              boundaries: kind === 'histogram' ? Number(packedLength(point, 7)) / 8 : 0,
            })),
          ),
        ),
      );
  });
}

function valueIn(kind: Point['kind'], point: Message): number {
  if (kind === 'histogram' || kind === 'exponential') return Number(integer(point, 4));
  return point.has(6) ? Number(BigInt.asIntN(64, integer(point, 6))) : double(point, 4);
}

/** The bytes of a packed repeated field. */
function packedLength(parent: Message, field: number): number {
  const value = parent.get(field)?.[0];
  return value instanceof Uint8Array ? value.length : 0;
}

function attributes(parent: Message, field: number): Attributes {
  return Object.fromEntries(messages(parent, field).map((pair) => [string(pair, 1), anyValue(message(pair, 2))]));
}

function anyValue(value: Message): Value {
  if (value.has(1)) return string(value, 1);
  if (value.has(2)) return integer(value, 2) === 1n;
  if (value.has(3)) return Number(BigInt.asIntN(64, integer(value, 3)));
  if (value.has(4)) return double(value, 4);
  if (value.has(5)) return messages(message(value, 5), 1).map(anyValue);
  if (value.has(6)) return attributes(message(value, 6), 1);
  return null;
}
