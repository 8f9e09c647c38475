import type { Segment } from '@fanion/flag-engine';
import type { Executor } from '../../../platform/postgres/database.ts';
import * as store from './ruleset-store.ts';

/** The chunks of a loaded segment: an edit of one key reloads one of them. */
interface SegmentParts {
  readonly id: string;
  readonly chunks: ReadonlyMap<string, { readonly version: number; readonly keys: readonly string[] }>;
}

const partsOf = new WeakMap<Segment, SegmentParts>();

/** The current state of a segment. Reuses the chunks of `before`, an earlier state, that were not written since. */
export async function loadSegment(db: Executor, id: string, before: Segment | undefined): Promise<Segment | undefined> {
  const row = await store.findServedSegment(db, id);
  if (row === undefined) return undefined;
  const known = before === undefined ? undefined : partsOf.get(before);
  const chunks = new Map<string, { version: number; keys: readonly string[] }>();
  const lists: Record<'included' | 'excluded', string[]> = { included: [], excluded: [] };
  for (const stamp of await store.listChunkStamps(db, id)) {
    const name = `${stamp.list} ${stamp.chunk}`;
    const old = known?.id === id ? known.chunks.get(name) : undefined;
    const keys = old?.version === stamp.version ? old.keys : await store.findChunkKeys(db, id, stamp);
    chunks.set(name, { version: stamp.version, keys });
    for (const key of keys) lists[stamp.list].push(key);
  }
  const segment: Segment = { key: row.key, version: row.version, ...lists, rules: row.rules as Segment['rules'] };
  partsOf.set(segment, { id, chunks });
  return segment;
}
