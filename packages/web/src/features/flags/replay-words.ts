import type { RouteResponse, replayFlag } from '@fanion/contract';
import { countOf, formatNumber } from '../../ui/format/index.ts';
import { servedText } from './describe.ts';

export type Replay = RouteResponse<typeof replayFlag>;

/** `Of 954 units evaluated in the last hour, 312 change: 300 from false to true, 12 from true to false.` */
export function replayedText({
  units,
  replayed,
  changed,
  moves,
}: Pick<Replay, 'units' | 'replayed' | 'changed' | 'moves'>): string {
  if (units === 0) return 'No units are recorded for the last hour, so nothing can be replayed.';
  const seen = `Of ${countOf(units, 'unit')} evaluated in the last hour`;
  if (replayed === 0) return `${seen}, none can be replayed.`;
  if (changed === 0) return `${seen}, ${replayed === units ? 'none changes' : 'none is known to change'}.`;
  const parts = moves.map(
    ({ from, to, units: n }) => `${formatNumber(n)} from ${servedText(from)} to ${servedText(to)}`,
  );
  return `${seen}, ${formatNumber(changed)} ${changed === 1 ? 'changes' : 'change'}: ${parts.join(', ')}.`;
}

/** What the replay does not cover; empty if it covers every evaluation. */
export function uncoveredTexts({
  uncertain,
  skipped,
  without_unit,
}: Pick<Replay, 'uncertain' | 'skipped' | 'without_unit'>): string[] {
  const units = uncertain.reduce((sum, one) => sum + one.units, 0);
  const reads = uncertain.map(({ reads: what, units: n }) => `${what} (${formatNumber(n)})`).join(', ');
  return [
    ...(units === 0
      ? []
      : [
          `${countOf(units, 'unit')} cannot be replayed, since more than the unit decides about them: ${reads}. Evaluations store no other attributes.`,
        ]),
    ...(skipped === 0 ? [] : [`Left out, beyond the limit of one replay: ${countOf(skipped, 'earlier unit')}.`]),
    ...(without_unit === 0 ? [] : [`Recorded without a unit: ${countOf(without_unit, 'more evaluation')}.`]),
  ];
}
