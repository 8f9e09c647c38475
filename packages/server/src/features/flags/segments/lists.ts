import { crc32 } from 'node:zlib';
import type { Difference } from '@fanion/contract';

export type ListName = 'included' | 'excluded';
export const listNames = ['included', 'excluded'] as const;

export interface ListEdits {
  readonly included?: readonly string[] | undefined;
  readonly excluded?: readonly string[] | undefined;
}
export interface ListPatch extends ListEdits {
  /** Single keys, so that an edit need not send a list of a million. */
  readonly add?: ListEdits | undefined;
  readonly remove?: ListEdits | undefined;
}

export interface KeyChunk {
  readonly list: ListName;
  readonly chunk: number;
  readonly keys: readonly string[];
}

/** Up to this many keys are in one chunk, in their given order; more are spread by hash. */
const wholeUpTo = 2_000;
const manyChunks = 64;
const maxShown = 100;

export function chunksFor(keys: number): number {
  return keys <= wholeUpTo ? 1 : manyChunks;
}

export function chunkOf(key: string, chunks: number): number {
  return chunks === 1 ? 0 : crc32(key) % chunks;
}

/** The chunks that a patch touches which does not replace the whole list. */
export function touchedChunks(patch: ListPatch, list: ListName, chunks: number): number[] {
  const edited = [...(patch.add?.[list] ?? []), ...(patch.remove?.[list] ?? [])];
  return [...new Set(edited.map((key) => chunkOf(key, chunks)))];
}

export interface EditedKeys {
  readonly keys: ReadonlySet<string>;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Keys after a patch: replaced, then removed, then added; without duplicates, in order. */
export function editKeys(list: ListName, before: readonly string[], patch: ListPatch): EditedKeys {
  const was = new Set(before);
  const keys = new Set(patch[list] ?? before);
  for (const key of patch.remove?.[list] ?? []) keys.delete(key);
  for (const key of patch.add?.[list] ?? []) keys.add(key);
  return {
    keys,
    added: [...keys].filter((key) => !was.has(key)),
    removed: before.filter((key) => !keys.has(key)),
  };
}

export function spread(list: ListName, keys: Iterable<string>, chunks: number): KeyChunk[] {
  const byChunk = new Map<number, string[]>();
  for (const key of keys) {
    const chunk = chunkOf(key, chunks);
    const found = byChunk.get(chunk);
    if (found === undefined) byChunk.set(chunk, [key]);
    else found.push(key);
  }
  return [...byChunk].map(([chunk, keys]) => ({ list, chunk, keys }));
}

/** Added and removed members, at most a hundred of each; nothing if there are none. */
export function memberDifference(
  list: ListName,
  { added, removed }: Pick<EditedKeys, 'added' | 'removed'>,
): Difference[] {
  if (added.length === 0 && removed.length === 0) return [];
  return [
    {
      path: list,
      kind: 'members',
      before: removed.slice(0, maxShown),
      after: added.slice(0, maxShown),
      removed_count: removed.length,
      added_count: added.length,
    },
  ];
}
