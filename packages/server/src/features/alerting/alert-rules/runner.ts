import { setMaxListeners } from 'node:events';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { durationMs } from '../../../platform/durations.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { StoredTo } from '../../../platform/replicas/index.ts';
import type { AlertNotifications, FiredAlert } from '../alert-notifications.ts';
import { createAlike } from './alike.ts';
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
  /** Up to when what was acknowledged can be queried. */
  readonly storedTo: () => Promise<StoredTo>;
  /** Evaluations at once. @default 16 */
  readonly concurrency?: number;
  /** @default 1_000 */
  readonly pollMs?: number;
}

/** A rule as its shard's holder keeps it between evaluations. */
interface Tracked {
  readonly row: AlertRuleRow;
  /** Rules of one shape ask for the same windows at the same slots. */
  readonly shape: string;
  readonly evaluated: EvaluatedRule;
  readonly slots: Slots;
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
}

/** Rules that are read by one statement. */
const rulesAtOnce = 1_000;
/** A query that fails is asked so often within its slot, so far apart. */
const maxAttempts = 3;
const retryMs = 2_000;
/** How long an evaluation waits for rows that are still in a log. It ends so long before the next slot that this one is not missed. */
const longestWaitMs = 60_000;
const beforeNextSlotMs = 2_000;

/**
 * Evaluates alert rules, each once over all replicas. The state of a rule is in the memory of the replica that holds its shard;
 * only what changes is written, in a transaction that is refused once another replica holds the shard.
 */
export function createAlertRunner(options: AlertRunnerOptions): AlertRunner {
  const { db, clock, log, holder, evaluate, notifications, storedTo, concurrency = 16, pollMs = 1_000 } = options;
  const stopping = new AbortController();
  // Each evaluation listens for the end, and its queries while they wait.
  setMaxListeners(4 * concurrency, stopping.signal);
  const running = new Map<string, Promise<void>>();
  const rules = new Map<string, Tracked>();
  const alike = createAlike();
  /** The ids of rules that are due, the oldest first. */
  let due: string[] = [];
  let stored: StoredTo = { running: Number.NEGATIVE_INFINITY, all: Number.NEGATIVE_INFINITY };
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
    const variant = alertVariant(row.query);
    const shape = shapeOfRule(row, variant?.form);
    const together = variant && (() => alike.togetherWith(shape, variant));
    if (variant !== undefined) alike.add(shape, row.id, variant);
    rules.set(row.id, tracked(row, { shape, variant, together, state, now: clock.now() }));
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
    if (found.length > 0) stored = await storedTo();
    due = found.sort((a, b) => a.dueAt - b.dueAt).map(({ row }) => row.id);
    fill();
  }

  function fill(): void {
    while (running.size < concurrency && !stopping.signal.aborted) {
      const id = due.shift();
      if (id === undefined) return;
      const rule = rules.get(id);
      // It may have been evaluated since the list was made.
      if (rule === undefined || running.has(id) || !isDue(rule, clock.now()) || waitsForRows(rule)) continue;
      const ended = evaluateOne(rule)
        .catch((error: unknown) => log.error({ err: error, rule: id }, 'an alert rule could not be evaluated'))
        .finally(() => {
          running.delete(id);
          fill();
        });
      running.set(id, ended);
    }
  }

  /** The slot of an evaluation that begins now, and the time that it asks for. */
  function momentOf({ row, slots, slot: planned, attempts }: Tracked, now: number): { slot: number; at: number } {
    const slot = attempts > 0 ? planned : latestSlot(slots, now);
    return { slot, at: slot - durationMs(row.definition.offset) };
  }

  /** Whether rows of the time that it asks for are in the log of a server that runs: they are stored in a moment. */
  function waitsForRows(rule: Tracked): boolean {
    const now = clock.now();
    const { slot, at } = momentOf(rule, now);
    if (at <= stored.running || rule.row.definition.burn !== undefined) return false;
    return now < slot + Math.min(longestWaitMs, rule.slots.everyMs - beforeNextSlotMs);
  }

  async function evaluateOne(rule: Tracked): Promise<void> {
    const { row, slots } = rule;
    const now = clock.now();
    const { slot, at } = momentOf(rule, now);
    const missed = rule.missed + (rule.attempts > 0 ? 0 : missedSlots(slots, rule.slot, now));
    const delayed = at > stored.all && row.definition.burn === undefined;
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
    const stepped = step(semanticsOf(row.definition), row.definition, rule.state, evaluation);
    const next = nextSlot(slots, clock.now());
    const after = { ...rule, state: stepped.state, slot: next, dueAt: next, attempts: 0, error, delayed, missed };
    if (!(await save(rule, stepped, after))) forget(row.id);
    else put({ ...after, missed: isWritten(rule, stepped, after) ? 0 : missed });
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
      await notifications.fired(trx, row.workspace_id, firedBy(row, stepped, ids), now);
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
    }, pollMs);
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
    state,
    now,
  }: Pick<EvaluatedRule, 'variant' | 'together'> & { shape: string; state: RuleState; now: number },
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
    state,
    slot,
    dueAt: slot,
    attempts: 0,
    error: row.last_error,
    delayed: row.delayed,
    missed: 0,
  };
}

/**
 * Rules of one shape ask the same question at the same slots, so that they can share its answer.
 * @param form what the query has in common with others that one scan can answer
 */
function shapeOfRule(
  { workspace_number, project_number, environment, query, definition }: AlertRuleRow,
  form = normalText(query),
): string {
  const { every, offset, window } = definition;
  return JSON.stringify([workspace_number, project_number, environment, form, every, offset, window]);
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
    after.missed > 0 ||
    isFirst ||
    hasNewValue(before, after)
  );
}

/** Values of firing instances are written once a minute, for people who look at them. */
function hasNewValue(before: Tracked, after: Tracked): boolean {
  const since = Math.floor((before.state.evaluatedAt ?? 0) / 60_000);
  if (since === Math.floor((after.state.evaluatedAt ?? 0) / 60_000)) return false;
  return changedInstances(before.state, { state: after.state, transitions: [] }).length > 0;
}

/** The instances that began to fire, as notifications know them. */
function firedBy(
  { name, definition }: AlertRuleRow,
  { state, transitions }: Stepped,
  ids: ReadonlyMap<string, string>,
): FiredAlert[] {
  return transitions.flatMap(({ identity, from }) => {
    const instance = state.instances.get(identity);
    const instanceId = ids.get(identity);
    if (instance === undefined || instanceId === undefined || isFiring({ state: from }) || !isFiring(instance))
      return [];
    // A query asks for the time before its slot; nobody could have been notified earlier than at the slot.
    const startedAt = (instance.firedAt ?? 0) + durationMs(definition.offset);
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
