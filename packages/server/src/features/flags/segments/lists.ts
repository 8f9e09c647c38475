import { crc32 } from 'node:zlib';
import type { Difference } from '@fanion/contract';
import { ManyKeys } from '@fanion/flag-engine';
import type { Steps } from '../../../platform/steps.ts';

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
  readonly keys: ManyKeys;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Keys that are handled in one step: less than a millisecond. */
const keysAtOnce = 2_000;

/** Keys after a patch: replaced, then removed, then added; without duplicates, in order. */
export function* editKeys(list: ListName, before: readonly string[], patch: ListPatch): Steps<EditedKeys> {
  const was = new ManyKeys(before.length);
  yield* each(before, (key) => was.add(key));
  const given = patch[list] ?? before;
  const keys = new ManyKeys(given.length + (patch.add?.[list]?.length ?? 0));
  yield* each(given, (key) => keys.add(key));
  yield* each(patch.remove?.[list] ?? [], (key) => keys.delete(key));
  yield* each(patch.add?.[list] ?? [], (key) => keys.add(key));
  const [added, removed]: [string[], string[]] = [[], []];
  yield* each(keys, (key) => !was.has(key) && added.push(key));
  yield* each(before, (key) => !keys.has(key) && removed.push(key));
  return { keys, added, removed };
}

export function* spread(list: ListName, keys: Iterable<string>, chunks: number): Steps<KeyChunk[]> {
  const byChunk = new Map<number, string[]>();
  yield* each(keys, (key) => {
    const chunk = chunkOf(key, chunks);
    const found = byChunk.get(chunk);
    if (found === undefined) byChunk.set(chunk, [key]);
    else found.push(key);
  });
  return [...byChunk].map(([chunk, keys]) => ({ list, chunk, keys }));
}

function* each(keys: Iterable<string>, use: (key: string) => unknown): Steps<void> {
  let seen = 0;
  for (const key of keys) {
    use(key);
    if (++seen % keysAtOnce === 0) yield;
  }
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
