import { countOf, formatPercent } from '../../ui/format/index.ts';
import type { Explanation, Metric } from './queries.ts';

type Kind = Metric['kind'];

/** What a kind measures, for people who choose one. */
export const KINDS: Readonly<Record<Kind, { readonly label: string; readonly help: string }>> = {
  conversion: { label: 'Share of units that did it', help: 'For example users who bought something.' },
  count: { label: 'How often each unit did it', help: 'For example searches per user.' },
  sum: { label: 'Total of a number per unit', help: 'For example revenue per user. Units without rows count 0.' },
  mean: { label: 'Average of a number', help: 'For example the mean latency of all requests.' },
  ratio: { label: 'Ratio of two numbers', help: 'For example errors per request.' },
  quantile: { label: 'Percentile of a number', help: 'For example the latency that 95% of requests stay below.' },
  retention: { label: 'Share of units that came back', help: 'For example users with a visit a week later.' },
  funnel: { label: 'Share of units that took all steps', help: 'For example cart, address, payment, in this order.' },
};

export function directionText({ direction }: Pick<Metric, 'direction'>): string {
  return direction === 'up_is_good' ? 'more is better' : 'less is better';
}

export function unitText({ unit }: Pick<Metric, 'unit'>): string {
  return unit === 'trace_id' ? 'by trace' : `by ${unit}`;
}

/** How many rows there are, and which share of them counts, in sentences. */
export function joinedText(explanation: Explanation, metric: Pick<Metric, 'unit'>, flag: string | null): string {
  const { rows, with_unit: withUnit, joined, share } = explanation.units;
  if (rows === 0 || share === null) return 'The query returned no rows.';
  const who = flag === null ? 'a unit that saw a flag' : `a unit that saw ${flag}`;
  const carry =
    metric.unit === 'trace_id'
      ? `${formatPercent(withUnit / rows)} of them are part of a trace`
      : `${formatPercent(withUnit / rows)} of them have a value for ${metric.unit}`;
  if (joined === 0) return `The query returned ${countOf(rows, 'row')}. ${carry}. None belongs to ${who}.`;
  return `The query returned ${countOf(rows, 'row')}. ${carry}, and ${formatPercent(share)} belong to ${who}: these can count.`;
}
