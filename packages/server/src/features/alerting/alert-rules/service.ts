import type { AlertDefinition } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import { type Arrivals, automaticOffsetMs } from '../../../platform/arrivals/index.ts';
import { dateOf } from '../../../platform/clock.ts';
import { durationMs, durationText } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { readableProjects } from '../../identity/access/index.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import {
  changeResource,
  createResource,
  existing,
  findResource,
  firstVersion,
  placeColumns,
  placeOfRow,
  presentVersion,
  type Resource,
  type ResourcePlace,
  removeResource,
  requireReadablePlace,
  scopeOf,
  type Writer,
} from '../../identity/resources/index.ts';
import { type PromqlEvaluator, readsAlerts, readsOfRule } from '../../telemetry/promql/index.ts';
import type { AlertNotifications } from '../alert-notifications.ts';
import { checkAnnotations, checkExpression, checkQuery } from './check.ts';
import { defaultWindow, issuesOf, perSecond } from './definition-rules.ts';
import { endInstances } from './instances-store.ts';
import { shardOf } from './spread.ts';
import {
  type AlertRuleRow,
  alertRules,
  bumpShard,
  countFiring,
  countIntervals,
  type RuleValues,
  unevaluated,
} from './store.ts';

export interface AlertRulesDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
  readonly promql: PromqlEvaluator;
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

type Request = Writer & { readonly signal: AbortSignal };

export const resource: Resource<AlertRuleRow, RuleValues> = {
  noun: 'alert rule',
  plural: 'alert rules',
  type: 'alert_rule',
  area: 'alert_rules',
  change: 'update',
  table: alertRules,
  shown: ({ name, query, enabled, definition }) => ({ name, query, enabled, ...definition }),
};

export async function create(
  parts: AlertRulesDependencies,
  request: Request,
  place: ResourcePlace,
  input: RuleInput,
): Promise<AlertRuleRow> {
  const { db, clock, access, config } = parts;
  const { workspace } = request;
  await requireReadablePlace(access, request.caller, place);
  const values = valuesOf(input);
  await requireReadableAlerts(parts, request, place, values);
  await check(parts, place, values, request.signal);
  const first = firstVersion(request, clock);
  const shard = shardOf(first.id);
  const row = { ...first, ...placeColumns(place), shard, ...values };
  return createResource(db, resource, request, row, {
    limit: config.alerts.rules,
    before: (trx) => checkRate(trx, parts, workspace.id, values),
    after: (trx) => bumpShard(trx, shard),
  });
}

/** Throws `STALE_VERSION` where `version` is given and another one is current. */
export async function update(
  parts: AlertRulesDependencies,
  request: Request,
  id: string,
  { version, ...patch }: RulePatch & { readonly version?: number | undefined },
): Promise<AlertRuleRow> {
  const { db, clock, notifications } = parts;
  const { workspace } = request;
  const current = await findChangeable(parts, request, id);
  const place = placeOfRow(workspace, current);
  await requireReadableAlerts(parts, request, place, patched(current, patch));
  await check(parts, place, patched(current, patch), request.signal, current);
  const now = dateOf(clock);
  const row = await changeResource(
    db,
    resource,
    request,
    { id, version, now },
    {
      async next(before, trx) {
        const values = patched(before, patch);
        if (values.definition.every !== before.definition.every || (values.enabled && !before.enabled))
          await checkRate(trx, parts, workspace.id, values, id);
        return { ...values, ...unevaluated };
      },
      async after(trx, before, row) {
        if (before.enabled && !row.enabled) await endInstances(trx, before, now);
        if (before.name !== row.name) await notifications.renamed(trx, workspace.id, id, now);
        await bumpShard(trx, before.shard);
      },
    },
  );
  notifications.wake();
  return row;
}

export async function remove(parts: AlertRulesDependencies, request: Request, id: string): Promise<undefined> {
  const { db, clock, notifications } = parts;
  await findChangeable(parts, request, id);
  const now = dateOf(clock);
  return removeResource(db, resource, request, { id, now }, async (trx, { shard }) => {
    await notifications.removed(trx, id, now);
    await bumpShard(trx, shard);
  });
}

export async function present(parts: AlertRulesDependencies, rows: readonly AlertRuleRow[]) {
  const { db, arrivals } = parts;
  const ids = rows.map(({ id }) => id);
  const firing = await countFiring(db, ids);
  await arrivals.refresh();
  return rows.map((row) => {
    const offset = durationText(offsetMsOf(parts, row, row.project_number));
    return presentRule(row, firing.get(row.id) ?? 0, offset);
  });
}

export async function presentOne(parts: AlertRulesDependencies, row: AlertRuleRow) {
  const [rule] = await present(parts, [row]);
  return existing(rule, resource.noun);
}

/**
 * The rule that the caller wants to change; throws unless the caller may read what it reads, and for a rule that an SLO
 * keeps.
 */
async function findChangeable(
  { db, access }: Pick<AlertRulesDependencies, 'db' | 'access'>,
  { workspace, caller }: Request,
  id: string,
): Promise<AlertRuleRow> {
  const rule = await findResource(db, resource, workspace.id, id);
  await requireReadablePlace(access, caller, placeOfRow(workspace, rule));
  if (rule.slo_id !== null) throw fail('ALERT_RULE_OF_SLO', { slo: rule.slo_id });
  return rule;
}

/** Throws unless the author of a rule that reads alerts may read them. */
export async function requireReadableAlerts(
  { db, access }: Pick<AlertRulesDependencies, 'db' | 'access'>,
  { workspace, caller }: Pick<Request, 'workspace' | 'caller'>,
  { project }: Pick<ResourcePlace, 'project'>,
  { query, definition }: Pick<RuleValues, 'query' | 'definition'>,
): Promise<void> {
  if (definition.query_language !== 'promql' || !readsAlerts(query)) return;
  const readable = await readableProjects(access, db, caller, workspace.id, 'alerts:read');
  if (readable !== undefined && !readable.includes(project.id))
    throw fail('PERMISSION_DENIED', { permission: 'alerts:read' });
}

/**
 * Throws what a rule deserves that could never be evaluated.
 * @param before the rule as it is: annotations and a query that stay the same may be older than their checks
 */
export async function check(
  { gateway, retention, clock }: Pick<AlertRulesDependencies, 'gateway' | 'retention' | 'clock'>,
  place: ResourcePlace,
  { query, definition }: Pick<RuleValues, 'query' | 'definition'>,
  signal: AbortSignal,
  before?: Pick<RuleValues, 'query' | 'definition'>,
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
  if (definition.query_language === 'promql') return checkExpression(query);
  const isUnchanged = query === before?.query;
  await checkQuery(gateway, scopeOf(place), query, { nowMs: clock.now(), isUnchanged, signal });
}

/** The offset that an evaluation uses now, in milliseconds. */
export function offsetMsOf(
  { arrivals }: Pick<AlertRulesDependencies, 'arrivals'>,
  { query, definition }: Pick<RuleValues, 'query' | 'definition'>,
  project: number,
): number {
  const { offset, every } = definition;
  return offset === null
    ? automaticOffsetMs(arrivals.lateMs(project, readsOfRule({ ...definition, query }).signals), durationMs(every))
    : durationMs(offset);
}

/** Throws if the rules of a workspace, this one included, would be evaluated more often than is allowed. */
async function checkRate(
  trx: Executor,
  { config }: Pick<AlertRulesDependencies, 'config'>,
  workspaceId: string,
  { definition, enabled }: Pick<RuleValues, 'definition' | 'enabled'>,
  id?: string,
): Promise<void> {
  if (!enabled) return;
  const { evaluationsPerSecond } = config.alerts;
  const others = await countIntervals(trx, workspaceId, id);
  if (perSecond([...others, { every: definition.every, count: 1 }]) > evaluationsPerSecond)
    throw fail('LIMIT_REACHED', { limit: evaluationsPerSecond, resource: 'evaluations of alert rules a second' });
}

/** A rule with its defaults. */
export function valuesOf({ name, query, enabled, change, window, runbook_url, ...definition }: RuleInput): RuleValues {
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

function patched({ name, query, enabled, definition }: RuleValues, patch: RulePatch): RuleValues {
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
    // Another kind or language leaves behind what only the one before had.
    definition: {
      ...definition,
      ...((others.query_language ?? definition.query_language) === 'promql' && {
        window: defaultWindow(others.every ?? definition.every),
      }),
      ...(others.kind !== undefined && others.kind !== 'change' && { change: null }),
      ...others,
    } as AlertDefinition,
  };
}

function presentRule(row: AlertRuleRow, firing: number, effectiveOffset: string) {
  return {
    id: row.id,
    name: row.name,
    project: row.project,
    environment: row.environment,
    query: row.query,
    ...row.definition,
    query_language: row.definition.query_language ?? 'oql',
    effective_offset: effectiveOffset,
    enabled: row.enabled,
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
    ...presentVersion(row),
  };
}
