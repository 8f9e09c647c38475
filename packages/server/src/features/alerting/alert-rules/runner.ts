import { setMaxListeners } from 'node:events';
import { type Arrivals, automaticOffsetMs, type QueryReads } from '../../../platform/arrivals/index.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { durationMs } from '../../../platform/durations.ts';
import type { Log } from '../../../platform/log.ts';
import { Registry } from '../../../platform/own-metrics.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { readsOfRule } from '../../telemetry/promql/index.ts';
import type { AlertNotifications, FiredAlert } from '../alert-notifications.ts';
import { createAlike } from './alike.ts';
import { countEvaluations } from './count-evaluations.ts';
import { semanticsOf } from './definition-rules.ts';
import { type Evaluate, type EvaluatedRule, failureText, mayPass } from './evaluate.ts';
import { listInstancesOf, saveInstances } from './instances-store.ts';
import { type AlertShards, createShards, type ShardToRead } from './shards.ts';
import { holdsShard, saveHealth } from './shards-store.ts';
import { alertVariant, normalText } from './shared-answers.ts';
import { latestSlot, missedSlots, nextSlot, type Slots } from './slot-rules.ts';
import { slotsOf } from './spread.ts';
import { type Evaluation, type Instance, isFiring, noState, type RuleState, type Stepped, step } from './step-rules.ts';
import { type AlertRuleRow, listRulesById, listVersions } from './store.ts';

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
  /** Gets the runner's own metrics. */
  readonly metrics?: Registry;
}

/** A rule as its shard's holder keeps it between evaluations. */
interface Tracked {
  readonly row: AlertRuleRow;
  /** Rules of one shape ask for the same windows at the same slots. */
  readonly shape: string;
  readonly evaluated: EvaluatedRule;
  readonly slots: Slots;
  readonly reads: QueryReads;
  readonly state: RuleState;
  /** The slot that is due next. */
  readonly slot: number;
  /** When it is due: the slot itself, or a while later for another attempt. */
  readonly dueAt: number;
  readonly attempts: number;
  readonly error: string | null;
  /** Whether rows that were acknowledged may have been missing in the last evaluation. */
  readonly delayed: boolean;
  /** Slots skipped since this was written last. */
  readonly missed: number;
  /** The time that the last evaluation asked for; undefined before the first one here. */
  readonly askedFor: number | undefined;
}

/** The slot of an evaluation that begins now. */
interface Moment {
  readonly slot: number;
  /** The time that it asks for: the slot, less the offset. */
  readonly at: number;
  /** When telemetry of that time has been received. */
  readonly receivedBy: number;
}

/** Between two looks while a rule that is due waits. */
const shortestPollMs = 50;
/** Rules that are read by one statement. */
const rulesAtOnce = 1_000;
/** A query that fails is asked so often within its slot, so far apart. */
const maxAttempts = 3;
const retryMs = 2_000;
/**
 * How long an evaluation waits for rows that are still in a log. It ends so long before the next slot that this one is not missed, unless the
 * interval is shorter than the shortest wait.
 */
const longestWaitMs = 60_000;
const shortestWaitMs = 8_000;
const beforeNextSlotMs = 2_000;
/** Rows of rules with shorter intervals are looked for more often, and skipped slots of these are written once a minute. */
const shortIntervalMs = 10_000;
/** An automatic offset grows by less than this; a clock that went back further than that is followed. */
const longestStepBackMs = 120_000;

/**
 * Evaluates alert rules, each once over all replicas. The state of a rule is in the memory of the replica that holds its shard;
 * only what changes is written, in a transaction that is refused once another replica holds the shard.
 */
export function createAlertRunner(options: AlertRunnerOptions): AlertRunner {
  const { db, clock, log, holder, evaluate, notifications, arrivals, concurrency = 16, pollMs = 200 } = options;
  const stopping = new AbortController();
  // Each evaluation listens for the end, and its queries while they wait.
  setMaxListeners(4 * concurrency, stopping.signal);
  const running = new Map<string, Promise<void>>();
  const rules = new Map<string, Tracked>();
  const alike = createAlike();
  const count = countEvaluations(options.metrics ?? new Registry());
  /** The ids of rules that are due, the oldest first. */
  let due: string[] = [];
  const shards: AlertShards = createShards({ db, clock, holder, load });
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  /** Reads the rules of shards; those that are the same as before keep their state. */
  async function load(stale: readonly ShardToRead[]): Promise<void> {
    const evaluatedAt = new Map(stale.map((one) => [one.shard, one.evaluatedAt]));
    const taken = new Set(stale.filter(({ isTaken }) => isTaken).map(({ shard }) => shard));
    const versions = await listVersions(db, [...evaluatedAt.keys()]);
    for (const [id, { row }] of rules)
      if (taken.has(row.shard) || (evaluatedAt.has(row.shard) && !versions.has(id))) forget(id);
    const changed = [...versions].flatMap(([id, version]) => (rules.get(id)?.row.version === version ? [] : [id]));
    const breath = createBreath();
    for (let i = 0; i < changed.length; i += rulesAtOnce) {
      const ids = changed.slice(i, i + rulesAtOnce);
      const rows = await listRulesById(db, ids);
      const instances = await listInstancesOf(
        db,
        ids.filter((id) => !rules.has(id)),
      );
      for (const row of rows) {
        const stored = instances.get(row.id) ?? [];
        const state = rules.get(row.id)?.state ?? restored(row, stored, evaluatedAt.get(row.shard) ?? null);
        forget(row.id);
        track(row, state);
        // Each query is parsed.
        await breath();
      }
    }
  }

  function track(row: AlertRuleRow, state: RuleState): void {
    const variant = isPromql(row) ? undefined : alertVariant(row.query);
    const shape = shapeOfRule(row, variant?.form);
    const together = variant && (() => alike.togetherWith(shape, variant));
    if (variant !== undefined) alike.add(shape, row.id, variant);
    const reads = readsOfRule({ ...row.definition, query: row.query });
    rules.set(row.id, tracked(row, { shape, variant, together, reads, state, now: clock.now() }));
  }

  function forget(id: string): void {
    const rule = rules.get(id);
    if (rule === undefined) return;
    alike.remove(rule.shape, id);
    rules.delete(id);
  }

  /** Starts what is due, as far as there is room; what ends makes room for the next. */
  async function startDue(): Promise<void> {
    const now = clock.now();
    const found: Tracked[] = [];
    for (const rule of rules.values()) if (isDue(rule, now) && !running.has(rule.row.id)) found.push(rule);
    if (found.length > 0) await arrivals.refresh();
    due = found.sort((a, b) => a.dueAt - b.dueAt).map(({ row }) => row.id);
    fill();
  }

  function fill(): void {
    while (running.size < concurrency && !stopping.signal.aborted) {
      const id = due.shift();
      if (id === undefined) return;
      const rule = rules.get(id);
      // It may have been evaluated since the list was made.
      if (rule === undefined || running.has(id) || !isDue(rule, clock.now())) continue;
      const moment = dueMoment(rule, clock.now());
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

  function momentOf({ row, slots, reads: { signals } }: Tracked, slot: number): Moment {
    const { offset } = row.definition;
    const lateMs = arrivals.lateMs(row.project_number, signals);
    const at = slot - (offset === null ? automaticOffsetMs(lateMs, slots.everyMs) : durationMs(offset));
    return { slot, at, receivedBy: Math.min(slot, at + lateMs) };
  }

  function storedTo({ row, reads: { signals } }: Tracked) {
    return arrivals.storedTo({ workspace: row.workspace_number, project: row.project_number }, signals);
  }

  /**
   * The latest slot of whose time all rows are stored. Where that is none that is due, undefined while servers that run may still store
   * them, and then the latest slot.
   */
  function dueMoment(rule: Tracked, now: number): Moment | undefined {
    const { slots, row } = rule;
    if (rule.attempts > 0) return momentOf(rule, rule.slot);
    const latest = momentOf(rule, latestSlot(slots, now));
    if (row.definition.burn !== undefined) return latest;
    const storedMs = storedTo(rule).running;
    if (latest.receivedBy <= storedMs) return latest;
    const complete = momentOf(rule, latestSlot(slots, storedMs + latest.slot - latest.receivedBy));
    if (complete.slot >= rule.slot) return complete;
    const waitMs = Math.max(shortestWaitMs, Math.min(longestWaitMs, slots.everyMs - beforeNextSlotMs));
    return now < rule.slot + waitMs && rule.slot <= latest.slot ? undefined : latest;
  }

  async function evaluateOne(rule: Tracked, { slot, at, receivedBy }: Moment): Promise<void> {
    const { row, slots } = rule;
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
      put({ ...after, askedFor: rule.askedFor });
      return;
    }
    const delayed = receivedBy > storedTo(rule).all && row.definition.burn === undefined;
    let evaluation: Evaluation;
    let error: string | null = null;
    try {
      const { samples } = await evaluate(rule.evaluated, at, stopping.signal);
      evaluation = { at, outcome: 'answered', samples, delayed };
    } catch (thrown) {
      if (stopping.signal.aborted) return;
      if (mayPass(thrown) && rule.attempts + 1 < maxAttempts) {
        put({ ...rule, slot, missed, attempts: rule.attempts + 1, dueAt: clock.now() + retryMs });
        return;
      }
      error = failureText(thrown);
      log.warn({ err: thrown, rule: row.id }, 'the query of an alert rule failed');
      evaluation = { at, outcome: 'failed' };
    }
    count(evaluation.outcome, clock.now() - slot);
    const stepped = step(semanticsOf(row.definition, rule.reads), row.definition, rule.state, evaluation);
    const evaluated = { ...after, state: stepped.state, error, delayed };
    if (!(await save(rule, stepped, evaluated))) forget(row.id);
    else put({ ...evaluated, missed: isWritten(rule, stepped, evaluated) ? 0 : missed });
  }

  /** Unless the rule was read anew meanwhile. */
  function put(rule: Tracked): void {
    if (rules.get(rule.row.id)?.row === rule.row) rules.set(rule.row.id, rule);
  }

  /** Writes what an evaluation changed; returns false where it does not count any more, and the rule is to be read again. */
  async function save(before: Tracked, stepped: Stepped, after: Tracked): Promise<boolean> {
    if (!isWritten(before, stepped, after)) return true;
    const { row } = before;
    const held = shards.held(row.shard);
    if (held === undefined) return false;
    const now = new Date(clock.now());
    const isSaved = await db.transaction().execute(async (trx) => {
      if (!(await holdsShard(trx, row.shard, held.epoch))) {
        shards.lose(row.shard);
        return false;
      }
      const evaluatedAt = after.state.evaluatedAt === null ? null : new Date(after.state.evaluatedAt);
      const { error, delayed, missed } = after;
      if (!(await saveHealth(trx, row, { evaluatedAt, error, delayed, missed }))) {
        shards.reload(row.shard);
        return false;
      }
      const ids = await saveInstances(trx, row, changedInstances(before.state, stepped), stepped.transitions, now);
      const offsetMs = after.slot - after.slots.everyMs - (after.askedFor ?? 0);
      await notifications.fired(trx, row.workspace_id, firedBy(row, stepped, ids, offsetMs), now);
      return true;
    });
    if (isSaved && stepped.transitions.length > 0) notifications.wake();
    return isSaved;
  }

  async function look(): Promise<void> {
    await shards.renew();
    for (const [id, { row }] of rules) if (shards.held(row.shard) === undefined) forget(id);
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
    for (const rule of rules.values())
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

function tracked(
  row: AlertRuleRow,
  {
    shape,
    variant,
    together,
    reads,
    state,
    now,
  }: Pick<EvaluatedRule, 'variant' | 'together'> & {
    shape: string;
    reads: QueryReads;
    state: RuleState;
    now: number;
  },
): Tracked {
  const slots = slotsOf(shape, durationMs(row.definition.every));
  const slot = state.evaluatedAt === null ? nextSlot(slots, now) : latestSlot(slots, now);
  return {
    row,
    shape,
    evaluated: {
      name: row.name,
      scope: {
        workspace: row.workspace_number,
        project: row.project_number,
        environment: row.environment ?? undefined,
      },
      query: row.query,
      definition: row.definition,
      variant,
      ...(together && { together }),
    },
    slots,
    reads,
    state,
    slot,
    dueAt: slot,
    attempts: 0,
    error: row.last_error,
    delayed: row.delayed,
    missed: 0,
    askedFor: undefined,
  };
}

/**
 * Rules of one shape ask the same question at the same slots, so that they can share its answer.
 * @param form what the query has in common with others that one scan can answer
 */
function shapeOfRule(row: AlertRuleRow, form = isPromql(row) ? `promql ${row.query}` : normalText(row.query)): string {
  const { workspace_number, project_number, environment } = row;
  const { every, offset, window } = row.definition;
  return JSON.stringify([workspace_number, project_number, environment, form, every, offset, window]);
}

function isPromql({ definition }: Pick<AlertRuleRow, 'definition'>): boolean {
  return definition.query_language === 'promql';
}

/** The state of a rule as its last holder left it. */
function restored(row: AlertRuleRow, instances: readonly Instance[], shardEvaluatedAt: Date | null): RuleState {
  if (row.evaluated_at === null && instances.length === 0) return noState;
  // While evaluations fail, time stands still: the last success counts.
  const evaluatedAt = row.last_error === null ? (shardEvaluatedAt ?? row.evaluated_at) : row.evaluated_at;
  return {
    evaluatedAt: evaluatedAt?.getTime() ?? null,
    instances: new Map(instances.map((instance) => [instance.identity, instance])),
  };
}

/** After the clock went back, a slot in the far future is due too. */
function isDue({ dueAt, slots }: Tracked, now: number): boolean {
  return dueAt <= now || dueAt > now + 2 * slots.everyMs;
}

/** Whether an evaluation left anything to write: while nothing changes, nothing is. */
function isWritten(before: Tracked, { transitions }: Stepped, after: Tracked): boolean {
  const isFirst = before.state.evaluatedAt === null && after.state.evaluatedAt !== null;
  return (
    transitions.length > 0 ||
    before.error !== after.error ||
    before.delayed !== after.delayed ||
    (after.missed > 0 && (after.slots.everyMs >= shortIntervalMs || isNewMinute(before, after))) ||
    isFirst ||
    hasNewValue(before, after)
  );
}

function isNewMinute(before: Tracked, after: Tracked): boolean {
  const minuteOf = ({ state }: Tracked) => Math.floor((state.evaluatedAt ?? 0) / 60_000);
  return minuteOf(before) !== minuteOf(after);
}

/** Values of firing instances are written once a minute, for people who look at them. */
function hasNewValue(before: Tracked, after: Tracked): boolean {
  return (
    isNewMinute(before, after) && changedInstances(before.state, { state: after.state, transitions: [] }).length > 0
  );
}

/** The instances that began to fire, as notifications know them. */
function firedBy(
  { name }: AlertRuleRow,
  { state, transitions }: Stepped,
  ids: ReadonlyMap<string, string>,
  offsetMs: number,
): FiredAlert[] {
  return transitions.flatMap(({ identity, from }) => {
    const instance = state.instances.get(identity);
    const instanceId = ids.get(identity);
    if (instance === undefined || instanceId === undefined || isFiring({ state: from }) || !isFiring(instance))
      return [];
    // A query asks for the time before its slot; nobody could have been notified earlier than at the slot.
    const startedAt = (instance.firedAt ?? 0) + offsetMs;
    return [{ instanceId, labels: { ...instance.labels, alertname: name }, startedAt }];
  });
}

/** The instances whose rows differ from what they were. */
function changedInstances({ instances: before }: RuleState, { state, transitions }: Stepped): Instance[] {
  const moved = new Set(transitions.map(({ identity }) => identity));
  return [...state.instances.values()].filter(
    (instance) =>
      moved.has(instance.identity) || (isFiring(instance) && before.get(instance.identity)?.value !== instance.value),
  );
}
