import type { SloIndicator } from '@fanion/contract';
import { type Expression, partsOf, selectorsOf } from '@fanion/promql';

export type PromqlIndicator = Exclude<SloIndicator, { kind: 'events' }> & { readonly query_language: 'promql' };

const minuteMs = 60_000;
/** Of counters, these are not events, or extrapolated. */
const notCounts: ReadonlySet<string> = new Set(['rate', 'irate', 'delta', 'idelta', 'deriv']);

export function isPromql(indicator: SloIndicator): indicator is PromqlIndicator {
  return indicator.kind !== 'events' && indicator.query_language === 'promql';
}

/** The expressions of an indicator, with the paths of their fields. */
export function expressionsOf(indicator: PromqlIndicator): readonly { readonly text: string; readonly path: string }[] {
  return indicator.kind === 'slices'
    ? [{ text: indicator.query, path: 'indicator.query' }]
    : [
        { text: indicator.good, path: 'indicator.good' },
        { text: indicator.total, path: 'indicator.total' },
      ];
}

/** Why an expression would count wrong or not at all; undefined: it counts. */
export function issueOf(kind: PromqlIndicator['kind'], expression: Expression): string | undefined {
  const selectors = selectorsOf(expression);
  if (selectors.length === 0) return 'The expression reads no metric.';
  if (
    allOf(expression).some(
      (part) => (part.kind === 'selector' || part.kind === 'subquery') && part.shift.at !== undefined,
    )
  )
    return 'The expression sets its time with `@`. Leave it out: it is evaluated over time.';
  return kind === 'ratio' ? issueOfCount(expression) : undefined;
}

/** Each event must count once: in the minute in which it happened, and as one. */
function issueOfCount(expression: Expression): string | undefined {
  for (const part of allOf(expression)) {
    if (part.kind === 'call' && notCounts.has(part.fn))
      return `\`${part.fn}\` does not count events. Use \`increase(…[1m])\`.`;
    if (part.kind === 'subquery')
      return 'The expression has a sub-query, which would count events more than once. Use the range `[1m]` of a selector.';
    if (part.kind === 'selector' && part.rangeMs !== minuteMs)
      return `${part.rangeMs === undefined ? 'A selector has no range' : 'A range is not one minute'}. Events are counted by minute: use \`[1m]\` for each selector, as in \`sum(increase(requests_total[1m]))\`.`;
  }
  return undefined;
}

function allOf(expression: Expression): Expression[] {
  return [expression, ...partsOf(expression).flatMap(allOf)];
}

/** A value of each step, by the beginning of the step in milliseconds. */
export type StepValues = ReadonlyMap<number, number>;

/**
 * The events of each step that has any. There are never more good events than events: the two counters are read at different moments.
 * A step whose value is not a count is left out.
 */
export function countsOf(good: StepValues, total: StepValues): { at: number; good: number; total: number }[] {
  return [...total].flatMap(([ms, all]) => {
    const fine = good.get(ms) ?? 0;
    const areCounts = Number.isFinite(fine) && Number.isFinite(all) && fine >= 0 && all > 0;
    return areCounts ? [{ at: ms / 1_000, good: Math.min(fine, all), total: all }] : [];
  });
}
