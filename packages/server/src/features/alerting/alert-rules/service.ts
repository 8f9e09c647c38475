import type { AlertDefinition } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { type Arrivals, automaticOffsetMs, queryReads } from '../../../platform/arrivals/index.ts';
import { dateOf } from '../../../platform/clock.ts';
import { durationMs, durationText } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { PlacedFilter, ProjectRetention } from '../../identity/projects/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import type { AlertNotifications } from '../alert-notifications.ts';
import { checkAnnotations, checkQuery } from './check.ts';
import { defaultWindow, issuesOf, perSecond } from './definition-rules.ts';
import { endInstances } from './instances-store.ts';
import { shardOf } from './spread.ts';
import * as store from './store.ts';

export interface AlertRulesDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
  readonly retention: ProjectRetention;
  readonly notifications: AlertNotifications;
  readonly arrivals: Pick<Arrivals, 'refresh' | 'lateMs'>;
  readonly config: Pick<Config, 'alerts'>;
}

/** A rule as its author wrote it. */
export type RuleInput = Omit<AlertDefinition, 'change' | 'window' | 'runbook_url'> & {
  readonly name: string;
  readonly query: string;
  readonly enabled: boolean;
  readonly change?: AlertDefinition['change'] | undefined;
  readonly window?: string | undefined;
  readonly runbook_url?: string | null | undefined;
};

export type RulePatch = { readonly [K in keyof RuleInput]?: RuleInput[K] | undefined };

/** Where a rule reads. */
export interface RulePlace {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
  readonly environment: string | undefined;
}

export function createAlertRuleService(dependencies: AlertRulesDependencies) {
  const { db, clock, access, gateway, retention, notifications, arrivals, config } = dependencies;
  const { rules: maxRules, evaluationsPerSecond } = config.alerts;

  /**
   * Throws what a rule deserves that could never be evaluated.
   * @param before the rule as it is: annotations and a query that stay the same may be older than their checks
   */
  async function check(
    place: RulePlace,
    { query, definition }: Pick<store.RuleValues, 'query' | 'definition'>,
    signal: AbortSignal,
    before?: Pick<store.RuleValues, 'query' | 'definition'>,
  ): Promise<void> {
    const kept = await retention.of(place.project.id);
    const issues = [
      ...issuesOf(definition, Math.max(kept.traces, kept.logs, kept.metrics)),
      ...(await checkAnnotations(definition.annotations, before?.definition.annotations ?? {})),
    ];
    const [issue] = issues;
    if (issue !== undefined) {
      const details = issues.map(({ path, message }) => ({ path, message }));
      throw fail('ALERT_RULE_INVALID', { reason: `${issue.path} ${issue.message}` }, { details });
    }
    const scope = { workspace: place.workspace.number, project: place.project.number, environment: place.environment };
    const isUnchanged = query === before?.query;
    await checkQuery(gateway, scope, query, { nowMs: clock.now(), isUnchanged, signal });
  }

  /** The offset that an evaluation uses now, in milliseconds. */
  function offsetMsOf(
    { offset, every }: Pick<AlertDefinition, 'offset' | 'every'>,
    query: string,
    project: number,
  ): number {
    return offset === null
      ? automaticOffsetMs(arrivals.lateMs(project, queryReads(query).signals), durationMs(every))
      : durationMs(offset);
  }

  async function present(rows: readonly store.AlertRuleRow[]) {
    const firing = await store.countFiring(
      db,
      rows.map(({ id }) => id),
    );
    await arrivals.refresh();
    return rows.map((row) => {
      const offset = durationText(offsetMsOf(row.definition, row.query, row.project_number));
      return presentRule(row, firing.get(row.id) ?? 0, offset);
    });
  }

  async function presentOne(row: store.AlertRuleRow | undefined) {
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'alert rule' });
    const [rule] = await present([row]);
    if (rule === undefined) throw fail('NOT_FOUND', { resource: 'alert rule' });
    return rule;
  }

  /**
   * The rule that the caller wants to change; throws unless the caller may read what it reads, and for a rule that an SLO
   * keeps.
   */
  async function changeable(workspace: WorkspaceRef, caller: UserCaller, id: string): Promise<store.AlertRuleRow> {
    const rule = isId(id) ? await store.findRule(db, workspace.id, id) : undefined;
    if (rule === undefined) throw fail('NOT_FOUND', { resource: 'alert rule' });
    const environment = rule.environment ?? undefined;
    await requireReadable(access, caller, { workspace: workspace.id, project: rule.project_id, environment });
    if (rule.slo_id !== null) throw fail('ALERT_RULE_OF_SLO', { slo: rule.slo_id });
    return rule;
  }

  /** Throws if the rules of a workspace, this one included, would be evaluated more often than is allowed. */
  async function checkRate(
    trx: Executor,
    workspace: WorkspaceRef,
    { definition, enabled }: Pick<store.RuleValues, 'definition' | 'enabled'>,
    id?: string,
  ): Promise<void> {
    if (!enabled) return;
    const others = await store.countIntervals(trx, workspace.id, id);
    if (perSecond([...others, { every: definition.every, count: 1 }]) > evaluationsPerSecond)
      throw fail('LIMIT_REACHED', { limit: evaluationsPerSecond, resource: 'evaluations of alert rules a second' });
  }

  return {
    check,
    offsetMsOf,

    /** One row more than `limit` where there are more. */
    async list(
      workspace: WorkspaceRef,
      filter: PlacedFilter,
      { after, limit }: { after: string | undefined; limit: number },
    ) {
      return present(await store.listRules(db, workspace.id, filter, { after, limit: limit + 1 }));
    },

    async get(workspace: WorkspaceRef, id: string) {
      return presentOne(isId(id) ? await store.findRule(db, workspace.id, id) : undefined);
    },

    async create(place: RulePlace, caller: UserCaller, input: RuleInput, origin: Origin, signal: AbortSignal) {
      const { workspace, project, environment } = place;
      await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment });
      const values = valuesOf(input);
      await check(place, values, signal);
      const now = dateOf(clock);
      const id = newId(now.getTime());
      const shard = shardOf(id);
      const row = await db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        if ((await store.countRules(trx, workspace.id)) >= maxRules)
          throw fail('LIMIT_REACHED', { limit: maxRules, resource: 'alert rules' });
        await checkRate(trx, workspace, values);
        await store.insertRule(trx, {
          id,
          workspace_id: workspace.id,
          project_id: project.id,
          environment: environment ?? null,
          shard,
          ...values,
          created_by: caller.user.id,
          created_at: now,
        });
        await store.bumpShard(trx, shard);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'alert_rules.create',
            resource: { type: 'alert_rule', id, name: values.name },
            projectId: project.id,
            after: shown(values),
          },
          now,
        );
        return store.findRule(trx, workspace.id, id);
      });
      return presentOne(row);
    },

    /** Throws `STALE_VERSION` where `version` is given and another one is current. */
    async update(
      workspace: WorkspaceRef,
      caller: UserCaller,
      id: string,
      { version, ...patch }: RulePatch & { readonly version?: number | undefined },
      origin: Origin,
      signal: AbortSignal,
    ) {
      const current = await changeable(workspace, caller, id);
      const place = placeOf(workspace, current);
      await check(place, patched(current, patch), signal, current);
      const now = dateOf(clock);
      const row = await db.transaction().execute(async (trx) => {
        const before = await store.lockRule(trx, workspace.id, id);
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'alert rule' });
        refuseStale(version, before.version);
        const values = patched(before, patch);
        if (isUnchanged(shown(before), shown(values))) return store.findRule(trx, workspace.id, id);
        if (values.definition.every !== before.definition.every || (values.enabled && !before.enabled))
          await checkRate(trx, workspace, values, id);
        await store.updateRule(trx, id, values, now);
        if (before.enabled && !values.enabled) await endInstances(trx, before, now);
        if (before.name !== values.name) await notifications.renamed(trx, workspace.id, id, now);
        await store.bumpShard(trx, before.shard);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'alert_rules.update',
            resource: { type: 'alert_rule', id, name: values.name },
            projectId: before.project_id,
            before: shown(before),
            after: shown(values),
          },
          now,
        );
        return store.findRule(trx, workspace.id, id);
      });
      return presentOne(row);
    },

    async remove(workspace: WorkspaceRef, caller: UserCaller, id: string, origin: Origin): Promise<void> {
      await changeable(workspace, caller, id);
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const before = await store.lockRule(trx, workspace.id, id);
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'alert rule' });
        await notifications.removed(trx, id, now);
        await store.deleteRule(trx, id);
        await store.bumpShard(trx, before.shard);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'alert_rules.remove',
            resource: { type: 'alert_rule', id, name: before.name },
            projectId: before.project_id,
            before: shown(before),
          },
          now,
        );
      });
    },
  };
}

/** A rule with its defaults. */
export function valuesOf({
  name,
  query,
  enabled,
  change,
  window,
  runbook_url,
  ...definition
}: RuleInput): store.RuleValues {
  return {
    name,
    query,
    enabled,
    definition: {
      ...definition,
      change: change ?? null,
      window: window ?? defaultWindow(definition.every),
      runbook_url: runbook_url ?? null,
    },
  };
}

function patched({ name, query, enabled, definition }: store.RuleValues, patch: RulePatch): store.RuleValues {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const {
    name: newName = name,
    query: newQuery = query,
    enabled: nowEnabled = enabled,
    ...others
  } = given as RulePatch;
  return {
    name: newName,
    query: newQuery,
    enabled: nowEnabled,
    // Another kind leaves what only the kind before had behind.
    definition: {
      ...definition,
      ...(others.kind !== undefined && others.kind !== 'change' && { change: null }),
      ...others,
    } as AlertDefinition,
  };
}

function placeOf(workspace: WorkspaceRef, row: store.AlertRuleRow): RulePlace {
  const project = { id: row.project_id, number: row.project_number, key: row.project, name: row.project };
  return { workspace, project, environment: row.environment ?? undefined };
}

function shown({ name, query, enabled, definition }: store.RuleValues) {
  return { name, query, enabled, ...definition };
}

function presentRule(row: store.AlertRuleRow, firing: number, effectiveOffset: string) {
  return {
    id: row.id,
    name: row.name,
    project: row.project,
    environment: row.environment,
    query: row.query,
    ...row.definition,
    effective_offset: effectiveOffset,
    enabled: row.enabled,
    version: row.version,
    health: {
      state:
        row.last_error !== null
          ? ('failing' as const)
          : row.evaluated_at === null
            ? ('waiting' as const)
            : row.delayed
              ? ('delayed' as const)
              : ('ok' as const),
      error: row.last_error,
      evaluated_at: row.evaluated_at?.toISOString() ?? null,
      missed: Number(row.missed),
    },
    firing,
    created_by: row.created_by === null ? null : { id: row.created_by, name: row.created_by_name ?? '' },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
