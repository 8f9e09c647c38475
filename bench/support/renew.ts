import { WireReader } from '../../packages/server/src/features/ingest/wire/reader.ts';
import type { Signal } from '../../packages/server/src/platform/wal/index.ts';

/** What of a request is written anew each time it is sent, as positions in its body. */
export interface Renewable {
  ids: number[];
  /** Nanoseconds, fixed64. */
  times: number[];
  /** Of number points, doubles. */
  values: number[];
}

const ids: Record<Signal, readonly number[]> = { traces: [10, 18, 34], logs: [74, 82], metrics: [], profiles: [] };
const times: Record<Signal, readonly number[]> = { traces: [57, 65], logs: [9], metrics: [25], profiles: [] };

/** Walks resource → scope → item; points lie two messages deeper than spans and log records. */
export function renewableOf(signal: Signal, body: Buffer): Renewable {
  const found: Renewable = { ids: [], times: [], values: [] };
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
        if (ids[signal].includes(tag)) found.ids.push(at + 1);
        else if (times[signal].includes(tag)) found.times.push(at);
        else if (signal === 'metrics' && tag === 33) found.values.push(at);
      }
    }
  };
  walk(body.length, 0);
  return found;
}

/**
 * Other ids (the same change for all, so that parents stay parents), later times, higher counters: a store that gets
 * the same rows again compresses them to nothing.
 */
export function renew(body: Buffer, places: Renewable, round: number, laterMs: number, higher: number): void {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const change = Math.imul(round ^ (round - 1), 0x9e3779b1);
  for (const at of places.ids) view.setInt32(at, view.getInt32(at) ^ change);
  if (laterMs !== 0) {
    const later = BigInt(laterMs) * 1_000_000n;
    for (const at of places.times) view.setBigUint64(at, view.getBigUint64(at, true) + later, true);
  }
  for (const at of places.values) view.setFloat64(at, view.getFloat64(at, true) + higher, true);
}
