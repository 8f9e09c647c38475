import type { Signal } from '@fanion/telemetry';
import { WireReader } from '@fanion/telemetry';

type Read = (reader: WireReader) => unknown;
interface Field {
  name: string;
  read: Read;
  repeated?: boolean;
}
type Fields = Readonly<Record<number, Field>>;

const text: Read = (reader) => {
  const end = reader.enter(reader.bytes.length);
  const value = reader.bytes.toString('utf8', reader.position, end);
  reader.position = end;
  return value;
};
const hex: Read = (reader) => {
  const end = reader.enter(reader.bytes.length);
  const value = reader.bytes.toString('hex', reader.position, end);
  reader.position = end;
  return value;
};
const fixed: Read = (reader) => {
  reader.position += 8;
  return String(reader.bytes.readBigUInt64LE(reader.position - 8));
};
const double: Read = (reader) => {
  reader.position += 8;
  return reader.bytes.readDoubleLE(reader.position - 8);
};
const whole: Read = (reader) => reader.varint();

/** Reads a message of which all fields are known. */
function message(fields: () => Fields): Read {
  return (reader) => {
    const end = reader.enter(reader.bytes.length);
    return readFields(reader, end, fields());
  };
}

function readFields(reader: WireReader, end: number, fields: Fields): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  while (reader.position < end) {
    const field = fields[reader.tag()];
    if (field === undefined) throw new Error('the bench sends a field that its JSON does not know');
    const value = field.read(reader);
    const before = found[field.name];
    if (Array.isArray(before)) before.push(value);
    else found[field.name] = field.repeated ? [value] : value;
  }
  return found;
}

const value = message(() => ({
  10: { name: 'stringValue', read: text },
  24: { name: 'intValue', read: (reader) => String(reader.varint()) },
}));
const attribute = message(() => ({ 10: { name: 'key', read: text }, 18: { name: 'value', read: value } }));
const attributes = { name: 'attributes', read: attribute, repeated: true };
const items: Partial<Record<Signal, Fields>> = {
  traces: {
    10: { name: 'traceId', read: hex },
    18: { name: 'spanId', read: hex },
    34: { name: 'parentSpanId', read: hex },
    42: { name: 'name', read: text },
    48: { name: 'kind', read: whole },
    57: { name: 'startTimeUnixNano', read: fixed },
    65: { name: 'endTimeUnixNano', read: fixed },
    74: attributes,
    122: { name: 'status', read: message(() => ({ 24: { name: 'code', read: whole } })) },
  },
  logs: {
    9: { name: 'timeUnixNano', read: fixed },
    16: { name: 'severityNumber', read: whole },
    26: { name: 'severityText', read: text },
    42: { name: 'body', read: value },
    50: attributes,
    74: { name: 'traceId', read: hex },
    82: { name: 'spanId', read: hex },
  },
  metrics: {
    10: { name: 'name', read: text },
    58: {
      name: 'sum',
      read: message(() => ({
        10: {
          name: 'dataPoints',
          repeated: true,
          read: message(() => ({
            17: { name: 'startTimeUnixNano', read: fixed },
            25: { name: 'timeUnixNano', read: fixed },
            33: { name: 'asDouble', read: double },
            58: attributes,
          })),
        },
        16: { name: 'aggregationTemporality', read: whole },
        24: { name: 'isMonotonic', read: (reader) => reader.varint() === 1 },
      })),
    },
  },
};
const names: Partial<Record<Signal, readonly [string, string, string]>> = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
};

/** A body of the bench's own generator as OTLP/JSON. */
export function toJson(signal: Signal, body: Buffer): Buffer {
  const [resources, scopes, list] = names[signal] ?? ['', '', ''];
  const item = message(() => items[signal] ?? {});
  const scope = message(() => ({
    10: { name: 'scope', read: message(() => ({ 10: { name: 'name', read: text } })) },
    18: { name: list, read: item, repeated: true },
  }));
  const resource = message(() => ({
    10: { name: 'resource', read: message(() => ({ 10: attributes })) },
    18: { name: scopes, read: scope, repeated: true },
  }));
  const fields = { 10: { name: resources, read: resource, repeated: true } };
  return Buffer.from(JSON.stringify(readFields(new WireReader(body), body.length, fields)));
}

const TIME = 'imeUnixNano":"';
/** Digits of whole milliseconds in a time of nanoseconds. */
const MILLIS = 13;

/** Where the times of a JSON body begin; those at which counters started are left as they are. */
export function timesIn(json: Buffer, signal: Signal): number[] {
  const found: number[] = [];
  for (let at = json.indexOf(TIME); at >= 0; at = json.indexOf(TIME, at + 1)) {
    const isStart = json.toString('latin1', at - 6, at) === 'startT';
    if (signal !== 'metrics' || !isStart) found.push(at + TIME.length);
  }
  return found;
}

/** Moves the times of a JSON body. */
export function moveTimes(json: Buffer, places: readonly number[], laterMs: number): void {
  if (laterMs === 0) return;
  for (const at of places) {
    const millis = Number(json.toString('latin1', at, at + MILLIS)) + laterMs;
    json.write(String(millis), at, MILLIS, 'latin1');
  }
}
