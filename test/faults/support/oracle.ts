import { Broken, type Field, fieldsOf } from './wire.ts';

/** The expected response to an export request. */
export type Verdict =
  | { readonly broken: true }
  | { readonly broken: false; readonly items: number; readonly refused: number };

export interface Window {
  /** Unix milliseconds. */
  readonly earliest: number;
  readonly latest: number;
}

/** The nested messages of a message, by field number; other fields have no structure. */
interface Shape {
  readonly [field: number]: Shape | 'AnyValue';
}
const keyValue: Shape = { 2: 'AnyValue' };
const attributesAt = (field: number): Shape => ({ [field]: keyValue });
const maxDepth = 64;

/** Checks a message and its nested messages to the last byte. @throws {Broken} */
function check(body: Buffer, shape: Shape): Field[] {
  const fields = fieldsOf(body);
  for (const { number, wire, content } of fields) {
    const inner = shape[number];
    if (wire !== 2 || inner === undefined) continue;
    if (inner === 'AnyValue') checkValue(content, 0);
    else check(content, inner);
  }
  return fields;
}

/** Arrays (5) and key-value lists (6) nest, up to a depth. */
function checkValue(body: Buffer, depth: number): void {
  for (const { number, wire, content } of fieldsOf(body)) {
    if (wire !== 2 || (number !== 5 && number !== 6)) continue;
    if (depth === maxDepth) throw new Broken('nested too deep');
    for (const element of fieldsOf(content)) {
      if (element.number !== 1 || element.wire !== 2) continue;
      if (number === 5) checkValue(element.content, depth + 1);
      else
        for (const part of fieldsOf(element.content))
          if (part.number === 2 && part.wire === 2) checkValue(part.content, depth + 1);
    }
  }
}

const lastOf = (fields: readonly Field[], number: number, wire: number) =>
  fields.findLast((field) => field.number === number && field.wire === wire);
const allOf = (fields: readonly Field[], number: number, wire = 2) =>
  fields.filter((field) => field.number === number && field.wire === wire);
const isZero = (content: Buffer) => content.every((byte) => byte === 0);
const millis = (field: Field | undefined) =>
  field === undefined ? 0 : Number(field.content.readBigUInt64LE() / 1_000_000n);
const isWithin = (time: number, { earliest, latest }: Window) => time >= earliest && time <= latest;

function isSpanGood(span: Buffer, window: Window): boolean {
  const fields = check(span, {
    9: keyValue,
    11: attributesAt(3),
    13: attributesAt(4),
    15: {},
  });
  const id = (number: number, length: number) => {
    const content = lastOf(fields, number, 2)?.content;
    return content !== undefined && content.length === length && !isZero(content);
  };
  const parent = lastOf(fields, 4, 2)?.content.length ?? 0;
  const end = lastOf(fields, 8, 1);
  const links = allOf(fields, 13).every(({ content }) => {
    const link = fieldsOf(content);
    return lastOf(link, 1, 2)?.content.length === 16 && lastOf(link, 2, 2)?.content.length === 8;
  });
  return (
    id(1, 16) &&
    id(2, 8) &&
    (parent === 0 || parent === 8) &&
    links &&
    isWithin(millis(lastOf(fields, 7, 1)), window) &&
    (end === undefined || millis(end) <= window.latest)
  );
}

function isRecordGood(record: Buffer, window: Window): boolean {
  const fields = check(record, { 5: 'AnyValue', 6: keyValue });
  const given = [lastOf(fields, 1, 1), lastOf(fields, 11, 1)].find(
    (time) => time !== undefined && !isZero(time.content),
  );
  const isLength = (number: number, length: number) =>
    allOf(fields, number).every(({ content }) => content.length === 0 || content.length === length);
  return isLength(9, 16) && isLength(10, 8) && (given === undefined || isWithin(millis(given), window));
}

/** The fields of a metric and its points: time and nested messages. */
const kinds = new Map<number, { time: number; shape: Shape }>([
  [5, { time: 3, shape: { 7: keyValue, 5: attributesAt(7) } }],
  [7, { time: 3, shape: { 7: keyValue, 5: attributesAt(7) } }],
  [9, { time: 3, shape: { 9: keyValue, 8: attributesAt(7) } }],
  [10, { time: 3, shape: { 1: keyValue, 8: {}, 9: {}, 11: attributesAt(7) } }],
  [11, { time: 3, shape: { 7: keyValue, 6: {} } }],
]);
const maxBuckets = 20_000;

/** Whether each point of a metric is valid. */
function pointsOf(metric: Buffer, window: Window): boolean[] {
  const fields = fieldsOf(metric);
  const name = lastOf(fields, 1, 2)?.content.length ?? 0;
  return fields.flatMap(({ number, wire, content }) => {
    const kind = wire === 2 ? kinds.get(number) : undefined;
    if (kind === undefined) return [];
    return allOf(fieldsOf(content), 1).map((point) => {
      const parts = check(point.content, kind.shape);
      const isGood = number === 9 ? hasBuckets(parts) : number === 10 ? hasExponentialBuckets(parts) : true;
      return name > 0 && name <= 1024 && isGood && isWithin(millis(lastOf(parts, kind.time, 1)), window);
    });
  });
}

function hasBuckets(fields: readonly Field[]): boolean {
  const count = (number: number) =>
    allOf(fields, number, 1).length +
    allOf(fields, number).reduce((sum, { content }) => {
      if (content.length % 8 !== 0) throw new Broken('a packed field ends within an element');
      return sum + content.length / 8;
    }, 0);
  const [counts, bounds] = [count(6), count(7)];
  if (counts > maxBuckets || bounds > maxBuckets) return false;
  const limits = [...fields]
    .filter(({ number, wire }) => number === 7 && (wire === 1 || wire === 2))
    .flatMap(({ content }) =>
      Array.from({ length: content.length / 8 }, (_, i) => Buffer.from(content).readDoubleLE(8 * i)),
    );
  if (limits.some((bound, i) => Number.isNaN(bound) || (i > 0 && !(bound > (limits[i - 1] ?? 0))))) return false;
  return counts === 0 ? bounds === 0 : counts === bounds + 1;
}

function hasExponentialBuckets(fields: readonly Field[]): boolean {
  const encoded = lastOf(fields, 6, 0)?.value ?? 0n;
  const scale = (encoded >> 1n) ^ -(encoded & 1n);
  const widths = [...allOf(fields, 8), ...allOf(fields, 9)].map(({ content }) => {
    const parts = fieldsOf(content);
    const packed = allOf(parts, 2).reduce((sum, list) => sum + varintsIn(list.content), 0);
    return packed + allOf(parts, 2, 0).length;
  });
  return widths.every((width) => width <= maxBuckets) && scale >= -10n && scale <= 20n;
}

function varintsIn(content: Buffer): number {
  let count = 0;
  let length = 0;
  for (const byte of content) {
    length++;
    if (length > 10) throw new Broken('a number of more than ten bytes');
    if (byte >= 128) continue;
    count++;
    length = 0;
  }
  if (length > 0) throw new Broken('ends within a number');
  return count;
}

const maxContextBytes = 64 * 1024;

/** Computes the expected response to an export request of traces, logs or metrics. */
export function judge(signal: 'traces' | 'logs' | 'metrics', body: Buffer, window: Window): Verdict {
  try {
    let items = 0;
    let refused = 0;
    for (const resourceItems of allOf(fieldsOf(body), 1)) {
      const inResource = check(resourceItems.content, { 1: { 1: keyValue } });
      const resourceBytes = allOf(inResource, 1).reduce((sum, { content }) => sum + content.length, 0);
      for (const scopeItems of allOf(inResource, 2)) {
        const inScope = check(scopeItems.content, { 1: { 3: keyValue } });
        const scopeBytes = allOf(inScope, 1).reduce((sum, { content }) => sum + content.length, 0);
        for (const { content } of allOf(inScope, 2)) {
          const isTooMuch = resourceBytes + scopeBytes > maxContextBytes;
          const good =
            signal === 'traces'
              ? [isSpanGood(content, window)]
              : signal === 'logs'
                ? [isRecordGood(content, window)]
                : pointsOf(content, window);
          items += good.length;
          refused += good.filter((isGood) => !isGood || isTooMuch).length;
        }
      }
    }
    return { broken: false, items, refused };
  } catch (error) {
    if (error instanceof Broken) return { broken: true };
    throw error;
  }
}
