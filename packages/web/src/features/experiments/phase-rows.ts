import type { Tone } from '../../alerting/states.ts';
import { formatExact, formatNumber } from '../../ui/format/index.ts';
import type { Experiment, Results } from './queries.ts';
import { splitText } from './serve-diff.ts';

type Ratio = Results['health']['phases'][number]['sample_ratio'];

/** A line for each phase, oldest first: what was served, and whether its units were divided like that. */
export function phaseRows(
  experiment: Pick<Experiment, 'phases' | 'traffic' | 'control' | 'bucket_by' | 'audience'>,
  health: { readonly phases?: Results['health']['phases'] },
) {
  return experiment.phases.map(({ from, to, variants, share, audience }, i) => {
    // Results are older than a phase that has just begun, and those that an earlier version has frozen have no phases.
    const ratio = health.phases?.find((measured) => measured.from === from)?.sample_ratio;
    return {
      number: i + 1,
      from,
      to,
      served: splitText({ ...experiment, variants, audience, traffic: { ...experiment.traffic, share } }),
      units:
        ratio === undefined
          ? '–'
          : variants
              .map(({ variant }) => {
                const expected = formatNumber(Math.round(ratio.expected[variant] ?? 0));
                return `${formatExact(ratio.observed[variant] ?? 0)} ${variant} (${expected} expected)`;
              })
              .join(', '),
      split: splitOf(ratio),
      title: ratio?.p_value == null ? undefined : `sequential p-value ${ratio.p_value.toPrecision(2)}`,
    };
  });
}

function splitOf(ratio: Ratio | undefined): { readonly label: string; readonly tone: Tone } {
  if (ratio === undefined) return { label: 'Not measured yet', tone: 'off' };
  if (!ratio.ok) return { label: 'Not as intended', tone: 'firing' };
  if (Object.values(ratio.observed).every((n) => n === 0)) return { label: 'No units', tone: 'off' };
  return ratio.p_value === null ? { label: 'Too few units', tone: 'off' } : { label: 'As intended', tone: 'ok' };
}
