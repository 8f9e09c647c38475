const UNITS = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const MINUS = '−';

/** Three significant digits, without trailing zeros behind the point: 1.25, 12.5, 125. */
function threeDigits(value: number): string {
  const magnitude = Math.abs(value);
  const decimals = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2;
  return trimZeros(value.toFixed(decimals));
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function withSign(value: number, text: string): string {
  return value < 0 ? MINUS + text.replace(/^-/, '') : text;
}

/**
 * A number as people read it at a glance: 0, 0.042, 7, 999, 1.2k, 34.5M. Integers below 10,000 stay exact with a
 * thin group separator, since people count them. Not finite values read `–`, `∞`, `−∞`.
 */
export function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${MINUS}∞`;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return '0';
  if (Number.isInteger(value) && magnitude < 10_000) return withSign(value, groupDigits(magnitude));
  if (magnitude < 0.001) return withSign(value, trimExponent(magnitude.toExponential(1)));
  if (magnitude < 1) return withSign(value, trimZeros(magnitude.toPrecision(3)));
  let scaled = magnitude;
  let unit = 0;
  // 999.5 rounds up to the next unit's 1, so the step is taken a little before 1000.
  while (scaled >= 999.5 && unit < UNITS.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return withSign(value, threeDigits(scaled) + UNITS[unit]);
}

function trimExponent(text: string): string {
  return text.replace(/\.0e/, 'e').replace('e+', 'e').replace('e-', `e${MINUS}`);
}

/** Every digit, grouped by thousands with a comma: 1,234,567. Takes bigints and digit strings as well. */
export function formatExact(value: number | bigint | string): string {
  const text = String(value);
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = ''] = match;
  return (sign ? MINUS : '') + groupDigits(whole) + fraction;
}

function groupDigits(digits: string | number): string {
  return String(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

const PER = [
  { text: '/s', seconds: 1 },
  { text: '/min', seconds: 60 },
  { text: '/h', seconds: 3600 },
] as const;

/**
 * How numbers per second are written that stand beside each other, in a chart or a column: all in the unit in which
 * the largest of them is at least 1. 1.2k/s and 0.05/s, or 20/min and 3/min.
 */
export function rateFormat(
  beside: Iterable<number | null | undefined>,
): (perSecond: number | null | undefined) => string {
  let largest = 0;
  for (const value of beside) {
    if (value !== null && value !== undefined && Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  }
  const unit = largest === 0 ? PER[0] : (PER.find(({ seconds }) => largest * seconds >= 0.995) ?? PER[2]);
  return (perSecond) => {
    if (perSecond === null || perSecond === undefined || !Number.isFinite(perSecond)) return '–';
    const value = perSecond * unit.seconds;
    // A third digit behind the point says nothing beside numbers above 1.
    const rounded = Math.abs(value) >= 0.01 && Math.abs(value) < 1 ? Math.round(value * 100) / 100 : value;
    return `${formatNumber(rounded)}${unit.text}`;
  };
}

/** A rate by itself: 1.2k/s. Below one event per second people think in minutes: 0.05/s reads 3/min. */
export function formatRate(perSecond: number | null | undefined): string {
  return rateFormat([perSecond])(perSecond);
}

/**
 * A ratio (0…1) as a percentage. Near 100% the digits that tell outages apart are kept: 0.9995 reads 99.95%, and
 * nothing short of 1 reads 100%; nothing above 0 reads 0%.
 */
export function formatPercent(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined || !Number.isFinite(ratio)) return '–';
  const percent = ratio * 100;
  if (percent === 0) return '0%';
  if (percent > 0 && percent < 0.01) return '<0.01%';
  if (percent > 99 && percent < 100) {
    // One decimal up to 99.9, then as many as the nines need.
    for (const decimals of percent < 99.9 ? [1] : [2, 3]) {
      const text = percent.toFixed(decimals);
      if (!text.startsWith('100')) return `${trimZeros(text)}%`;
    }
    return '>99.99%';
  }
  const magnitude = Math.abs(percent);
  const decimals = magnitude >= 10 ? 1 : 2;
  return `${withSign(percent, trimZeros(percent.toFixed(decimals)))}%`;
}

/** `1 span`, `2 spans`: the count grouped, the noun in its right form. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count < 10_000 ? formatExact(count) : formatNumber(count)} ${count === 1 ? one : many}`;
}
