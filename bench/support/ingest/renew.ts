import type { Signal } from '@fanion/telemetry';
import { WireReader } from '@fanion/telemetry';

/** The positions in a request's body that change each time it is sent. */
export interface Renewable {
  ids: number[];
  /** Nanoseconds, fixed64. */
  times: number[];
  /** Ends of spans: nanoseconds, fixed64, whose distance from the beginning changes. */
  ends: number[];
  /** Of number points, doubles. */
  values: number[];
  /** Digits in the values of attributes and in bodies: numbers, addresses, customers. */
  digits: number[];
}

const ids: Partial<Record<Signal, readonly number[]>> = { traces: [10, 18, 34], logs: [74, 82] };
const times: Partial<Record<Signal, readonly number[]>> = { traces: [57, 65], logs: [9], metrics: [25] };
/** Attributes of spans; body and attributes of log records. */
const texts: Partial<Record<Signal, readonly number[]>> = { traces: [74], logs: [42, 50] };
const SPAN_END = 65;
const LOG_BODY = 42;
/** Attributes whose values are the same in many items stay as they are. */
const CONSTANT = /http|server|user_agent|code\./;

/** Walks resource → scope → item; points lie two messages deeper than spans and log records. */
export function renewableOf(signal: Signal, body: Buffer): Renewable {
  const found: Renewable = { ids: [], times: [], ends: [], values: [], digits: [] };
  const reader = new WireReader(body);
  const path = signal === 'metrics' ? [10, 18, 18, 58, 10] : [10, 18, 18];
  const walk = (end: number, depth: number): void => {
    while (reader.position < end) {
      const tag = reader.tag();
      const at = reader.position;
      if (tag === path[depth]) walk(reader.enter(end), depth + 1);
      else {
        reader.skip(tag, end);
        if (depth < path.length) continue;
        if (ids[signal]?.includes(tag)) found.ids.push(at + 1);
        else if (times[signal]?.includes(tag)) found.times.push(at);
        else if (signal === 'metrics' && tag === 33) found.values.push(at);
        else if (texts[signal]?.includes(tag)) addDigits(body, at + 1, reader.position, tag !== LOG_BODY, found.digits);
        if (signal === 'traces' && tag === SPAN_END) found.ends.push(at);
      }
    }
  };
  walk(body.length, 0);
  return found;
}

/** Finds the text of an `AnyValue` (field 1) or of the value (field 2) of a `KeyValue`, and the digits in it. */
function addDigits(body: Buffer, start: number, end: number, isPair: boolean, digits: number[]): void {
  const reader = new WireReader(body);
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    const at = reader.position;
    reader.skip(tag, end);
    if (isPair && tag === 18) addDigits(body, at + 1, reader.position, false, digits);
    if (tag !== 10) continue;
    const isConstant = CONSTANT.test(body.toString('latin1', at + 1, reader.position));
    if (isPair && isConstant) return;
    if (isPair) continue;
    for (let i = at + 1; i < reader.position; i++) if (isDigit(body[i])) digits.push(i);
  }
}

function isDigit(byte = 0): boolean {
  return byte >= 48 && byte <= 57;
}

/**
 * Other ids (the same change for all, so that parents stay parents), later times, other durations and numbers, higher
 * counters: a store would compress repeated rows to almost nothing.
 */
export function renew(body: Buffer, places: Renewable, round: number, laterMs: number, higher: number): void {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const change = Math.imul(round ^ (round - 1), 0x9e3779b1);
  for (const at of places.ids) {
    view.setInt32(at, view.getInt32(at) ^ change);
    view.setInt32(at + 4, view.getInt32(at + 4) ^ Math.imul(change, 0x85ebca6b));
  }
  if (laterMs !== 0) {
    const later = BigInt(laterMs) * 1_000_000n;
    for (const at of places.times) view.setBigUint64(at, view.getBigUint64(at, true) + later, true);
  }
  let state = change;
  // Up to a fifth of a millisecond, so that no span ends before it begins.
  for (const at of places.ends) {
    state = Math.imul(state, 0x0019660d) + 0x3c6ef35f;
    view.setUint16(at, view.getUint16(at, true) ^ (state >>> 16), true);
    view.setUint8(at + 2, view.getUint8(at + 2) ^ ((state >>> 13) & 3));
  }
  for (const at of places.digits) {
    state = Math.imul(state, 0x0019660d) + 0x3c6ef35f;
    body[at] = 48 + (((body[at] as number) - 48 + (state >>> 24)) % 10);
  }
  for (const at of places.values) view.setFloat64(at, view.getFloat64(at, true) + higher, true);
}
