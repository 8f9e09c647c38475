import type { CountedValue, FieldRow, FieldView } from './rules.ts';

/**
 * The attributes whose values are stored as text, with the types that they were sent with beside them. The roll-up
 * counts all of them as texts.
 */
export function isStoredAsText({ source, scope }: Pick<FieldRow, 'source' | 'scope'>): boolean {
  return scope === 'resource' || (scope === 'attribute' && (source === 'metrics' || source === 'profiles'));
}

/** The rows in which types are looked for: those of a few buckets of the roll-up, given by their beginnings in seconds. */
export interface Look {
  readonly source: FieldRow['source'];
  readonly scope: 'attribute' | 'resource';
  readonly buckets: readonly number[];
}

/** Types are read from the rows themselves, and a busy quarter of an hour has millions of them. */
const maxBuckets = 4;

/** For each source and scope, the buckets in which its fields were last seen, at most the newest four. */
export function looksFor(fields: readonly Pick<FieldView, 'source' | 'scope' | 'latest'>[]): Look[] {
  const looks = new Map<string, { source: FieldRow['source']; scope: Look['scope']; buckets: Set<number> }>();
  for (const field of fields) {
    const { source, scope, latest } = field;
    if (scope === 'field' || !isStoredAsText(field)) continue;
    const key = `${source} ${scope}`;
    const look = looks.get(key) ?? { source, scope, buckets: new Set() };
    look.buckets.add(latest);
    looks.set(key, look);
  }
  return [...looks.values()].map((look) => ({
    ...look,
    buckets: [...look.buckets].sort((a, b) => b - a).slice(0, maxBuckets),
  }));
}

const wholeNumber = /^-?\d+$/;
const number = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const notFinite = /^(NaN|-?Infinity)$/;

/**
 * The types of a field, the most frequent first: which it can have, the letters tell, which of them a value has, its
 * text. `n` stands for whole numbers and fractions, so one fraction makes all of its numbers floats. A value that fits
 * no letter was sent as text. A text that reads like a value of another type counts as one of that type.
 * @param letters see `packages/telemetry/src/transcode/attributes.ts`
 * @param values the most frequent ones
 */
export function sentTypes(letters: ReadonlySet<string>, values: readonly CountedValue[]): string[] {
  const isNumber = (value: string) =>
    ((letters.has('n') || letters.has('f')) && number.test(value)) || (letters.has('f') && notFinite.test(value));
  const numbers = values.filter(({ value }) => isNumber(value));
  const isWhole = !letters.has('f') && numbers.length > 0 && numbers.every(({ value }) => wholeNumber.test(value));
  const numberType = isWhole ? 'int' : 'float';
  const typeOf = (value: string) => {
    if (letters.has('b') && (value === 'true' || value === 'false')) return 'bool';
    if (letters.has('j') && (value.startsWith('[') || value.startsWith('{'))) return 'json';
    return isNumber(value) ? numberType : 'string';
  };
  const counts = new Map<string, number>();
  // Empty text means that the field is missing.
  for (const { value, count } of values) {
    if (value !== '') counts.set(typeOf(value), (counts.get(typeOf(value)) ?? 0) + count);
  }
  const byLetter: Readonly<Record<string, string>> = { n: numberType, f: numberType, b: 'bool', j: 'json' };
  // A type that a letter names belongs to the answer even if its values are rare.
  for (const letter of letters) {
    const type = byLetter[letter];
    if (type !== undefined && !counts.has(type)) counts.set(type, 0);
  }
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([type]) => type);
}
