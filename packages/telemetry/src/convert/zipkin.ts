import { JsonError, parseJson } from '../json/text.ts';
import { OtlpWriter } from './otlp-writer.ts';

/** A span of the Zipkin v2 API (zipkin.io/zipkin-api, `zipkin2-api.yaml`); not validated yet. */
type ZipkinSpan = Record<string, unknown>;

const kinds: Readonly<Record<string, number>> = { SERVER: 2, CLIENT: 3, PRODUCER: 4, CONSUMER: 5 };
const ERROR = 2;
const OK = 1;
const MAX_MICROS = 2n ** 64n / 1000n;
/** An id of one byte is invalid, so the scan rejects this span only. */
const invalidId = Uint8Array.of(0xff);
/** Tags in which OpenTelemetry exporters store fields of a span. */
const fieldTags = new Set(['otel.status_code', 'otel.status_description', 'error']);

/**
 * Turns a list of Zipkin spans into an OTLP export request, by the inverse of OpenTelemetry's "Transformation to
 * Zipkin": tags become attributes, annotations events, the local endpoint the resource.
 * @throws {JsonError | TooLarge}
 */
export function zipkinToOtlp(body: Buffer): Buffer {
  const list = parseJson(body);
  if (!Array.isArray(list)) throw new JsonError('expected an array of spans');
  const byService = new Map<string, ZipkinSpan[]>();
  for (const [index, span] of list.entries()) {
    if (!isObject(span)) throw new JsonError(`[${index}]: expected a span`);
    const service = textOf(objectOf(span.localEndpoint).serviceName);
    const known = byService.get(service);
    if (known === undefined) byService.set(service, [span]);
    else known.push(span);
  }
  const writer = new OtlpWriter();
  for (const [service, spans] of byService) {
    writer.message(1, () => {
      writer.message(1, () => {
        if (service !== '') writer.attribute(1, 'service.name', service);
      });
      writer.message(2, () => {
        for (const span of spans) {
          writer.message(2, () => writeSpan(writer, span));
          writer.checkSize();
        }
      });
    });
  }
  return writer.result();
}

function writeSpan(writer: OtlpWriter, span: ZipkinSpan): void {
  // An id of 64 bits is the lower half of a 128-bit one.
  const traceId = textOf(span.traceId);
  writer.bytesField(1, idOf(traceId.length === 16 ? traceId.padStart(32, '0') : traceId, 32));
  writer.bytesField(2, idOf(textOf(span.id), 16));
  const parent = textOf(span.parentId);
  if (parent !== '') writer.bytesField(4, idOf(parent, 16));
  writer.text(5, textOf(span.name));
  const kind = textOf(span.kind);
  writer.number(6, Object.hasOwn(kinds, kind) ? (kinds[kind] ?? 1) : 1);
  const start = microsOf(span.timestamp);
  writer.fixed(7, start * 1000n);
  writer.fixed(8, (start + microsOf(span.duration)) * 1000n);
  const tags = Object.entries(objectOf(span.tags));
  for (const [name, value] of tags) if (!fieldTags.has(name)) writer.attribute(9, name, textOf(value));
  writeEndpoint(writer, objectOf(span.localEndpoint), 'network.local', undefined);
  writeEndpoint(writer, objectOf(span.remoteEndpoint), 'network.peer', 'peer.service');
  if (span.shared === true) writer.attribute(9, 'zipkin.shared', 'true');
  for (const annotation of Array.isArray(span.annotations) ? span.annotations : []) {
    const { timestamp, value } = objectOf(annotation);
    writer.message(11, () => {
      writer.fixed(1, microsOf(timestamp) * 1000n);
      writer.text(2, textOf(value));
    });
  }
  writeStatus(writer, Object.fromEntries(tags));
}

/** In Zipkin an error is a tag with any value; OpenTelemetry exporters report it in two tags. */
function writeStatus(writer: OtlpWriter, tags: Readonly<Record<string, unknown>>): void {
  const error = Object.hasOwn(tags, 'error') ? textOf(tags.error) : undefined;
  const status = textOf(tags['otel.status_code']).toUpperCase();
  const isError = status === 'ERROR' || (status === '' && error !== undefined && error !== 'false');
  if (!isError && status !== 'OK') return;
  writer.message(15, () => {
    const description = textOf(tags['otel.status_description']) || (error === 'true' ? '' : (error ?? ''));
    if (isError && description !== '') writer.text(2, description);
    writer.number(3, isError ? ERROR : OK);
  });
}

function writeEndpoint(
  writer: OtlpWriter,
  endpoint: Record<string, unknown>,
  prefix: string,
  serviceAttribute: string | undefined,
): void {
  const service = textOf(endpoint.serviceName);
  if (serviceAttribute !== undefined && service !== '') writer.attribute(9, serviceAttribute, service);
  const address = textOf(endpoint.ipv4) || textOf(endpoint.ipv6);
  if (address !== '') writer.attribute(9, `${prefix}.address`, address);
  const { port } = endpoint;
  if (typeof port === 'number' && Number.isInteger(port) && port > 0) {
    writer.intAttribute(9, `${prefix}.port`, BigInt(port));
  }
}

function idOf(text: string, digits: number): Uint8Array {
  return text.length === digits && /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex') : invalidId;
}

/** Microseconds; 0 for an invalid value, which the scan rejects where a time is required. */
function microsOf(value: unknown): bigint {
  if (typeof value === 'number') return Number.isFinite(value) && value > 0 ? limited(BigInt(Math.round(value))) : 0n;
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? limited(BigInt(value)) : 0n;
}

/** Half of the range of 64-bit nanoseconds, so that a start and a duration can be added. */
function limited(micros: bigint): bigint {
  return micros > MAX_MICROS / 2n ? MAX_MICROS / 2n : micros;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
