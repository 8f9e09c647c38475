import { crc32 } from 'node:zlib';
import type { Difference } from '@fanion/contract';

export type ListName = 'included' | 'excluded';
export const listNames = ['included', 'excluded'] as const;

export interface ListEdits {
  readonly included?: readonly string[] | undefined;
  readonly excluded?: readonly string[] | undefined;
}
export interface ListPatch extends ListEdits {
  /** Keys one by one: beside lists of a million, all of them need not travel. */
  readonly add?: ListEdits | undefined;
  readonly remove?: ListEdits | undefined;
}

export interface KeyChunk {
  readonly list: ListName;
  readonly chunk: number;
  readonly keys: readonly string[];
}

/** Up to so many keys stand in one chunk, in the order in which they came; more are spread by hash. */
const wholeUpTo = 2_000;
const manyChunks = 64;
const maxShown = 100;

export function chunksFor(keys: number): number {
  return keys <= wholeUpTo ? 1 : manyChunks;
}

export function chunkOf(key: string, chunks: number): number {
  return chunks === 1 ? 0 : crc32(key) % chunks;
}

/** Which chunks of a list a patch touches that replaces nothing whole. */
export function touchedChunks(patch: ListPatch, list: ListName, chunks: number): number[] {
  const edited = [...(patch.add?.[list] ?? []), ...(patch.remove?.[list] ?? [])];
  return [...new Set(edited.map((key) => chunkOf(key, chunks)))];
}

export interface EditedKeys {
  readonly keys: ReadonlySet<string>;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Keys after a patch: replaced, then without what is removed, then with what is added; each once, in order. */
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

/** Who came and who went, at most a hundred of each; nothing where nobody did. */
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
