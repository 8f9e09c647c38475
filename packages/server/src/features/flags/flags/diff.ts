import type { Difference } from '@fanion/contract';

const maxDifferences = 500;
const maxMembers = 100;
/** A deeper difference is shown at this depth, truncated. Values from before there was a limit can be deeper. */
const maxDepth = 64;

type Path = readonly string[];

/**
 * What changed from one state to another, for people. Items of a list are matched by their identity, so that a moved
 * rule is reported as moved and not as all rules rewritten. For lists of plain values only added and removed members
 * are reported.
 */
export function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  compare(found, [], before, after);
  return found.slice(0, maxDifferences);
}

function compare(found: Difference[], path: Path, before: unknown, after: unknown): void {
  if (before === after) return;
  const isDeep = path.length >= maxDepth;
  if (!isDeep && Array.isArray(before) && Array.isArray(after)) compareLists(found, path, before, after);
  else if (!isDeep && isObject(before) && isObject(after)) compareObjects(found, path, before, after);
  else if (before === undefined) add(found, path, { kind: 'added', after: shorten(after) });
  else if (after === undefined) add(found, path, { kind: 'removed', before: shorten(before) });
  else if (canonical(before) !== canonical(after))
    add(found, path, { kind: 'changed', before: shorten(before), after: shorten(after) });
}

/**
 * A text that is equal for equal values. It does not depend on the order of fields, which `jsonb` does not keep. Not
 * recursive, so that it accepts a value of any depth.
 */
export function canonical(value: unknown): string {
  let text = '';
  const rest: ({ readonly value: unknown } | { readonly text: string })[] = [{ value }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if ('text' in next) text += next.text;
    else if (Array.isArray(next.value)) {
      text += '[';
      rest.push({ text: ']' });
      for (const inner of next.value.toReversed()) rest.push({ text: ',' }, { value: inner ?? null });
    } else if (isObject(next.value)) {
      text += '{';
      rest.push({ text: '}' });
      const fields = Object.entries(next.value).filter(([, inner]) => inner !== undefined);
      for (const [name, inner] of fields.sort(([a], [b]) => (a < b ? 1 : -1)))
        rest.push({ text: ',' }, { value: inner }, { text: `${JSON.stringify(name)}:` });
    } else text += JSON.stringify(next.value);
  }
  return text;
}

function compareObjects(
  found: Difference[],
  path: Path,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const was = Object.hasOwn(before, name) ? before[name] : undefined;
    const is = Object.hasOwn(after, name) ? after[name] : undefined;
    compare(found, [...path, name], was, is);
  }
}

function compareLists(found: Difference[], path: Path, before: readonly unknown[], after: readonly unknown[]): void {
  if (before.every(isScalar) && after.every(isScalar)) {
    compareMembers(found, path, before, after);
    return;
  }
  const was = byIdentity(before);
  const is = byIdentity(after);
  if (was === undefined || is === undefined) {
    if (canonical(before) !== canonical(after))
      add(found, path, { kind: 'changed', before: shorten(before), after: shorten(after) });
    return;
  }
  for (const name of new Set([...was.keys(), ...is.keys()]))
    compare(found, [...path, name], was.get(name), is.get(name));
  const stayed = [...was.keys()].filter((name) => is.has(name));
  const order = [...is.keys()].filter((name) => was.has(name));
  if (stayed.some((name, i) => name !== order[i])) add(found, path, { kind: 'moved', before: stayed, after: order });
}

function compareMembers(found: Difference[], path: Path, before: readonly unknown[], after: readonly unknown[]): void {
  const was = new Set(before);
  const is = new Set(after);
  const removed = [...was].filter((value) => !is.has(value));
  const added = [...is].filter((value) => !was.has(value));
  if (removed.length === 0 && added.length === 0) return;
  add(found, path, {
    kind: 'members',
    before: removed.slice(0, maxMembers),
    after: added.slice(0, maxMembers),
    removed_count: removed.length,
    added_count: added.length,
  });
}

/** Undefined if an item has no identity, or two have the same. */
function byIdentity(items: readonly unknown[]): Map<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const item of items) {
    const name = identityOf(item);
    if (name === undefined || named.has(name)) return undefined;
    named.set(name, item);
  }
  return named;
}

function identityOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const name = item.id ?? item.key ?? item.flag ?? item.variant;
  if (typeof name !== 'string') return undefined;
  return typeof item.attribute === 'string' ? `${name} by ${item.attribute}` : name;
}

function add(found: Difference[], path: Path, difference: Omit<Difference, 'path'>): void {
  found.push({ path: path.join('.'), ...difference });
}

/** Long lists of plain values are truncated, since people read differences. */
function shorten(value: unknown, depth = maxDepth): unknown {
  if (isScalar(value)) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) {
    const items = value.every(isScalar) ? value.slice(0, maxMembers) : value;
    return items.map((inner) => shorten(inner, depth - 1));
  }
  return Object.fromEntries(Object.entries(value as object).map(([name, inner]) => [name, shorten(inner, depth - 1)]));
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
