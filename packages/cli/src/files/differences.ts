/** How many added or removed values of a long list are named. */
const MAX_NAMED = 5;

/**
 * The differences between two JSON values as lines for people: `rules.0.variant: "a" → "b"`. Lists of plain values are
 * compared as sets. Empty when they are equal; the order of an object's fields does not matter.
 */
export function differences(before: unknown, after: unknown, path = ''): string[] {
  if (same(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.every(isScalar) && after.every(isScalar)) return memberLines(before, after, path);
    return Array.from({ length: Math.max(before.length, after.length) }, (_, i) =>
      differences(before[i], after[i], join(path, i)),
    ).flat();
  }
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(before[key], after[key], join(path, key)));
  }
  return [`${path === '' ? 'all' : path}: ${text(before)} → ${text(after)}`];
}

/** Whether two JSON values are equal; a field that is undefined counts as absent. */
export function same(a: unknown, b: unknown): boolean {
  return stable(a) === stable(b);
}

/** JSON text that is the same for equal values. */
export function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_, field: unknown) =>
      isObject(field) ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1))) : field,
    ) ?? 'undefined'
  );
}

function memberLines(before: readonly unknown[], after: readonly unknown[], path: string): string[] {
  const gone = without(before, after);
  const come = without(after, before);
  if (gone.length + come.length === 0) return [`${path}: order changed`];
  return [...named('−', gone), ...named('+', come)].map((line) => `${path}: ${line}`);
}

function named(sign: string, values: readonly unknown[]): string[] {
  if (values.length === 0) return [];
  const more = values.length > MAX_NAMED ? ` and ${values.length - MAX_NAMED} more` : '';
  return [`${sign} ${values.slice(0, MAX_NAMED).map(text).join(', ')}${more}`];
}

/** The values that are not in `others`. */
export function without<T>(values: readonly T[], others: readonly T[]): T[] {
  const set = new Set(others);
  return values.filter((value) => !set.has(value));
}

function text(value: unknown): string {
  if (value === undefined) return '(none)';
  const json = JSON.stringify(value);
  return json.length > 120 ? `${json.slice(0, 119)}…` : json;
}

const join = (path: string, key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
const isScalar = (value: unknown) => typeof value !== 'object' || value === null;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
