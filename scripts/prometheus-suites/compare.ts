/** The result of a range query. */
export type Matrix = readonly {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [seconds: number, value: string])[];
}[];

/** Two implementations add floating-point numbers in different orders. */
const tolerance = 1e-9;

export function keyOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The first difference between the answers of Prometheus and of Fanion; undefined: none. */
export function differenceOf(expected: Matrix | string, actual: Matrix | string): string | undefined {
  if (typeof expected === 'string' && typeof actual === 'string') return undefined;
  if (typeof expected === 'string') return `Prometheus refuses it: ${expected.slice(0, 300)}`;
  if (typeof actual === 'string') return `Fanion refuses it: ${actual.slice(0, 300)}`;
  const found = new Map(actual.map(({ metric, values }) => [keyOf(metric), values]));
  for (const { metric, values } of expected) {
    const key = keyOf(metric);
    const other = found.get(key);
    if (other === undefined) return `the series ${key} is missing`;
    found.delete(key);
    const difference = differenceOfValues(values, other);
    if (difference !== undefined) return `${key}: ${difference}`;
  }
  const [more] = found.keys();
  return more === undefined ? undefined : `Prometheus has no series ${more}`;
}

type Values = Matrix[number]['values'];

function differenceOfValues(expected: Values, actual: Values): string | undefined {
  const found = new Map(actual.map(([at, value]) => [Math.round(at * 1000), value]));
  for (const [at, value] of expected) {
    const other = found.get(Math.round(at * 1000));
    if (other === undefined) return `no value at ${at}, where Prometheus has ${value}`;
    if (!isAlike(Number(value), Number(other)) && value !== other) return `${other} at ${at}, not ${value}`;
    found.delete(Math.round(at * 1000));
  }
  const [more] = found.keys();
  return more === undefined ? undefined : `a value at ${more / 1000}, where Prometheus has none`;
}

function isAlike(a: number, b: number): boolean {
  return Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}

export const countSamples = (matrix: Matrix | string): number =>
  typeof matrix === 'string' ? 0 : matrix.reduce((sum, { values }) => sum + values.length, 0);
