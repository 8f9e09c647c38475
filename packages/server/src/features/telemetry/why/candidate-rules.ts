import { type Counts, fisherGreater, likelihoodRatio, normalTail } from '@fanion/stats';
import { leastItems } from './fold-rules.ts';
import { type Periods, timeOdds } from './onset-rules.ts';
import type { Source } from './source-rules.ts';

/** One value of a source, judged on the items that are not explained yet. */
export interface Candidate {
  readonly source: Source;
  readonly code: number;
  /** Of the better of its tests, before the correction for many candidates. */
  readonly pValue: number;
  readonly score: number;
  readonly standing: boolean;
  /** Whether a change of it was just before the onset and changed who is exposed. */
  readonly leads: boolean;
}

/** Items before and after the onset. */
export interface Split {
  readonly before: Counts;
  readonly after: Counts;
}

const perCode = 6;
/** `place` of an item that is not counted. */
export const explained = 255;

/** Items by their value, period and side. @param place 2 · period + selected of each item, or {@link explained} */
export function count({ column }: Source, place: Uint8Array): Float64Array {
  const counts = new Float64Array((column.values.length + 1) * perCode);
  const { codes } = column;
  for (let i = 0; i < place.length; i += 1) {
    const at = place[i] ?? explained;
    if (at === explained) continue;
    const cell = ((codes[i] ?? -1) + 1) * perCode + at;
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return counts;
}

function splitOf(counts: Float64Array, code: number): Split & { late: number } {
  const at = (code + 1) * perCode;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = counts.subarray(at, at + perCode);
  return { before: { n: a + b, x: b }, after: { n: c + d + e + f, x: d + f }, late: e + f };
}

/** All items that are counted. */
export function totalOf(counts: Float64Array): Split {
  const codes = Array.from({ length: counts.length / perCode }, (_, at) => splitOf(counts, at - 1));
  return codes.reduce<Split>(
    (sum, one) => ({ before: plus(sum.before, one.before), after: plus(sum.after, one.after) }),
    {
      before: { n: 0, x: 0 },
      after: { n: 0, x: 0 },
    },
  );
}

const plus = (a: Counts, b: Counts): Counts => ({ n: a.n + b.n, x: a.x + b.x });
const minus = (a: Counts, b: Counts): Counts => ({ n: a.n - b.n, x: a.x - b.x });
const rate = ({ n, x }: Counts) => (n === 0 ? 0 : x / n);

/** Splits of the rates before and after of each side that fewer items have are too few to compare. */
const leastOutside = 20;
/** Prior odds, as 2 ln: what somebody changed is more often a cause than what only describes items. */
const priors: Readonly<Record<Source['kind'], number>> = { flag: 4, deploy: 4, attribute: 0, both: 0, novelty: 0 };
/** A steady effect has to fit better by this much (2 ln) before a suspect counts as standing. */
const standingMargin = 4;

/** Candidates of a source that have an effect at all. */
export function judge(source: Source, counts: Float64Array, total: Split, periods: Periods): Candidate[] {
  const { column, within, only } = source;
  const outside = within === 'present' ? splitOf(counts, -1) : undefined;
  const codes = only === undefined ? column.values.keys() : [only];
  // Each of many values is less likely to be the cause.
  const choices = only === undefined ? Math.max(1, column.values.length) : 1;
  const candidates: Candidate[] = [];
  for (const code of codes) {
    const exposed = splitOf(counts, code);
    if (exposed.after.x < leastItems) continue;
    const isLate = periods.onset !== undefined && exposed.before.n + exposed.after.n === exposed.late;
    if (isLate || (source.kind === 'deploy' && (source.change?.atMs ?? 0) > periods.latestMs)) continue;
    const rest = minus(plus(total.before, total.after), exposed.after);
    if (rate(exposed.after) <= rate(rest)) continue;
    const universe =
      outside === undefined
        ? total
        : { before: minus(total.before, outside.before), after: minus(total.after, outside.after) };
    const others = { before: minus(universe.before, exposed.before), after: minus(universe.after, exposed.after) };
    const isNew = exposureRose(exposed, [universe, total], periods);
    const leads = isNew && timeOdds(source.change?.atMs ?? Number.NEGATIVE_INFINITY, periods) > 1;
    const tests = [fisherGreater(exposed.after, others.after), ...(leads ? [rose(exposed, universe, outside)] : [])];
    const during = likelihoodRatio(exposed.after, rest);
    const always = likelihoodRatio(
      plus(exposed.before, exposed.after),
      minus(plus(total.before, total.after), plus(exposed.before, exposed.after)),
    );
    candidates.push({
      source,
      code,
      pValue: Math.min(1, tests.length * Math.min(...tests)),
      score:
        during +
        priors[source.kind] -
        2 * Math.log(choices) +
        (leads ? 2 * Math.log(timeOdds(source.change?.atMs ?? 0, periods)) : 0),
      standing:
        periods.onset !== undefined &&
        !isNew &&
        always > during + standingMargin &&
        rate(exposed.before) > rate(others.before),
      leads,
    });
  }
  return candidates;
}

/**
 * Whether more items are exposed since the onset: of those that it concerns, or of all, because a flag may not have been evaluated
 * before its change. A change that exposed nobody cannot be the cause.
 */
function exposureRose(exposed: Split, universes: readonly Split[], { onset }: Periods): boolean {
  if (onset === undefined) return false;
  return universes.some(({ before, after }) => {
    const now = { n: after.n, x: exposed.after.n };
    return now.n > 0 && (before.n === 0 || fisherGreater(now, { n: before.n, x: exposed.before.n }) < 0.001);
  });
}

/**
 * The p-value of a rise among the items that a change concerned: they are selected more often than before it, and this rise is larger
 * than that of all other items, if there are enough of those.
 */
function rose(exposed: Split, universe: Split, outside: Split | undefined): number {
  const inside = fisherGreater(exposed.after, universe.before);
  if (outside === undefined || outside.before.n < leastOutside || outside.after.n < leastOutside) return inside;
  // Additive, because failures from separate causes add up; half an event more keeps the variance of an empty cell from being 0.
  const share = ({ n, x }: Counts) => (x + 0.5) / (n + 1);
  const variance = (cell: Counts) => (share(cell) * (1 - share(cell))) / (cell.n + 1);
  const cells = [exposed.after, universe.before, outside.after, outside.before];
  const difference = share(exposed.after) - share(universe.before) - share(outside.after) + share(outside.before);
  const z = difference / Math.sqrt(cells.reduce((sum, cell) => sum + variance(cell), 0));
  return Math.max(inside, normalTail(z));
}
