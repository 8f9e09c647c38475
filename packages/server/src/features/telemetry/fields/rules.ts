/** A row of the roll-up: a field with one type. */
export interface FieldRow {
  readonly source: 'spans' | 'logs' | 'metrics' | 'profiles';
  readonly scope: 'field' | 'attribute' | 'resource';
  readonly name: string;
  readonly type: string;
  readonly rows: number;
  readonly cardinality: number;
  /** When the newest bucket of the roll-up with it begins, in seconds. */
  readonly latest: number;
}

export interface FieldView extends FieldRow {
  /** Most frequent first. */
  readonly types: readonly string[];
  /** Share of its source's rows that have the field. */
  readonly frequency: number;
}

/**
 * Joins the types of each field and computes its frequency. Every row of a source has a `service.name`, so its count is
 * the total. Built-in fields come first, then attributes, then resource attributes; each by frequency, then by name.
 */
export function describeFields(rows: readonly FieldRow[]): FieldView[] {
  const all = new Map<string, number>();
  const fields = new Map<string, FieldRow[]>();
  for (const row of rows) {
    if (row.scope === 'field' && row.name === 'service.name') all.set(row.source, row.rows);
    const key = JSON.stringify([row.source, row.scope, row.name]);
    fields.set(key, [...(fields.get(key) ?? []), row]);
  }
  const order = ['field', 'attribute', 'resource'];
  return [...fields.values()]
    .flatMap((types): FieldView[] => {
      const [first, ...others] = types.sort((a, b) => b.rows - a.rows || byText(a.type, b.type));
      if (first === undefined) return [];
      const count = others.reduce((sum, { rows }) => sum + rows, first.rows);
      return [
        {
          ...first,
          types: types.map(({ type }) => type),
          rows: count,
          frequency: Math.min(1, count / Math.max(1, all.get(first.source) ?? count)),
          cardinality: others.reduce((sum, { cardinality }) => sum + cardinality, first.cardinality),
          latest: Math.max(...types.map(({ latest }) => latest)),
        },
      ];
    })
    .sort(
      (a, b) =>
        order.indexOf(a.scope) - order.indexOf(b.scope) ||
        b.frequency - a.frequency ||
        byText(a.name, b.name) ||
        byText(a.source, b.source),
    );
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Whether a name, or one of its dotted parts, begins with the text, ignoring case: `status` finds
 * `http.response.status_code`.
 */
export function beginsWith(name: string, search: string): boolean {
  const lower = name.toLowerCase();
  const sought = search.toLowerCase();
  return lower.startsWith(sought) || lower.includes(`.${sought}`);
}

/** Parses a field as people write it; only resource attributes have a prefix. */
export function parseField(text: string): { name: string; scopes: readonly FieldRow['scope'][] } {
  if (text.startsWith('resource.')) return { name: text.slice('resource.'.length), scopes: ['resource'] };
  if (text.startsWith('attr.')) return { name: text.slice('attr.'.length), scopes: ['attribute'] };
  return { name: text, scopes: ['field', 'attribute', 'resource'] };
}

export interface CountedValue {
  readonly value: string;
  readonly count: number;
}

/**
 * Sums equal values of several types and sources, the most frequent first. Empty text means that the field is missing.
 */
export function rankValues(values: readonly CountedValue[], search: string, limit: number) {
  const counts = new Map<string, number>();
  for (const { value, count } of values) if (value !== '') counts.set(value, (counts.get(value) ?? 0) + count);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const sought = search.toLowerCase();
  return [...counts]
    .filter(([value]) => value.toLowerCase().startsWith(sought))
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([value, count]) => ({ value, count, share: total === 0 ? 0 : count / total }));
}
