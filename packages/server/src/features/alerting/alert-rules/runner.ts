import { setMaxListeners } from 'node:events';
import type { Arrivals } from '../../../platform/arrivals/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { Registry } from '../../../platform/own-metrics.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { AlertNotifications } from '../alert-notifications.ts';
import { countEvaluations } from './count-evaluations.ts';
import { semanticsOf } from './definition-rules.ts';
import { type Evaluate, failureText, mayPass } from './evaluate.ts';
import { createMoments, type Moment, type Moments } from './moments.ts';
import { isWritten, saveEvaluation } from './save-evaluation.ts';
import { type AlertShards, createShards } from './shards.ts';
import { missedSlots } from './slot-rules.ts';
import { type Evaluation, step } from './step-rules.ts';
import { createTrackedRules, isDue, type Tracked, type TrackedRules } from './tracked.ts';

export interface AlertRunnerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this replica. */
  readonly holder: string;
  readonly evaluate: Evaluate;
  readonly notifications: Pick<AlertNotifications, 'fired' | 'wake'>;
  /** How late telemetry arrives, and up to when what was acknowledged can be queried. */
  readonly arrivals: Pick<Arrivals, 'refresh' | 'lateMs' | 'storedTo'>;
  /** Evaluations at once. @default 16 */
  readonly concurrency?: number;
  /** The longest time between two looks for rules that are due. @default 200 */
  readonly pollMs?: number;
  /** Without it, no rule is evaluated, and other replicas get the shards. @default always */
  readonly isClockTrusted?: () => boolean;
  /** Gets the runner's own metrics. */
  readonly metrics?: Registry;
}

/** Between two looks while a rule that is due waits. */
const shortestPollMs = 50;
/** A query that fails is asked so often within its slot, so far apart. */
const maxAttempts = 3;
const retryMs = 2_000;
/** Rows of rules with shorter intervals are looked for more often. */
const shortIntervalMs = 10_000;
/** An automatic offset grows by less than this; a clock that went back further than that is followed. */
const longestStepBackMs = 120_000;

/**
 * Evaluates alert rules, each once over all replicas. The state of a rule is in the memory of the replica that holds its shard;
 * only what changes is written, in a transaction that is refused once another replica holds the shard.
 */
export class AlertRunner {
  readonly #options: AlertRunnerOptions;
  readonly #concurrency: number;
  readonly #pollMs: number;
  readonly #isClockTrusted: () => boolean;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  readonly #rules: TrackedRules;
  readonly #moments: Moments;
  readonly #count: (outcome: 'answered' | 'failed', lateMs: number) => void;
  /** The ids of rules that are due, the oldest first. */
  #due: string[] = [];
  readonly #shards: AlertShards;
  #hasShards = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: AlertRunnerOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? 16;
    this.#pollMs = options.pollMs ?? 200;
    this.#isClockTrusted = options.isClockTrusted ?? (() => true);
    // Each evaluation listens for the end, and its queries while they wait.
    setMaxListeners(4 * this.#concurrency, this.#stopping.signal);
    const { db, clock, holder } = options;
    this.#rules = createTrackedRules({ db, clock });
    this.#moments = createMoments(options.arrivals);
    this.#count = countEvaluations(options.metrics ?? new Registry());
    this.#shards = createShards({ db, clock, holder, load: this.#rules.load });
  }

  /** Begins to claim shards and to evaluate their rules. */
  start(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.#look()
        .catch((error: unknown) => this.#options.log.warn({ err: error }, 'could not look for due alert rules'))
        .finally(() => {
          this.#looking = undefined;
          if (!this.#stopping.signal.aborted) this.start();
        });
    }, this.#nextLookMs());
  }

  /** Claims shards, evaluates what is due and resolves when that is done. What `start` does by itself. */
  async runDue(): Promise<void> {
    await this.#look();
    while (this.#running.size > 0) await Promise.race(this.#running.values());
  }

  /** Ends what is being evaluated and gives the shards back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all(this.#running.values());
    await this.#shards.release();
  }

  /** Starts what is due, as far as there is room; what ends makes room for the next. */
  async #startDue(): Promise<void> {
    const now = this.#options.clock.now();
    const found: Tracked[] = [];
    for (const rule of this.#rules.all()) if (isDue(rule, now) && !this.#running.has(rule.row.id)) found.push(rule);
    if (found.length > 0) await this.#options.arrivals.refresh();
    this.#due = found.sort((a, b) => a.dueAt - b.dueAt).map(({ row }) => row.id);
    this.#fill();
  }

  #fill(): void {
    const { clock, log } = this.#options;
    while (this.#running.size < this.#concurrency && !this.#stopping.signal.aborted && this.#isClockTrusted()) {
      const id = this.#due.shift();
      if (id === undefined) return;
      const rule = this.#rules.get(id);
      // It may have been evaluated since the list was made.
      if (rule === undefined || this.#running.has(id) || !isDue(rule, clock.now())) continue;
      const moment = this.#moments.ofDue(rule, clock.now());
      if (moment === undefined) continue;
      const ended = this.#evaluateOne(rule, moment)
        .catch((error: unknown) => log.error({ err: error, rule: id }, 'an alert rule could not be evaluated'))
        .finally(() => {
          this.#running.delete(id);
          this.#fill();
        });
      this.#running.set(id, ended);
    }
  }

  async #evaluateOne(rule: Tracked, moment: Moment): Promise<void> {
    const { evaluate, clock, log, db, notifications } = this.#options;
    const { row, slots } = rule;
    const { slot, at } = moment;
    const missed = rule.missed + (rule.attempts > 0 ? 0 : missedSlots(slots, rule.slot, slot));
    const after = {
      ...rule,
      slot: slot + slots.everyMs,
      dueAt: slot + slots.everyMs,
      attempts: 0,
      missed,
      askedFor: at,
    };
    // Telemetry has begun to arrive later: this time was asked for before.
    const isAskedAgain = rule.attempts === 0 && rule.askedFor !== undefined && at <= rule.askedFor;
    if (isAskedAgain && rule.askedFor - at <= longestStepBackMs) {
      this.#rules.put({ ...after, askedFor: rule.askedFor });
      return;
    }
    const delayed = this.#moments.mayMissRows(rule, moment);
    let evaluation: Evaluation;
    let error: string | null = null;
    try {
      const { samples } = await evaluate(rule.evaluated, at, this.#stopping.signal);
      evaluation = { at, outcome: 'answered', samples, delayed };
    } catch (thrown) {
      if (this.#stopping.signal.aborted) return;
      if (mayPass(thrown) && rule.attempts + 1 < maxAttempts) {
        this.#rules.put({ ...rule, slot, missed, attempts: rule.attempts + 1, dueAt: clock.now() + retryMs });
        return;
      }
      error = failureText(thrown);
      log.warn({ err: thrown, rule: row.id }, 'the query of an alert rule failed');
      evaluation = { at, outcome: 'failed' };
    }
    // It may have been set while the query ran, or before: the window was another one.
    if (!this.#isClockTrusted()) return;
    this.#count(evaluation.outcome, clock.now() - slot);
    const stepped = step(semanticsOf(row.definition, rule.reads), row.definition, rule.state, evaluation);
    const evaluated = { ...after, state: stepped.state, error, delayed };
    if (!(await saveEvaluation({ db, clock, notifications, shards: this.#shards }, rule, stepped, evaluated)))
      this.#rules.forget(row.id);
    else this.#rules.put({ ...evaluated, missed: isWritten(rule, stepped, evaluated) ? 0 : missed });
  }

  /** Others take the shards; what this replica knows of their rules is read again when it takes shards itself. */
  async #giveUp(): Promise<void> {
    if (!this.#hasShards) return;
    this.#due = [];
    await Promise.all(this.#running.values());
    for (const { row } of this.#rules.all()) this.#rules.forget(row.id);
    await this.#shards.release();
    this.#hasShards = false;
  }

  async #look(): Promise<void> {
    if (!this.#isClockTrusted()) {
      await this.#giveUp();
      return;
    }
    this.#hasShards = true;
    await this.#shards.renew();
    for (const { row } of this.#rules.all()) if (this.#shards.held(row.shard) === undefined) this.#rules.forget(row.id);
    await this.#startDue();
  }

  /** Until the next slot of a rule, or for a moment where rules of short intervals wait for rows that are being stored. */
  #nextLookMs(): number {
    const now = this.#options.clock.now();
    let dueAt = now + this.#pollMs;
    for (const rule of this.#rules.all())
      if (!this.#running.has(rule.row.id) && (rule.dueAt > now || rule.slots.everyMs < shortIntervalMs))
        dueAt = Math.min(dueAt, rule.dueAt);
    return Math.max(dueAt - now, shortestPollMs);
  }
}
