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

class LayeredKeys implements KeySet {
  readonly size: number;
  readonly base: ReadonlySet<string>;
  readonly list: readonly string[];
  /** Differences from `base`: true is added, false is removed. */
  readonly changes: ReadonlyMap<string, boolean>;

  constructor(base: ReadonlySet<string>, list: readonly string[], changes: ReadonlyMap<string, boolean>) {
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

/** The keys of `list`; shares unchanged keys with `before`, an earlier state of the same list. */
export function keySet(list: readonly string[], before?: KeySet): KeySet {
  if (list.length < smallUpTo || !(before instanceof LayeredKeys)) return whole(list);
  // A repeated key may be removed at one place and stay at the other, so such lists are not compared.
  if (before.size !== before.list.length) return whole(list);
  const changes = changed(before, list);
  if (changes === undefined) return whole(list);
  const layered = new LayeredKeys(before.base, list, changes);
  return layered.size === list.length ? layered : whole(list);
}

function whole(list: readonly string[]): KeySet {
  return new LayeredKeys(new Set(list), list, new Map());
}

/**
 * The differences of the new list from the base; undefined if there are many. Lists keep their order, so changes lie
 * between the common start and end. Reused strings are identical objects, so comparing them is fast.
 */
function changed(before: LayeredKeys, list: readonly string[]): Map<string, boolean> | undefined {
  const { base, list: old } = before;
  const most = Math.max(smallUpTo, base.size * maxChanged);
  const changes = new Map(before.changes);
  const shorter = Math.min(old.length, list.length);
  let head = 0;
  while (head < shorter && old[head] === list[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === list[list.length - 1 - tail]) tail++;
  const gone = old.slice(head, old.length - tail);
  const come = list.slice(head, list.length - tail);
  // A rewritten chunk changes the order only within itself.
  if (gone.length + come.length > most * 4) return undefined;
  const stays = new Set(come);
  for (const key of gone) if (!stays.has(key)) changes.set(key, false);
  const was = new Set(gone);
  for (const key of come) if (!was.has(key)) changes.set(key, true);
  // Drops changes that restore the base.
  for (const [key, isIn] of changes) if (isIn === base.has(key)) changes.delete(key);
  return changes.size > most ? undefined : changes;
}
