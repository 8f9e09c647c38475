import { type Column, columnOf, FLOAT, setFloat, unlessEmpty } from '../columns.ts';

/** What a function makes of a series; undefined if that is nothing. */
export type ColumnFunction = (column: Column) => Column | undefined;

/** Functions of each float; histograms are left out. */
export const NUMBER_FUNCTIONS: ReadonlyMap<string, (value: number) => number> = new Map([
  ['abs', Math.abs],
  ['acos', Math.acos],
  ['acosh', Math.acosh],
  ['asin', Math.asin],
  ['asinh', Math.asinh],
  ['atan', Math.atan],
  ['atanh', Math.atanh],
  ['ceil', Math.ceil],
  ['cos', Math.cos],
  ['cosh', Math.cosh],
  ['deg', (value: number) => (value * 180) / Math.PI],
  ['exp', Math.exp],
  ['floor', Math.floor],
  ['ln', Math.log],
  ['log10', Math.log10],
  ['log2', Math.log2],
  ['rad', (value: number) => (value * Math.PI) / 180],
  ['sgn', (value: number) => (value < 0 ? -1 : value > 0 ? 1 : value)],
  ['sin', Math.sin],
  ['sinh', Math.sinh],
  ['sqrt', Math.sqrt],
  ['tan', Math.tan],
  ['tanh', Math.tanh],
]);

export function mapFloats(of: (value: number, step: number) => number): ColumnFunction {
  return ({ kinds, values, labels }) => {
    const out = columnOf(labels, true, kinds.length);
    for (let step = 0; step < kinds.length; step++)
      if (kinds[step] === FLOAT) setFloat(out, step, of(values[step] ?? 0, step));
    return unlessEmpty(out);
  };
}

/** Within two limits; nothing at steps where they are in the wrong order. */
export function clamped(least: Float64Array, largest: Float64Array): ColumnFunction {
  return ({ kinds, values, labels }) => {
    const out = columnOf(labels, true, kinds.length);
    for (let step = 0; step < kinds.length; step++) {
      const [low, high] = [least[step] ?? 0, largest[step] ?? 0];
      if (kinds[step] !== FLOAT || high < low) continue;
      setFloat(out, step, Math.max(low, Math.min(high, values[step] ?? 0)));
    }
    return unlessEmpty(out);
  };
}

/** To multiples of a number, halves up. */
export function rounded(to: Float64Array | undefined): ColumnFunction {
  return mapFloats((value, step) => {
    const inverse = 1 / (to === undefined ? 1 : (to[step] ?? 0));
    return Math.floor(value * inverse + 0.5) / inverse;
  });
}

/** The value of the only float of each step, else NaN. */
export function scalarOf(columns: readonly Column[], steps: number): Float64Array {
  const [found, counts] = [new Float64Array(steps).fill(Number.NaN), new Uint32Array(steps)];
  for (const { kinds, values } of columns)
    for (let step = 0; step < steps; step++) {
      if (kinds[step] !== FLOAT) continue;
      counts[step] = (counts[step] ?? 0) + 1;
      found[step] = counts[step] === 1 ? (values[step] ?? 0) : Number.NaN;
    }
  return found;
}

/** By their values at the only step, NaN last. Histograms are left out. */
export function sortedByValue(columns: readonly Column[], order: 'rising' | 'falling'): Column[] {
  const sign = order === 'rising' ? 1 : -1;
  return columns
    .filter(({ kinds }) => kinds[0] === FLOAT)
    .sort((one, other) => {
      const [a, b] = [one.values[0] ?? 0, other.values[0] ?? 0];
      if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
      return a === b ? 0 : sign * (a < b ? -1 : 1);
    });
}
