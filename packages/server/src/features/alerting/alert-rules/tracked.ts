import type { QueryReads } from '../../../platform/arrivals/index.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { durationMs } from '../../../platform/durations.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { readsOfRule } from '../../telemetry/promql/index.ts';
import { createAlike } from './alike.ts';
import type { EvaluatedRule } from './evaluate.ts';
import { listInstancesOf } from './instances-store.ts';
import type { ShardToRead } from './shards.ts';
import { alertVariant, normalText } from './shared-answers.ts';
import { latestSlot, nextSlot, type Slots } from './slot-rules.ts';
import { slotsOf } from './spread.ts';
import { type Instance, noState, type RuleState } from './step-rules.ts';
import { type AlertRuleRow, listRulesById, listVersions } from './store.ts';

/** A rule as its shard's holder keeps it between evaluations. */
export interface Tracked {
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

/** Rules that are read by one statement. */
const rulesAtOnce = 1_000;

/** The rules of the shards that this replica holds, with their states. */
export interface TrackedRules {
  all(): Iterable<Tracked>;
  get(id: string): Tracked | undefined;
  /** Replaces a rule, unless it was read from the database again in the meantime. */
  put(rule: Tracked): void;
  forget(id: string): void;
  /** Reads the rules of shards; those that are the same as before keep their state. */
  load(stale: readonly ShardToRead[]): Promise<void>;
}

export function createTrackedRules({ db, clock }: { readonly db: Database; readonly clock: Clock }): TrackedRules {
  const rules = new Map<string, Tracked>();
  const alike = createAlike();

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

  return {
    all: () => rules.values(),
    get: (id) => rules.get(id),
    put(rule) {
      if (rules.get(rule.row.id)?.row === rule.row) rules.set(rule.row.id, rule);
    },
    forget,
    load,
  };
}

/** After the clock went back, a slot in the far future is due too. */
export function isDue({ dueAt, slots }: Tracked, now: number): boolean {
  return dueAt <= now || dueAt > now + 2 * slots.everyMs;
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
      place: { workspace: { id: row.workspace_id }, project: { id: row.project_id } },
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
