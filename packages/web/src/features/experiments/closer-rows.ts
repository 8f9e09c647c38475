import type { Dimension, Novelty } from './queries.ts';

/** A line for each value and variant of one metric. */
export function dimensionRows({ values }: Pick<Dimension, 'values'>, key: string) {
  return values.flatMap(({ value, is_other, metrics }) => {
    const measured = metrics.find((metric) => metric.key === key);
    const name = is_other ? 'all others' : (value ?? 'no value');
    if (measured === undefined) return [];
    return measured.variants.map((numbers, i) => ({ value: name, isFirst: i === 0, measured, numbers }));
  });
}

/** A line for each day and each variant beside the control. */
export function noveltyRows({ days }: Pick<Novelty, 'days'>, control: string) {
  return days.flatMap(({ day, variants }) =>
    variants.filter(({ variant }) => variant !== control).map((numbers) => ({ day, numbers })),
  );
}
