import type { SegmentDraft } from '@fanion/flag-engine';

export interface ListEdits {
  readonly included?: readonly string[] | undefined;
  readonly excluded?: readonly string[] | undefined;
}

export interface SegmentPatch extends ListEdits {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly rules?: SegmentDraft['rules'] | undefined;
  /** Keys one by one: beside lists of a million, all of them need not travel. */
  readonly add?: ListEdits | undefined;
  readonly remove?: ListEdits | undefined;
}

/** A list after a patch: replaced, then without what is removed, then with what is added; each key once, in order. */
export function editedList(list: 'included' | 'excluded', before: readonly string[], patch: SegmentPatch): string[] {
  const keys = new Set(patch[list] ?? before);
  for (const key of patch.remove?.[list] ?? []) keys.delete(key);
  for (const key of patch.add?.[list] ?? []) keys.add(key);
  return [...keys];
}

/** The segment and every one that names it, directly or through others. */
export function withDependents(key: string, names: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set([key]);
  // A set's loop also visits what is added while it runs.
  for (const needed of found) for (const [dependent, named] of names) if (named.includes(needed)) found.add(dependent);
  return [...found];
}
