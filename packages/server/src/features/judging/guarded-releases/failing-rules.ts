import type { GuardedLook, MetricDefinition } from '@fanion/contract';

/** What the rows of a guard that got worse are compared by. */
export interface FailingRows {
  /** OQL: the rows of the metric, in traces in which units got the variant. */
  readonly rows: string;
  /** Which of them failed, as a condition. */
  readonly failing: string;
}

/**
 * The rows that a guard counts against the variant: those worse than the mean of the control. Undefined: the metric does not join by
 * trace, or has no number by which rows could be worse.
 */
export function failingRows(
  { source, unit, value, direction }: Pick<MetricDefinition, 'source' | 'unit' | 'value' | 'direction'>,
  control: GuardedLook['guards'][number]['control'],
  { flag, variant }: { readonly flag: string; readonly variant: string },
): FailingRows | undefined {
  if (unit !== 'trace_id' || value === undefined || control.mean === null) return undefined;
  const quote = (text: string) => JSON.stringify(text);
  return {
    rows: `${source}\n| join flags ${quote(flag)} on trace_id as f | where f.tracked and f.variant == ${quote(variant)}`,
    failing: `(${value}\n) ${direction === 'up_is_good' ? '<' : '>'} ${control.mean}`,
  };
}
