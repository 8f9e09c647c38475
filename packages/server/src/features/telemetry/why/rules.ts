import { holm } from '@fanion/stats';
import type { Suspect, Why } from './answer.ts';
import { type Candidate, count, explained, judge, totalOf } from './candidate-rules.ts';
import { pairsOf } from './conjunction-rules.ts';
import type { WhyInput } from './input.ts';
import { byFamiliarity } from './name-rules.ts';
import { type Periods, periodsOf } from './onset-rules.ts';
import { sourcesOf } from './source-rules.ts';
import { exposureOf, measure, nameOf, restatements } from './suspect-rules.ts';

/** Chance of any suspect where there is no cause, over all candidates of a step (Holm). */
const familyAlpha = 0.01;
const maxSuspects = 5;

/**
 * Explains why the selected items were selected: the attributes, flags, deploys and log patterns that caused it, the best first.
 *
 * Each candidate is a set of items, tested against the others since the onset (Fisher's exact test; flags and deploys only within the
 * items that they concern, or against those before their change), corrected by Holm. Those that pass are ranked by the likelihood
 * ratio of "these items since the onset" against all others, times prior odds of what it is and when it changed. The best one is
 * taken out with all of its items, and the rest is judged again, so what was seen together does not share the blame.
 * The order of items, columns and values does not matter.
 */
export function explainWhy(input: WhyInput): Why {
  const periods = periodsOf(input);
  const { sources, folded, signs } = sourcesOf(input, periods);
  const place = new Uint8Array(input.items.count);
  for (let i = 0; i < place.length; i += 1) place[i] = 2 * (periods.period[i] ?? 0) + (input.items.selected[i] ?? 0);

  const suspects: Suspect[] = [];
  while (suspects.length < maxSuspects) {
    const candidates = candidatesOf(sources, place, periods);
    const pairs = pairsOf(candidates, place);
    const head = bestOf(candidates, pairs.best(periods), place);
    if (head === undefined) break;
    const exposed = exposureOf(head, periods);
    const pair = head.source.kind === 'both' ? undefined : pairs.same(exposed);
    const also = [...(pair === undefined ? [] : [pair]), ...restatements(head, exposed, { sources, signs, place })];
    suspects.push({ ...measure(head, input, periods), also });
    for (let i = 0; i < place.length; i += 1) if (head.source.column.codes[i] === head.code) place[i] = explained;
  }
  return { verdict: suspects.length > 0 ? 'suspects' : 'no_cause', onset: periods.onset, suspects, folded };
}

type Sources = ReturnType<typeof sourcesOf>['sources'];

/** The candidates on the items that are not explained yet. */
function candidatesOf(sources: Sources, place: Uint8Array, periods: Periods): Candidate[] {
  return sources.flatMap((source) => {
    const counts = count(source, place);
    return judge(source, counts, totalOf(counts), periods);
  });
}

/** The best one; undefined if none is better than chance. */
function bestOf(
  candidates: readonly Candidate[],
  pair: Candidate | undefined,
  place: Uint8Array,
): Candidate | undefined {
  // The few that changed just before the onset get half of the error rate, so they need not compete with every value.
  const passed = [true, false].flatMap((leads) => significant(candidates.filter((one) => one.leads === leads)));
  const [best] = [...passed, ...(pair === undefined ? [] : [pair])].sort(byRank);
  if (best?.source.kind !== 'attribute') return best;
  const [named] = passed
    .filter((one) => isCopy(one, best, place))
    .sort((a, b) => byFamiliarity(nameOfField(a), nameOfField(b)));
  return named ?? best;
}

const nameOfField = ({ source }: Candidate) => source.column.name;

/** Whether two values of attributes have exactly the same items. */
function isCopy(a: Candidate, b: Candidate, place: Uint8Array): boolean {
  if (a.source.kind !== 'attribute' || a.pValue !== b.pValue) return false;
  const { codes } = b.source.column;
  return a.source.column.codes.every(
    (code, i) => place[i] === explained || (code === a.code) === (codes[i] === b.code),
  );
}

function significant(candidates: readonly Candidate[]): Candidate[] {
  const adjusted = holm(candidates.map(({ pValue }) => pValue));
  return candidates.filter((_, i) => (adjusted[i] ?? 1) < familyAlpha / 2);
}

/**
 * What rose at the onset before what was always so; what items are before what they log and throw, which rather follows from it; then
 * the higher score.
 */
function byRank(a: Candidate, b: Candidate): number {
  if (a.standing !== b.standing) return a.standing ? 1 : -1;
  const [isLogged, isOtherLogged] = [a, b].map(({ source }) => source.kind === 'novelty');
  if (isLogged !== isOtherLogged) return isLogged ? 1 : -1;
  return b.score - a.score || nameOf(a.source.whatOf(a.code)).localeCompare(nameOf(b.source.whatOf(b.code)), 'en');
}
