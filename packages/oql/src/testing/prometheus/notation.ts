import type { NumberSeries } from '../series-tables.ts';

/** Seconds between points. */
const STEP = 300;

/** `0+5x10`: from 0 in ten steps of 5; `7x2`: three times 7; `_`: no point; `NaN` and `Inf` are numbers. */
export function valuesOf(notation: string): readonly (number | undefined)[] {
  return notation
    .trim()
    .split(/\s+/)
    .flatMap((part) => {
      const [, first = '', step = '', times = ''] = /^([^x+]+?)((?:[+-]\d[\d.]*)?)x(\d+)$/.exec(part) ?? [];
      if (times !== '') {
        return Array.from(
          { length: Number(times) + 1 },
          (_, i) => numberOf(first) + i * Number(step === '' ? 0 : step),
        );
      }
      return part === '_' ? [undefined] : [numberOf(part)];
    });
}

function numberOf(text: string): number {
  return Number(text.replace('Inf', 'Infinity'));
}

/** A counter or gauge with a point every five minutes, or every `step` seconds, from the beginning of the hour. */
export function loaded(
  kind: 'sum' | 'gauge',
  metric: string,
  attributes: Readonly<Record<string, string>>,
  notation: string,
  step = STEP,
): NumberSeries {
  const points = valuesOf(notation).flatMap((value, i) => (value === undefined ? [] : [{ at: i * step, value }]));
  return { metric, kind, attributes, points };
}

/** The buckets of a classic histogram by their bounds. */
export function buckets(
  metric: string,
  attributes: Readonly<Record<string, string>>,
  counts: Readonly<Record<string, string>>,
): readonly NumberSeries[] {
  return Object.entries(counts).map(([le, notation]) =>
    loaded('sum', `${metric}_bucket`, { ...attributes, le }, notation),
  );
}

/** A query evaluated at a minute of the hour, and its answer by labels. */
export interface Expected {
  readonly query: string;
  readonly at: number;
  readonly rows: Readonly<Record<string, number | string | null>>;
}
