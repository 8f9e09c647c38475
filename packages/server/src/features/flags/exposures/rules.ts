import {
  type CompiledFlag,
  type CompiledRuleset,
  type Evaluation,
  type EvaluationContext,
  type Outcome,
  ofrepReason,
  TARGETING_KEY,
  unitBehind,
  unitOf,
} from '@fanion/flag-engine';
import type { Evaluations, SeenEvaluation } from '@fanion/telemetry';
import { Recent } from './recent.ts';

/** Where a flag was evaluated: the numbers that the control plane assigns, and the environment's key. */
export interface EvaluationPlace {
  readonly projectId: string;
  readonly environmentId: string;
  readonly workspaceNumber: number;
  readonly projectNumber: number;
  readonly environmentKey: string;
}

export interface TallyLimits {
  /** Evaluations stored individually between two takes; further ones are counted without their unit and trace. */
  readonly seen: number;
  /** Different answers counted between two takes; further ones are lost and reported. */
  readonly answers: number;
  /** Units remembered as stored, in each of two generations. */
  readonly units: number;
  /** How long a stored unit of a split is not stored again, in milliseconds. */
  readonly unitMs: number;
}

export const tallyLimits: TallyLimits = { seen: 5_000, answers: 20_000, units: 50_000, unitMs: 3_600_000 };

/** What was counted in one place between two takes. */
export interface Taken extends Evaluations {
  readonly place: EvaluationPlace;
}

export interface TallyStats {
  /** Evaluations that were counted. */
  readonly counted: number;
  /** Of these, those whose unit or trace should have been stored and was not. */
  readonly unseen: number;
  /** Evaluations that were not even counted. */
  readonly lost: number;
}

/** What a flag answered, and whether a percentage rollout decided by the unit. */
export type Answered = Pick<Outcome, 'evaluation' | 'bucketed'>;

/** An answer as it is counted. A client that has counted its own evaluations does not say why they were served. */
export type Countable = Pick<Evaluation, 'key' | 'variant' | 'flag_version' | 'tracked' | 'error'> & {
  readonly reason: Evaluation['reason'] | 'UNKNOWN';
};

interface Counter {
  readonly at: number;
  readonly variant: string;
  readonly reason: string;
  readonly version: number;
  readonly tracked: boolean;
  readonly error: string;
  count: number;
}

interface PlaceTally {
  readonly place: EvaluationPlace;
  readonly counters: Map<string, Counter[]>;
  readonly seen: SeenEvaluation[];
}

const LONGEST_UNIT = 1024;

/**
 * Counts evaluations in memory. Each one of a known flag is counted by its answer. One that a percentage rollout decided is
 * stored with its unit, once an hour, whether or not the rollout is tracked, and one within a recorded trace is stored with its
 * trace. Every answer passes through here, so nothing is allocated for what was seen before: 0.13 µs, 0.5 µs for a known
 * unit of a split, 2.5 µs for a new one.
 */
export class Tally {
  readonly #limits: TallyLimits;
  readonly #kept: Recent;
  #places = new Map<string, PlaceTally>();
  #last: PlaceTally | undefined;
  #answers = 0;
  #seen = 0;
  #counted = 0;
  #unseen = 0;
  #lost = 0;

  constructor(limits: TallyLimits = tallyLimits) {
    this.#limits = limits;
    this.#kept = new Recent(limits.units, limits.unitMs);
  }

  /**
   * Counts one evaluation. Ignores the key of an unknown flag.
   * @param traceparent the request's header, W3C trace context
   * @param now Unix milliseconds
   * @param at when it was evaluated
   */
  saw(
    place: EvaluationPlace,
    ruleset: CompiledRuleset,
    { evaluation: result, bucketed }: Answered,
    context: EvaluationContext,
    traceparent: string | string[] | undefined,
    now: number,
    at = now,
  ): void {
    if (result.error?.code === 'FLAG_NOT_FOUND') return;
    this.#counted++;
    const tally = this.#last?.place.environmentId === place.environmentId ? this.#last : this.#tallyOf(place);
    if (bucketed || traceparent !== undefined) {
      if (this.#keep(tally, ruleset, { evaluation: result, bucketed }, context, traceOf(traceparent), now, at)) return;
    }
    this.#count(tally, result, now, 1);
  }

  /** Counts evaluations of one answer together. */
  add(place: EvaluationPlace, answer: Countable, times: number, now: number): void {
    this.#counted += times;
    this.#count(this.#tallyOf(place), answer, now, times);
  }

  /** Whether there is anything to take. */
  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** Returns everything counted since the last take. */
  take(): Taken[] {
    const taken = [...this.#places.values()].map(({ place, counters, seen }) => ({
      place,
      counted: [...counters].flatMap(([flag, list]) =>
        list.map(({ version, ...counter }) => ({ ...counter, flag, version: String(version) })),
      ),
      seen,
    }));
    this.#places = new Map();
    this.#last = undefined;
    this.#answers = 0;
    this.#seen = 0;
    return taken;
  }

  stats(): TallyStats {
    return { counted: this.#counted, unseen: this.#unseen, lost: this.#lost };
  }

  #tallyOf(place: EvaluationPlace): PlaceTally {
    let tally = this.#places.get(place.environmentId);
    if (tally === undefined) {
      tally = { place, counters: new Map(), seen: [] };
      this.#places.set(place.environmentId, tally);
    }
    this.#last = tally;
    return tally;
  }

  /** Returns whether it is stored individually; otherwise the caller counts it. */
  #keep(
    tally: PlaceTally,
    ruleset: CompiledRuleset,
    answered: Answered,
    context: EvaluationContext,
    trace: TraceContext | undefined,
    now: number,
    at: number,
  ): boolean {
    const { evaluation: result, bucketed } = answered;
    const isTraced = trace?.recorded === true;
    if (!bucketed && !isTraced) return false;
    const { unit, kind } = unitOfAnswer(ruleset, answered, context);
    const isFirst =
      bucketed &&
      unit !== '' &&
      this.#kept.isNew(
        `${tally.place.environmentId} ${result.key} ${result.flag_version} ${result.variant} ${kind} ${unit}`,
        now,
      );
    if (!isFirst && !isTraced) return false;
    if (this.#seen >= this.#limits.seen) {
      this.#unseen++;
      return false;
    }
    this.#seen++;
    tally.seen.push({
      at,
      flag: result.key,
      variant: result.variant ?? '',
      reason: reasonOf(result),
      version: String(result.flag_version),
      tracked: result.tracked === true,
      error: result.error?.code ?? '',
      unit,
      kind,
      traceId: trace?.traceId ?? '',
      spanId: trace?.spanId ?? '',
    });
    return true;
  }

  #count(tally: PlaceTally, result: Countable, now: number, times: number): void {
    const { key, flag_version: version } = result;
    const variant = result.variant ?? '';
    const tracked = result.tracked === true;
    const reason = reasonOf(result);
    const error = result.error?.code ?? '';
    let counters = tally.counters.get(key);
    if (counters === undefined) {
      counters = [];
      tally.counters.set(key, counters);
    }
    for (const counter of counters) {
      if (
        counter.variant === variant &&
        counter.reason === reason &&
        counter.version === version &&
        counter.tracked === tracked &&
        counter.error === error
      ) {
        counter.count += times;
        return;
      }
    }
    if (this.#answers >= this.#limits.answers) {
      this.#lost += times;
      return;
    }
    this.#answers++;
    counters.push({ at: now, variant, reason, version, tracked, error, count: times });
  }
}

const reasons = new Map<Countable['reason'], string>([['UNKNOWN', 'unknown']]);

/** In OpenTelemetry's terms, which clients also report, so that both sources count alike. */
function reasonOf({ reason }: Pick<Countable, 'reason'>): string {
  const known = reasons.get(reason);
  if (known !== undefined || reason === 'UNKNOWN') return known ?? '';
  const word = ofrepReason(reason).toLowerCase();
  reasons.set(reason, word);
  return word;
}

/**
 * The unit of an answer: the value that decided the bucket if that is an attribute other than the targeting key (an
 * experiment counts the units that it splits), else the targeting key.
 */
export function unitOfAnswer(
  ruleset: CompiledRuleset,
  { evaluation: result, bucketed }: Answered,
  context: EvaluationContext,
): { unit: string; kind: string } {
  const flag = bucketed ? ruleset.flags.get(result.key) : undefined;
  const rollout = flag === undefined ? undefined : rolloutOf(flag, result.rule_id);
  const behind = rollout === undefined ? undefined : unitBehind(rollout, ruleset, context);
  if (behind === undefined || behind.attribute === TARGETING_KEY)
    return { unit: short(unitOf(context[TARGETING_KEY]) ?? ''), kind: '' };
  return { unit: short(behind.unit), kind: behind.attribute };
}

function rolloutOf({ plan }: CompiledFlag, ruleId: string | undefined) {
  if (plan.malformed !== undefined) return undefined;
  const serve = ruleId === undefined ? plan.fallthrough : plan.rules.find(({ source }) => source.id === ruleId)?.serve;
  return serve?.rollout;
}

/** A copy, since a substring would keep the whole text in memory. */
function short(unit: string): string {
  return unit.length <= LONGEST_UNIT ? unit : Buffer.from(unit.slice(0, LONGEST_UNIT)).toString();
}

interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** The caller records the trace, so its spans will arrive. */
  readonly recorded: boolean;
}

const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const none = /^0+$/;

/** W3C trace context, "traceparent"; undefined if malformed. */
export function traceOf(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string' || header.length < 55 || header.length > 512) return undefined;
  const [, traceId, spanId, flags] = traceparentForm.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (header.startsWith('ff') || none.test(traceId) || none.test(spanId)) return undefined;
  return { traceId, spanId, recorded: (Number.parseInt(flags, 16) & 1) === 1 };
}
