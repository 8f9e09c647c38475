/**
 * How the instances of an alert rule move from one evaluation to the next. The semantics are Prometheus' (`for`,
 * `keep_firing_for`), with two differences: time counts only while evaluations succeed, and what happens without data is
 * a policy of the rule.
 */

/** `no_data` and `error` are states of the instance that stands for the rule itself. Both notify as `firing` does. */
export const instanceStates = ['inactive', 'pending', 'firing', 'recovering', 'resolved', 'no_data', 'error'] as const;
export type InstanceState = (typeof instanceStates)[number];

/** Why an instance moved, where it was not its value. */
export type Reason = 'missing_series' | 'no_data' | 'error';

export interface Semantics {
  readonly everyMs: number;
  /** How long the condition must hold before an instance fires. */
  readonly forMs: number;
  /** How long an instance continues to fire after the condition ended. */
  readonly keepFiringForMs: number;
  readonly noData: 'alert' | 'ok' | 'keep';
  readonly missingSeries: 'resolve' | 'keep' | 'alert';
  /** Whether a missing row means that a condition inside the query does not hold: under `resolve`, it then ends an alert as a false one does. */
  readonly missingIsFalse: boolean;
  readonly onError: 'keep' | 'alert';
}

export type Labels = Readonly<Record<string, string>>;

/** One instance. All times are milliseconds since the epoch. */
export interface Instance {
  readonly identity: string;
  readonly labels: Labels;
  readonly state: InstanceState;
  /** The value of the last evaluation that had one. */
  readonly value: number | null;
  /** Since when the condition has held, without the time in which nothing could be evaluated. */
  readonly activeSince: number | null;
  readonly firedAt: number | null;
  readonly resolvedAt: number | null;
  /** Since when the condition has not held, while the instance is recovering. */
  readonly recoveringSince: number | null;
  /** Evaluations in a row that answered for others, but not for this instance. */
  readonly missed: number;
  /** When it began or stopped to fire, within the last hour. */
  readonly turns: readonly number[];
}

export interface RuleState {
  /** Time of the last evaluation that succeeded; null before the first. */
  readonly evaluatedAt: number | null;
  readonly instances: ReadonlyMap<string, Instance>;
}

/** One row of an answer: an instance, its value (null: none), and whether the condition holds for it. */
export interface Sample {
  readonly identity: string;
  readonly labels: Labels;
  readonly value: number | null;
  readonly holds: boolean;
}

export type Evaluation =
  | {
      readonly at: number;
      readonly outcome: 'answered';
      readonly samples: readonly Sample[];
      /** Rows of this time may not be stored yet, so nothing may resolve. */
      readonly delayed: boolean;
    }
  | { readonly at: number; readonly outcome: 'failed' };

export interface Transition {
  readonly identity: string;
  readonly at: number;
  readonly from: InstanceState;
  readonly to: InstanceState;
  readonly value: number | null;
  readonly reason: Reason | null;
}

export interface Stepped {
  readonly state: RuleState;
  readonly transitions: readonly Transition[];
}

/** The identity of the instance that stands for the rule itself; those of rows are JSON. */
export const ruleItself = 'rule';

const hourMs = 3_600_000;
/** A pending instance starts again after a longer gap. */
const longestGapMs = hourMs;
const missesThatCount = 2;
/** Between two successes so much time counts even if the interval of the rule is shorter: an evaluation may be skipped. */
const leastCountedMs = 5_000;
const turnsOfFlapping = 5;
/** How long a resolved instance remains in lists. */
export const resolvedKeptMs = 24 * hourMs;
/** How long a missing series fires under `missing_series: alert`. */
const seriesKeptMs = 24 * hourMs;

export const noState: RuleState = { evaluatedAt: null, instances: new Map() };

export function isFiring({ state }: Pick<Instance, 'state'>): boolean {
  return state === 'firing' || state === 'recovering' || state === 'no_data' || state === 'error';
}

export function isFlapping({ turns }: Pick<Instance, 'turns'>, now: number): boolean {
  return turns.filter((at) => at > now - hourMs).length >= turnsOfFlapping;
}

/** Applies one evaluation. `rule` has the labels of the instance that stands for the rule itself. */
export function step(
  semantics: Semantics,
  rule: { readonly labels: Labels },
  before: RuleState,
  evaluation: Evaluation,
): Stepped {
  const moves = createMoves(before, evaluation.at);
  if (evaluation.outcome === 'failed') {
    for (const instance of before.instances.values()) moves.put(instance);
    if (semantics.onError === 'alert') moves.put(ownInstance(before, rule.labels, evaluation.at, 'error'), 'error');
    // Timers stand still: `evaluatedAt` stays, and the next success counts one interval.
    return moves.end(before.evaluatedAt);
  }
  const { at, samples, delayed } = evaluation;
  const interval = intervalSince(semantics.everyMs, before.evaluatedAt, at);
  const hasData = samples.some(({ value }) => value !== null);
  const own = stepOwnInstance(semantics, rule.labels, before, { at, interval, hasData });
  if (own !== undefined) moves.put(own, hasData ? null : 'no_data');

  const found = new Map(samples.map((sample) => [sample.identity, sample]));
  for (const instance of before.instances.values()) {
    if (instance.identity === ruleItself) continue;
    const sample = found.get(instance.identity);
    found.delete(instance.identity);
    const aged = age(instance, interval);
    const still = age(instance, { ...interval, countedMs: 0, gapMs: 0 });
    if (sample !== undefined && sample.value !== null) moves.put(withSample(semantics, aged, sample, evaluation));
    else if (hasData && semantics.missingIsFalse && semantics.missingSeries === 'resolve' && !delayed)
      moves.put(withoutCondition(semantics, { ...aged, missed: aged.missed + 1 }, at), 'missing_series');
    else if (hasData) moves.put(withoutSeries(semantics, still, evaluation), 'missing_series');
    else if (semantics.noData === 'ok' && !delayed) moves.put(withoutCondition(semantics, aged, at), 'no_data');
    else moves.put(still);
  }
  for (const sample of found.values())
    if (sample.value !== null) moves.put(withSample(semantics, newInstance(sample), sample, evaluation));
  return moves.end(at);
}

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
  /** How much of it counts. */
  readonly countedMs: number;
  readonly gapMs: number;
}

/**
 * How much of the time since the last success counts: at most one interval of the rule, or five seconds if that is longer, so that a
 * restart, an error or a jump of the clock neither fires an instance early nor resolves one.
 */
function intervalSince(everyMs: number, evaluatedAt: number | null, at: number): Interval {
  const since = evaluatedAt === null ? 0 : Math.max(0, at - evaluatedAt);
  const countedMs = Math.min(since, Math.max(everyMs, leastCountedMs));
  return { fromMs: evaluatedAt ?? at, toMs: at, countedMs, gapMs: since - countedMs };
}

/** Shifts the timers of an instance by the time that does not count. */
function age(instance: Instance, { fromMs, toMs, countedMs, gapMs }: Interval): Instance {
  const shifted = (since: number | null) => (since === null ? null : toMs - (fromMs - since) - countedMs);
  if (instance.state === 'pending')
    return { ...instance, activeSince: gapMs > longestGapMs ? toMs : shifted(instance.activeSince) };
  if (instance.state === 'recovering') return { ...instance, recoveringSince: shifted(instance.recoveringSince) };
  return instance;
}

function newInstance({ identity, labels }: Pick<Sample, 'identity' | 'labels'>): Instance {
  return {
    identity,
    labels,
    state: 'inactive',
    value: null,
    activeSince: null,
    firedAt: null,
    resolvedAt: null,
    recoveringSince: null,
    missed: 0,
    turns: [],
  };
}

type Moment = Pick<Extract<Evaluation, { outcome: 'answered' }>, 'at' | 'delayed'>;

function withSample(semantics: Semantics, instance: Instance, sample: Sample, { at, delayed }: Moment): Instance {
  const seen = { ...instance, labels: sample.labels, value: sample.value, missed: 0 };
  if (sample.holds) return withCondition(semantics, seen, at);
  return delayed ? seen : withoutCondition(semantics, seen, at);
}

function withCondition({ forMs }: Semantics, instance: Instance, at: number): Instance {
  const isActive = instance.state === 'pending' || isFiring(instance);
  const activeSince = isActive ? (instance.activeSince ?? at) : at;
  const active = { ...instance, activeSince, recoveringSince: null };
  // Also of one that fires: `for` may have been raised.
  if (at - activeSince < forMs) return { ...active, state: 'pending' };
  return { ...active, state: 'firing', firedAt: isFiring(instance) ? instance.firedAt : at, resolvedAt: null };
}

function withoutCondition({ keepFiringForMs }: Semantics, instance: Instance, at: number): Instance {
  if (instance.state === 'pending') return dropped(instance);
  if (!isFiring(instance)) return instance;
  const recoveringSince = instance.state === 'recovering' ? (instance.recoveringSince ?? at) : at;
  if (at - recoveringSince < keepFiringForMs) return { ...instance, state: 'recovering', recoveringSince };
  return resolved(instance, at);
}

/** Others answered and this one did not, which counts from the second time in a row. */
function withoutSeries({ missingSeries }: Semantics, instance: Instance, { at, delayed }: Moment): Instance {
  const missing = { ...instance, missed: instance.missed + 1 };
  if (missingSeries === 'keep' || delayed || missing.missed < missesThatCount) return missing;
  if (missingSeries === 'resolve') {
    if (instance.state === 'pending') return dropped(missing);
    return isFiring(instance) ? resolved(missing, at) : missing;
  }
  if (!isFiring(instance))
    return { ...missing, state: 'firing', activeSince: instance.activeSince ?? at, firedAt: at, resolvedAt: null };
  if (instance.firedAt !== null && at - instance.firedAt > seriesKeptMs) return resolved(missing, at);
  return { ...missing, state: 'firing', recoveringSince: null };
}

function dropped(instance: Instance): Instance {
  return { ...instance, state: 'inactive', activeSince: null };
}

function resolved(instance: Instance, at: number): Instance {
  return { ...instance, state: 'resolved', activeSince: null, resolvedAt: at, recoveringSince: null };
}

/** The instance that stands for the rule itself, firing. */
function ownInstance(before: RuleState, labels: Labels, at: number, state: 'error' | 'no_data'): Instance {
  const own = before.instances.get(ruleItself) ?? newInstance({ identity: ruleItself, labels });
  if (own.state === state) return own;
  const activeSince = own.state === 'pending' ? (own.activeSince ?? at) : at;
  return { ...own, labels, state, activeSince, firedAt: at, resolvedAt: null };
}

/** The instance that stands for the rule itself after an evaluation that succeeded. */
function stepOwnInstance(
  { noData, forMs }: Semantics,
  labels: Labels,
  before: RuleState,
  { at, interval, hasData }: { at: number; interval: Interval; hasData: boolean },
): Instance | undefined {
  const previous = before.instances.get(ruleItself);
  if (hasData || noData !== 'alert') {
    if (previous === undefined) return undefined;
    if (previous.state === 'pending') return dropped(previous);
    return isFiring(previous) ? resolved(previous, at) : previous;
  }
  if (previous?.state === 'no_data') return previous;
  const own = previous ?? newInstance({ identity: ruleItself, labels });
  const activeSince = own.state === 'pending' ? (age(own, interval).activeSince ?? at) : at;
  const pending: Instance = { ...own, labels, state: 'pending', activeSince };
  if (at - activeSince < forMs) return pending;
  return { ...pending, state: 'no_data', firedAt: at, resolvedAt: null };
}

/** Collects what an evaluation changes. */
function createMoves(before: RuleState, at: number) {
  const instances = new Map<string, Instance>();
  const transitions: Transition[] = [];

  return {
    put(next: Instance, reason: Reason | null = null): void {
      const { identity, state, value } = next;
      const previous = before.instances.get(identity);
      const from = previous?.state ?? 'inactive';
      if (from !== state) transitions.push({ identity, at, from, to: state, value, reason });
      const wasFiring = previous !== undefined && isFiring(previous);
      const recent = next.turns.filter((turn) => turn > at - hourMs);
      const turns = wasFiring === isFiring(next) ? recent : [...recent, at].slice(-turnsOfFlapping);
      instances.set(identity, { ...next, turns });
    },
    end(evaluatedAt: number | null): Stepped {
      for (const [identity, instance] of instances) if (isOver(instance, at)) instances.delete(identity);
      return { state: { evaluatedAt, instances }, transitions };
    },
  };
}

/** Whether an instance is forgotten. One that is inactive is kept while it is not missing, so that it can be missed. */
function isOver({ state, resolvedAt, missed }: Instance, at: number): boolean {
  if (state === 'resolved') return resolvedAt !== null && at - resolvedAt > resolvedKeptMs;
  return state === 'inactive' && missed >= missesThatCount;
}
