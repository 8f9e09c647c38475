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
import { createMoments, type Moment } from './moments.ts';
import { isWritten, saveEvaluation } from './save-evaluation.ts';
import { type AlertShards, createShards } from './shards.ts';
import { missedSlots } from './slot-rules.ts';
import { type Evaluation, step } from './step-rules.ts';
import { createTrackedRules, isDue, type Tracked } from './tracked.ts';

export interface AlertRunner {
  /** Begins to claim shards and to evaluate their rules. */
  start(): void;
  /** Claims shards, evaluates what is due and resolves when that is done. What `start` does by itself. */
  runDue(): Promise<void>;
  /** Ends what is being evaluated and gives the shards back. */
  stop(): Promise<void>;
}

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
export function createAlertRunner(options: AlertRunnerOptions): AlertRunner {
  const { db, clock, log, holder, evaluate, notifications, arrivals, concurrency = 16, pollMs = 200 } = options;
  const { isClockTrusted = () => true } = options;
  const stopping = new AbortController();
  // Each evaluation listens for the end, and its queries while they wait.
  setMaxListeners(4 * concurrency, stopping.signal);
  const running = new Map<string, Promise<void>>();
  const rules = createTrackedRules({ db, clock });
  const moments = createMoments(arrivals);
  const count = countEvaluations(options.metrics ?? new Registry());
  /** The ids of rules that are due, the oldest first. */
  let due: string[] = [];
  const shards: AlertShards = createShards({ db, clock, holder, load: rules.load });
  let hasShards = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  /** Starts what is due, as far as there is room; what ends makes room for the next. */
  async function startDue(): Promise<void> {
    const now = clock.now();
    const found: Tracked[] = [];
    for (const rule of rules.all()) if (isDue(rule, now) && !running.has(rule.row.id)) found.push(rule);
    if (found.length > 0) await arrivals.refresh();
    due = found.sort((a, b) => a.dueAt - b.dueAt).map(({ row }) => row.id);
    fill();
  }

  function fill(): void {
    while (running.size < concurrency && !stopping.signal.aborted && isClockTrusted()) {
      const id = due.shift();
      if (id === undefined) return;
      const rule = rules.get(id);
      // It may have been evaluated since the list was made.
      if (rule === undefined || running.has(id) || !isDue(rule, clock.now())) continue;
      const moment = moments.ofDue(rule, clock.now());
      if (moment === undefined) continue;
      const ended = evaluateOne(rule, moment)
        .catch((error: unknown) => log.error({ err: error, rule: id }, 'an alert rule could not be evaluated'))
        .finally(() => {
          running.delete(id);
          fill();
        });
      running.set(id, ended);
    }
  }

  async function evaluateOne(rule: Tracked, moment: Moment): Promise<void> {
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
      rules.put({ ...after, askedFor: rule.askedFor });
      return;
    }
    const delayed = moments.mayMissRows(rule, moment);
    let evaluation: Evaluation;
    let error: string | null = null;
    try {
      const { samples } = await evaluate(rule.evaluated, at, stopping.signal);
      evaluation = { at, outcome: 'answered', samples, delayed };
    } catch (thrown) {
      if (stopping.signal.aborted) return;
      if (mayPass(thrown) && rule.attempts + 1 < maxAttempts) {
        rules.put({ ...rule, slot, missed, attempts: rule.attempts + 1, dueAt: clock.now() + retryMs });
        return;
      }
      error = failureText(thrown);
      log.warn({ err: thrown, rule: row.id }, 'the query of an alert rule failed');
      evaluation = { at, outcome: 'failed' };
    }
    // It may have been set while the query ran, or before: the window was another one.
    if (!isClockTrusted()) return;
    count(evaluation.outcome, clock.now() - slot);
    const stepped = step(semanticsOf(row.definition, rule.reads), row.definition, rule.state, evaluation);
    const evaluated = { ...after, state: stepped.state, error, delayed };
    if (!(await saveEvaluation({ db, clock, notifications, shards }, rule, stepped, evaluated))) rules.forget(row.id);
    else rules.put({ ...evaluated, missed: isWritten(rule, stepped, evaluated) ? 0 : missed });
  }

  /** Others take the shards; what this replica knows of their rules is read again when it takes shards itself. */
  async function giveUp(): Promise<void> {
    if (!hasShards) return;
    due = [];
    await Promise.all(running.values());
    for (const { row } of rules.all()) rules.forget(row.id);
    await shards.release();
    hasShards = false;
  }

  async function look(): Promise<void> {
    if (!isClockTrusted()) {
      await giveUp();
      return;
    }
    hasShards = true;
    await shards.renew();
    for (const { row } of rules.all()) if (shards.held(row.shard) === undefined) rules.forget(row.id);
    await startDue();
  }

  function schedule(): void {
    timer = setTimeout(() => {
      looking = look()
        .catch((error: unknown) => log.warn({ err: error }, 'could not look for due alert rules'))
        .finally(() => {
          looking = undefined;
          if (!stopping.signal.aborted) schedule();
        });
    }, nextLookMs());
  }

  /** Until the next slot of a rule, or for a moment where rules of short intervals wait for rows that are being stored. */
  function nextLookMs(): number {
    const now = clock.now();
    let dueAt = now + pollMs;
    for (const rule of rules.all())
      if (!running.has(rule.row.id) && (rule.dueAt > now || rule.slots.everyMs < shortIntervalMs))
        dueAt = Math.min(dueAt, rule.dueAt);
    return Math.max(dueAt - now, shortestPollMs);
  }

  return {
    start: schedule,
    async runDue() {
      await look();
      while (running.size > 0) await Promise.race(running.values());
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await looking;
      await Promise.all(running.values());
      await shards.release();
    },
  };
}
