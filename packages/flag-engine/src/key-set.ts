/**
 * The keys of a segment's list, made for lists of a million: a change of some shares the set of all with the state
 * before it, since building that again takes a third of a second.
 */
export interface KeySet {
  has(key: string): boolean;
  readonly size: number;
}

/** A share of the base; beyond it a set of its own is cheaper than asking twice. */
const maxChanged = 0.02;
/** Below it, building the set anew takes no time worth saving. */
const smallUpTo = 10_000;

class LayeredKeys implements KeySet {
  readonly size: number;
  readonly base: ReadonlySet<string>;
  readonly list: readonly string[];
  /** Against `base`: true is in, false is out. */
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

/** The keys of `list`; with `before`, an earlier state of the same list, what did not change is shared. */
export function keySet(list: readonly string[], before?: KeySet): KeySet {
  if (list.length < smallUpTo || !(before instanceof LayeredKeys)) return whole(list);
  // A key that stands twice may go from one place and stay in the other: such lists are not compared.
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
 * What the new list says of keys otherwise than the base; undefined where that is much. Lists keep their order, so what
 * was changed lies between what they begin and end with alike; what was taken over is the same strings, whose
 * comparison does not look into them.
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
  // A chunk that is written anew is in another order at most within itself.
  if (gone.length + come.length > most * 4) return undefined;
  const stays = new Set(come);
  for (const key of gone) if (!stays.has(key)) changes.set(key, false);
  const was = new Set(gone);
  for (const key of come) if (!was.has(key)) changes.set(key, true);
  // What is as the base has it again.
  for (const [key, isIn] of changes) if (isIn === base.has(key)) changes.delete(key);
  return changes.size > most ? undefined : changes;
}
