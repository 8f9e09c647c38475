import { JsonError, parseJson } from '../json/text.ts';
import { WireError, WireReader } from '../wire/reader.ts';
import { eachField } from '../wire/walk.ts';
import { parseLabels } from './loki-labels.ts';
import { OtlpWriter } from './otlp-writer.ts';

type Labels = [string, string][];

interface Entry {
  /** Unix nanoseconds. */
  time: bigint;
  line: string;
  metadata: Labels;
}

interface Stream {
  labels: Labels;
  entries: Entry[];
}

/** Labels that Loki uses as the name of a service, in its order (`limits_config.discover_service_name`). */
const serviceLabels = [
  'service_name',
  'service',
  'app',
  'application',
  'name',
  'app_kubernetes_io_name',
  'container',
  'container_name',
  'component',
  'workload',
  'job',
];
const environmentLabels = ['deployment_environment_name', 'deployment_environment', 'environment', 'env'];
const levelLabels = ['level', 'detected_level', 'severity', 'severity_text', 'lvl'];
const MAX_NANOS = 2n ** 64n - 1n;

/**
 * Turns a Loki push into an OTLP export request: the labels of a stream become its resource, and structured metadata
 * the attributes of a line, except for trace id, span id and level, which log records have fields for.
 * @throws {WireError | JsonError | TooLarge}
 */
export function lokiToOtlp(body: Buffer, format: 'json' | 'protobuf'): Buffer {
  const writer = new OtlpWriter();
  const write = (stream: Stream) => writer.message(1, () => writeStream(writer, stream));
  if (format === 'json') for (const stream of readJson(body)) write(stream);
  else readProtobuf(body, write);
  return writer.result();
}

function firstOf(labels: Labels, names: readonly string[]): string {
  for (const name of names) {
    const found = labels.find(([label, value]) => label === name && value !== '');
    if (found !== undefined) return found[1];
  }
  return '';
}

function writeStream(writer: OtlpWriter, { labels, entries }: Stream): void {
  const service = firstOf(labels, serviceLabels);
  const environment = firstOf(labels, environmentLabels);
  const level = firstOf(labels, levelLabels);
  writer.message(1, () => {
    if (service !== '') writer.attribute(1, 'service.name', service);
    if (environment !== '') writer.attribute(1, 'deployment.environment.name', environment);
    for (const [name, value] of labels) writer.attribute(1, name, value);
  });
  writer.message(2, () => {
    for (const entry of entries) {
      writer.message(2, () => writeEntry(writer, entry, level));
      writer.checkSize();
    }
  });
}

function writeEntry(writer: OtlpWriter, { time, line, metadata }: Entry, streamLevel: string): void {
  writer.fixed(1, time);
  const level = firstOf(metadata, levelLabels) || streamLevel;
  if (level !== '') writer.text(3, level);
  writer.message(5, () => writer.text(1, line));
  for (const [name, value] of metadata) {
    const isHex = /^[0-9a-f]+$/i.test(value);
    if (isHex && name === 'trace_id' && value.length === 32) writer.bytesField(9, Buffer.from(value, 'hex'));
    else if (isHex && name === 'span_id' && value.length === 16) writer.bytesField(10, Buffer.from(value, 'hex'));
    else writer.attribute(6, name, value);
  }
}

/** `{"streams": [{"stream": {…}, "values": [["<nanoseconds>", "<line>", {…}]]}]}` */
function* readJson(body: Buffer): Generator<Stream> {
  const push = parseJson(body);
  const streams = isObject(push) ? push.streams : undefined;
  if (!Array.isArray(streams)) throw new JsonError('expected {"streams": […]}');
  for (const [index, stream] of streams.entries()) {
    if (!isObject(stream) || !Array.isArray(stream.values)) {
      throw new JsonError(`streams[${index}]: expected {"stream": {…}, "values": […]}`);
    }
    yield {
      labels: labelsOf(stream.stream ?? {}, `streams[${index}].stream`),
      entries: stream.values.map((value, at) => entryOf(value, `streams[${index}].values[${at}]`)),
    };
  }
}

function entryOf(value: unknown, place: string): Entry {
  if (!Array.isArray(value) || typeof value[1] !== 'string') {
    throw new JsonError(`${place}: expected ["<nanoseconds>", "<line>"]`);
  }
  const [time, line, metadata = {}] = value;
  const digits = typeof time === 'number' ? String(time) : time;
  if (typeof digits !== 'string' || !/^\d{1,20}$/.test(digits) || BigInt(digits) > MAX_NANOS) {
    throw new JsonError(`${place}: expected nanoseconds as digits in a string`);
  }
  return { time: BigInt(digits), line, metadata: labelsOf(metadata, place) };
}

function labelsOf(value: unknown, place: string): Labels {
  if (!isObject(value)) throw new JsonError(`${place}: expected labels in an object`);
  return Object.entries(value).map(([name, text]) => {
    if (typeof text === 'object') throw new JsonError(`${place}: the value of a label is a text`);
    return [name, String(text)];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `logproto.PushRequest` (grafana/loki, `pkg/push/push.proto`). */
function readProtobuf(body: Buffer, write: (stream: Stream) => void): void {
  const reader = new WireReader(body);
  eachField(reader, body.length, (tag) => {
    if (tag !== 10) return false;
    const end = reader.enter(body.length);
    const stream: Stream = { labels: [], entries: [] };
    eachField(reader, end, (inner) => {
      if (inner === 10) stream.labels = parseLabels(readText(reader, end));
      else if (inner === 18) stream.entries.push(readEntry(reader, reader.enter(end)));
      else return false;
      return true;
    });
    write(stream);
    return true;
  });
}

function readEntry(reader: WireReader, end: number): Entry {
  const entry: Entry = { time: 0n, line: '', metadata: [] };
  eachField(reader, end, (tag) => {
    if (tag === 10) entry.time = readTimestamp(reader, reader.enter(end));
    else if (tag === 18) entry.line = readText(reader, end);
    else if (tag === 26) entry.metadata.push(readPair(reader, reader.enter(end)));
    else return false;
    return true;
  });
  return entry;
}

/** `google.protobuf.Timestamp`; a time before 1970 counts as unknown. */
function readTimestamp(reader: WireReader, end: number): bigint {
  let seconds = 0;
  let nanos = 0;
  eachField(reader, end, (tag) => {
    if (tag === 8) seconds = reader.varint();
    else if (tag === 16) nanos = reader.varint();
    else return false;
    return true;
  });
  const time = BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
  return time > MAX_NANOS ? 0n : time;
}

function readPair(reader: WireReader, end: number): [string, string] {
  let name = '';
  let value = '';
  eachField(reader, end, (tag) => {
    if (tag === 10) name = readText(reader, end);
    else if (tag === 18) value = readText(reader, end);
    else return false;
    return true;
  });
  if (name === '') throw new WireError('structured metadata without a name');
  return [name, value];
}

function readText(reader: WireReader, end: number): string {
  const stop = reader.enter(end);
  const text = reader.bytes.toString('utf8', reader.position, stop);
  reader.position = stop;
  return text;
}
