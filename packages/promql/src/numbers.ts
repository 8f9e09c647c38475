/** The arithmetic of single numbers, as Go has it. */

/** Neumaier's compensated sum (ZAMM 54, 1974) of the numbers from `begin` up to `end`, as Prometheus' `kahansum.Inc`. */
export function compensatedSum(values: Float64Array, begin: number, end: number): number {
  let [sum, rest] = [0, 0];
  for (let i = begin; i < end; i++) {
    const value = values[i] ?? 0;
    const total = sum + value;
    if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) rest = 0;
    else rest += Math.abs(sum) >= Math.abs(value) ? sum - total + value : value - total + sum;
    sum = total;
  }
  return Number.isFinite(sum) || Number.isNaN(sum) ? sum + rest : sum;
}

/** Go's `math.Pow`, which differs from JavaScript's for 1 and -1. */
export function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && (exponent === Infinity || exponent === -Infinity))) return 1;
  return base ** exponent;
}

/** A compensated sum of numbers that arrive one by one. */
export class CompensatedSum {
  total = 0;
  rest = 0;

  add(value: number): void {
    const before = this.total;
    const total = before + value;
    if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) this.rest = 0;
    else this.rest += Math.abs(before) >= Math.abs(value) ? before - total + value : value - total + before;
    this.total = total;
  }

  get sum(): number {
    return this.total + this.rest;
  }
}

/** A number as Go's `%g` prints it: the shortest digits, with an exponent from 1e6 or below 1e-4. */
export function shortText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [mantissa = '0', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return decimalText(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** A number without an exponent, as Go's `FormatFloat(f, 'f', -1, 64)`. */
export function decimalText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [mantissa = '0', power = '0'] = value.toExponential().split('e');
  const sign = Object.is(value, -0) || value < 0 ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '');
  const point = Number(power) + 1;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (digits.length <= point) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
