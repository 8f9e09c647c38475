import { describeClauses } from '../flags/describe.ts';
import type { Change } from '../flags/diff.ts';
import { toClauseDraft } from '../flags/draft.ts';
import { percentText, TOTAL } from '../flags/weights.ts';
import type { Experiment } from './queries.ts';

type Split = Pick<Experiment, 'variants' | 'traffic' | 'control' | 'bucket_by' | 'audience'>;

/** What an experiment serves, in words: `50% false, 50% true, measured`. */
export function splitText({ audience, ...split }: Split): string {
  const whom = audience.length === 0 ? '' : `if ${describeClauses(audience.map(toClauseDraft))}: `;
  return `${whom}${sharesText(split)}`;
}

function sharesText({ variants, traffic, control, bucket_by: by }: Omit<Split, 'audience'>): string {
  const shares = variants.map(({ variant, weight }) => `${percentText(weight)}% ${variant}`).join(', ');
  const whom = by === null ? '' : ` by ${by}`;
  if (traffic.share === TOTAL) return `${shares}${whom}, measured`;
  const part = percentText(traffic.share);
  return `${part}% of the units take part: ${shares}${whom}, measured; the other ${percentText(TOTAL - traffic.share)}% get ${control}`;
}

/** What everybody else gets before and after the start. */
export function startDiff(before: string, experiment: Split): Change[] {
  return [{ what: 'Everybody else', before, after: splitText(experiment) }];
}

/** What everybody else gets in a phase of an experiment and in its next one; empty if nothing changes. */
export function phaseDiff(experiment: Split, next: Split): Change[] {
  const [before, after] = [splitText(experiment), splitText(next)];
  return before === after ? [] : [{ what: 'Everybody else', before, after }];
}

/** What everybody else gets before and after a winner is applied. */
export function winnerDiff(before: string, variant: string): Change[] {
  return before === variant ? [] : [{ what: 'Everybody else', before, after: variant }];
}
