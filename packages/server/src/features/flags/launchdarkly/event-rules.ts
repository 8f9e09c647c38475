import type { CompiledRuleset, EvaluationContext, Flag } from '@fanion/flag-engine';
import { type Countable, variantWith } from '../exposures/index.ts';
import { engineContext, WrongContext } from './context-rules.ts';

/** The evaluation of one unit in a tracked rollout. */
export interface ReportedExposure {
  readonly answer: Countable & { readonly reason: 'TRACKED_ROLLOUT'; readonly rule_id?: string };
  readonly context: EvaluationContext;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Evaluations with one answer, apart from those that are exposures. */
export interface ReportedCount {
  readonly answer: Countable;
  readonly times: number;
}

export interface Reported {
  readonly exposures: readonly ReportedExposure[];
  readonly counts: readonly ReportedCount[];
  /** Number of `custom` events: metrics of units are measured from telemetry. */
  readonly ignored: number;
}

/** A counter of a summary cannot stand for more evaluations. */
export const mostOfCounter = 100_000_000;
/** An exposure that is reported later is dated with its arrival, since the clock of the client may be wrong. */
export const latestReportMs = 86_400_000;

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a batch of events tells. LaunchDarkly's SDKs count every evaluation in the summary of the batch, and report those of experiments
 * singly too, so these are taken off the counts. Everything malformed is left out, as are flags that the ruleset does not have.
 */
export function reported(body: unknown, ruleset: CompiledRuleset, now: number): Reported {
  const events = (Array.isArray(body) ? body : [body]).filter(isFields);
  const exposures: ReportedExposure[] = [];
  const single = new Map<string, number>();
  for (const event of events) {
    const exposure = event.kind === 'feature' ? exposureOf(event, ruleset, now) : undefined;
    if (exposure === undefined) continue;
    exposures.push(exposure);
    const name = nameOf(event.key, event);
    single.set(name, (single.get(name) ?? 0) + 1);
  }
  const counts = events.flatMap((event) => (event.kind === 'summary' ? countsOf(event, ruleset, single) : []));
  return { exposures, counts, ignored: events.filter(({ kind }) => kind === 'custom').length };
}

const nameOf = (key: unknown, { variation, version }: Fields) => JSON.stringify([key, variation, version]);

function exposureOf(event: Fields, ruleset: CompiledRuleset, now: number): ReportedExposure | undefined {
  const { reason } = event;
  if (!isFields(reason) || reason.inExperiment !== true) return undefined;
  const answer = answerOf(event.key, event, ruleset);
  const context = contextOf(event);
  if (answer === undefined || answer.variant === null || context === undefined) return undefined;
  const { creationDate } = event;
  const isTimely = typeof creationDate === 'number' && creationDate > now - latestReportMs && creationDate <= now;
  return {
    answer: {
      ...answer,
      reason: 'TRACKED_ROLLOUT',
      tracked: true,
      ...(typeof reason.ruleId === 'string' && { rule_id: reason.ruleId }),
    },
    context,
    at: isTimely ? Math.round(creationDate) : now,
  };
}

/** SDKs of some versions send only the keys of the context. */
function contextOf({ context, contextKeys, user, userKey }: Fields): EvaluationContext | undefined {
  try {
    if (isFields(contextKeys)) {
      const parts = Object.entries(contextKeys).map(([kind, key]) => [kind, { key }]);
      return engineContext({ ...Object.fromEntries(parts), kind: 'multi' });
    }
    return engineContext(context ?? user ?? { key: userKey });
  } catch (error) {
    if (error instanceof WrongContext) return undefined;
    throw error;
  }
}

function countsOf({ features }: Fields, ruleset: CompiledRuleset, single: Map<string, number>): ReportedCount[] {
  if (!isFields(features)) return [];
  const counts: ReportedCount[] = [];
  for (const [key, feature] of Object.entries(features)) {
    const counters = isFields(feature) && Array.isArray(feature.counters) ? feature.counters.filter(isFields) : [];
    for (const counter of counters) {
      const answer = answerOf(key, counter, ruleset);
      if (answer === undefined) continue;
      const name = nameOf(key, counter);
      const times = timesOf(counter);
      const singly = Math.min(single.get(name) ?? 0, times);
      single.set(name, (single.get(name) ?? 0) - singly);
      if (times > singly) counts.push({ answer, times: times - singly });
    }
  }
  return counts;
}

function timesOf({ count }: Fields): number {
  return Number.isSafeInteger(count) ? Math.max(0, Math.min(Number(count), mostOfCounter)) : 0;
}

/** Without a variation, the client's own default was used. */
function answerOf(key: unknown, { variation, version, value }: Fields, ruleset: CompiledRuleset) {
  const flag = typeof key === 'string' ? ruleset.flags.get(key) : undefined;
  if (flag === undefined || !Number.isSafeInteger(version)) return undefined;
  const answer = { key: flag.key, flag_version: Number(version), reason: 'UNKNOWN', tracked: false } as const;
  if (variation === undefined || variation === null) return { ...answer, variant: null };
  const variant = variantOf(flag.source, Number(variation), value);
  return variant === undefined ? undefined : { ...answer, variant };
}

/** The variants of an older version may have had other places. */
function variantOf(flag: Flag, index: number, value: unknown): string | undefined {
  const there = flag.variants[index];
  return (variantWith(flag, value, there) ?? there)?.key;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
