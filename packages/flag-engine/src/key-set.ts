/**
 * The keys of a segment's list, for lists of a million: a small change shares the base set with the previous state,
 * since building that again takes a third of a second.
 */
export interface KeySet {
  has(key: string): boolean;
  readonly size: number;
}

/** Share of changed keys; beyond it a new set is cheaper than two look-ups. */
const maxChanged = 0.02;
/** Below this size, a new set is always built. */
const smallUpTo = 10_000;
/** Growing a larger set copies it, which takes more than a few milliseconds. */
const keysOfSet = 50_000;
/** Keys that are handled in one step: less than a millisecond. */
const keysAtOnce = 2_000;

/** Long work in short steps. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** A set of keys that grows in short steps: it consists of several, among which a key's characters choose. */
export class ManyKeys implements Iterable<string> {
  readonly sets: readonly Set<string>[];

  /** @param most keys that will be added */
  constructor(most: number) {
    this.sets = Array.from({ length: Math.ceil(most / keysOfSet) || 1 }, () => new Set<string>());
  }

  has(key: string): boolean {
    return this.#setOf(key)?.has(key) ?? false;
  }

  add(key: string): void {
    this.#setOf(key)?.add(key);
  }

  delete(key: string): void {
    this.#setOf(key)?.delete(key);
  }

  get size(): number {
    return this.sets.reduce((size, set) => size + set.size, 0);
  }

  /** In the order in which they were added, unless there are many. */
  *[Symbol.iterator](): Generator<string> {
    for (const set of this.sets) yield* set;
  }

  #setOf(key: string): Set<string> | undefined {
    return this.sets.length === 1 ? this.sets[0] : this.sets[sample(key) % this.sets.length];
  }
}

/** Differs between most keys: from their length and seven of their characters. */
function sample(key: string): number {
  const { length } = key;
  let hash = length;
  for (const at of [0, length >> 2, length >> 1, (length * 3) >> 2, length - 3, length - 2, length - 1])
    hash = (Math.imul(hash, 31) + (key.charCodeAt(at) | 0)) >>> 0;
  return hash;
}

class LayeredKeys implements KeySet {
  readonly size: number;
  readonly base: ManyKeys;
  readonly list: readonly string[];
  /** Differences from `base`: true is added, false is removed. */
  readonly changes: ReadonlyMap<string, boolean>;

  constructor(base: ManyKeys, list: readonly string[], changes: ReadonlyMap<string, boolean>) {
    this.base = base;
    this.list = list;
    this.changes = changes;
    let size = base.size;
    for (const [key, isIn] of changes) size += Number(isIn) - Number(base.has(key));
    this.size = size;
  }

  has(key: string): boolean {
    return (this.changes.size === 0 ? undefined : this.changes.get(key)) ?? this.base.has(key);
  }
}

const prepared = new WeakMap<readonly string[], KeySet>();

/** The keys of `list`; shares unchanged keys with `before`, an earlier state of the same list. */
export function keySet(list: readonly string[], before?: KeySet): KeySet {
  const known = prepared.get(list);
  if (known !== undefined) return known;
  const steps = build(list, before);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Builds in steps what `keySet` then returns at once for the same list. */
export function* prepareKeySet(list: readonly string[], before?: KeySet): Steps<void> {
  if (list.length >= smallUpTo) prepared.set(list, yield* build(list, before));
}

function* build(list: readonly string[], before?: KeySet): Steps<KeySet> {
  if (list.length < smallUpTo || !(before instanceof LayeredKeys)) return yield* whole(list);
  // A repeated key may be removed at one place and stay at the other, so such lists are not compared.
  if (before.size !== before.list.length) return yield* whole(list);
  const changes = yield* changed(before, list);
  if (changes === undefined) return yield* whole(list);
  const layered = new LayeredKeys(before.base, list, changes);
  return layered.size === list.length ? layered : yield* whole(list);
}

function* whole(list: readonly string[]): Steps<KeySet> {
  const keys = new ManyKeys(list.length);
  for (let i = 0; i < list.length; i++) {
    keys.add(list[i] ?? '');
    if (i % keysAtOnce === keysAtOnce - 1) yield;
  }
  return new LayeredKeys(keys, list, new Map());
}

/**
 * The differences of the new list from the base; undefined if there are many. Lists keep their order, so changes lie
 * between the common start and end. Reused strings are identical objects, so comparing them is fast.
 */
function* changed(before: LayeredKeys, list: readonly string[]): Steps<Map<string, boolean> | undefined> {
  const { base, list: old } = before;
  const most = Math.max(smallUpTo, base.size * maxChanged);
  const changes = new Map(before.changes);
  const shorter = Math.min(old.length, list.length);
  let head = 0;
  while (head < shorter && old[head] === list[head]) if (++head % keysAtOnce === 0) yield;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === list[list.length - 1 - tail])
    if (++tail % keysAtOnce === 0) yield;
  const gone = old.slice(head, old.length - tail);
  const come = list.slice(head, list.length - tail);
  // A rewritten chunk changes the order only within itself.
  if (gone.length + come.length > most * 4) return undefined;
  const stays = new Set(come);
  yield;
  for (const key of gone) if (!stays.has(key)) changes.set(key, false);
  yield;
  const was = new Set(gone);
  yield;
  for (const key of come) if (!was.has(key)) changes.set(key, true);
  yield;
  // Drops changes that restore the base.
  for (const [key, isIn] of changes) if (isIn === base.has(key)) changes.delete(key);
  return changes.size > most ? undefined : changes;
}
