import { parse } from '@fanion/oql/syntax';
import { requestsQuery, type Target, targetOf } from '../../alerting/symptom-rules.ts';
import { OBJECTIVES, type SloDraft } from './slo-draft.ts';

/** An objective that can be chosen without OQL. */
export interface SloSymptom extends Target {
  /** `availability`: requests without an error are good; `latency`: those that take less than the threshold. */
  readonly kind: 'availability' | 'latency';
  /** Of latency; nanoseconds. */
  readonly threshold: number;
}

export const emptySloSymptom: SloSymptom = {
  service: '',
  operation: '',
  kind: 'availability',
  threshold: 300e6,
};

/** The symptom of a draft; null if only its queries can say it. */
export function sloSymptomOf({
  kind,
  source,
  condition,
}: Pick<SloDraft, 'kind' | 'source' | 'condition'>): SloSymptom | null {
  const target = kind === 'events' ? targetOf(source) : null;
  if (target === null) return null;
  const good = parse(`spans | where ${condition}`).query?.pipeline.stages;
  const predicate = good?.length === 1 && good[0]?.kind === 'where' ? good[0].predicate : undefined;
  if (predicate?.kind !== 'compare' || predicate.left.kind !== 'path' || predicate.left.index !== undefined)
    return null;
  const { left, operator, right } = predicate;
  const field = left.segments.join('.');
  if (field === 'status' && operator === '!=' && right.kind === 'path' && right.segments.join('.') === 'error')
    return { ...emptySloSymptom, ...target, kind: 'availability' };
  if (field === 'duration' && operator === '<' && right.kind === 'duration')
    return { ...target, kind: 'latency', threshold: Number(right.nanoseconds) };
  return null;
}

/** The draft of a symptom. A name that somebody wrote stays. */
export function withSloSymptom(draft: SloDraft, symptom: SloSymptom): Partial<SloDraft> {
  const before = sloSymptomOf(draft);
  const isNamed = draft.name.trim() !== '' && (before === null || draft.name !== nameOf(before));
  return {
    kind: 'events',
    source: requestsQuery(symptom),
    condition:
      symptom.kind === 'availability' ? 'status != error' : `duration < ${toMilliseconds(symptom.threshold)}ms`,
    ...(!isNamed && { name: nameOf(symptom) }),
  };
}

/** The name of an SLO that nobody has named. */
export function nameOf({ kind, service, operation }: SloSymptom): string {
  const who = [service, operation].filter((part) => part !== '').join(' ');
  const verb = kind === 'availability' ? 'answer' : 'are fast';
  if (who === '') return `Services ${verb}`;
  return `${who} ${kind === 'availability' ? 'answers' : 'is fast'}`;
}

/** Milliseconds without an exponent: durations of OQL have none. */
export function toMilliseconds(nanoseconds: number): string {
  return String(Number((nanoseconds / 1e6).toFixed(6)));
}

/** An objective that would be spent by fewer bad events than these is spent by chance. */
const LEAST_BUDGET = 10;

/**
 * The highest customary objective, in percent, that the past attained and that allows a few bad events.
 * @returns undefined where not even the lowest one is
 */
export function suggestObjective({ good, total }: { good: number; total: number }): number | undefined {
  return OBJECTIVES.findLast((percent) => {
    const allowed = Number(((total * (100 - percent)) / 100).toPrecision(12));
    return total - good <= allowed && allowed >= LEAST_BUDGET;
  });
}

/** A threshold to two digits, one step or several further, as the arrow keys move it. */
export function movedThreshold(nanoseconds: number, steps: number): number {
  let value = rounded(nanoseconds);
  for (let left = Math.abs(steps); left > 0; left--) {
    // 100 is followed by 110, and preceded by 99.
    const size = 10 ** (Math.floor(Math.log10(steps < 0 ? value * 0.999 : value)) - 1);
    value = rounded(value + Math.sign(steps) * size);
  }
  return value;
}

/** To two digits, at least a microsecond. */
export function rounded(nanoseconds: number): number {
  return Math.max(1000, Number(nanoseconds.toPrecision(2)));
}
