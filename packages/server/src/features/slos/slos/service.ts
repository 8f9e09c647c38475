import { isDeepStrictEqual } from 'node:util';
import type { SloIndicator } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { putSloRules, removeSloRules } from '../../alerting/alert-rules/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { isReadable } from '../../identity/access/index.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import {
  changeResource,
  createResource,
  findResource,
  firstVersion,
  placeColumns,
  placeOfRow,
  type Resource,
  type ResourcePlace,
  removeResource,
  requireReadablePlace,
  scopeOf,
  type Writer,
} from '../../identity/resources/index.ts';
import { requireSamePlace } from '../place.ts';
import { rulesOf } from './alerts.ts';
import { checkIndicator } from './check.ts';
import { backfillRange } from './indicator-rules.ts';
import { readStatuses } from './status.ts';
import { countedAgain, type Recount, type SloRow, type SloValues, slos } from './store.ts';

export interface SloDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
  readonly retention: ProjectRetention;
  readonly config: { readonly slos: Config['slos'] };
}

type Definition = SloValues['definition'];
type Input = { readonly name: string } & Definition;
type Request = Writer & { readonly signal: AbortSignal };

export const resource: Resource<SloRow, SloValues> = {
  noun: 'SLO',
  plural: 'SLOs',
  type: 'slo',
  area: 'slos',
  change: 'replace',
  table: slos,
  shown: ({ name, definition }) => ({ name, ...definition }),
};

/** The SLO; throws unless the caller may read the telemetry that it is about. */
export async function findReadable(
  { db, access }: Pick<SloDependencies, 'db' | 'access'>,
  { workspace, caller }: Pick<Writer, 'workspace' | 'caller'>,
  id: string,
): Promise<SloRow> {
  const row = await findResource(db, resource, workspace.id, id);
  await requireReadablePlace(access, caller, placeOfRow(workspace, row));
  return row;
}

/** How SLOs stand, by id: those whose telemetry the caller may query. */
export async function statusesOf(
  { access, gateway, clock }: Pick<SloDependencies, 'access' | 'gateway' | 'clock'>,
  { workspace, caller, signal }: { workspace: WorkspaceRef; caller: UserCaller; signal: AbortSignal },
  all: readonly SloRow[],
) {
  const found = new Map<string, Awaited<ReturnType<typeof readStatuses>>[number]>();
  const places = new Map<string, SloRow[]>();
  for (const slo of all) {
    const key = `${slo.project_id} ${slo.environment ?? ''}`;
    places.set(key, [...(places.get(key) ?? []), slo]);
  }
  for (const own of places.values()) {
    const { project_id: project, environment } = own[0] ?? { project_id: undefined, environment: null };
    const place = { workspace: workspace.id, project, environment: environment ?? undefined };
    if (!(await isReadable(access, caller, place))) continue;
    const statuses = await readStatuses(gateway.lane('interactive'), own, clock.now(), signal);
    own.forEach(({ id }, i) => {
      const status = statuses[i];
      if (status !== undefined) found.set(id, status);
    });
  }
  return found;
}

export async function create(
  parts: SloDependencies,
  request: Request,
  place: ResourcePlace,
  { name, ...definition }: Input,
  action?: 'slos.import',
): Promise<SloRow> {
  const { db, clock, access, config } = parts;
  await requireReadablePlace(access, request.caller, place);
  await requireAlerts(parts, request, definition);
  await check(parts, place, definition.indicator, request.signal);
  const first = firstVersion(request, clock);
  const past = await recountOf(parts, place.project.id, definition, first.created_at);
  const row = { ...first, ...placeColumns(place), name, definition, ...past };
  return createResource(db, resource, request, row, {
    limit: config.slos.perWorkspace,
    ...(action && { action }),
    after: (trx, slo) => putSloRules(trx, slo, rulesOf(slo), first.created_at),
  });
}

/** Throws `STALE_VERSION` unless `version` is the current one. */
export async function replace(
  parts: SloDependencies,
  request: Request,
  id: string,
  {
    version,
    project,
    environment,
    name,
    ...definition
  }: Input & {
    readonly version: number;
    readonly project?: string | undefined;
    readonly environment?: string | null | undefined;
  },
): Promise<SloRow> {
  const { db, clock } = parts;
  const current = await findReadable(parts, request, id);
  requireSamePlace(current, { project, environment }, 'SLO_INVALID');
  await requireAlerts(parts, request, definition, current.definition);
  await check(parts, placeOfRow(request.workspace, current), definition.indicator, request.signal);
  const now = dateOf(clock);
  const past = await recountOf(parts, current.project_id, definition, now);
  return changeResource(
    db,
    resource,
    request,
    { id, version, now },
    {
      async next(before) {
        const counts = changed(before.definition, definition, past, before.backfill_from);
        return { name, definition, ...(counts && countedAgain(counts)) };
      },
      after: (trx, _, slo) => putSloRules(trx, slo, rulesOf(slo), now),
    },
  );
}

export async function remove(parts: SloDependencies, request: Request, id: string): Promise<undefined> {
  const { db, clock } = parts;
  const current = await findReadable(parts, request, id);
  await requireAlerts(parts, request, current.definition);
  return removeResource(db, resource, request, { id, now: dateOf(clock) }, (trx) => removeSloRules(trx, id));
}

async function check(
  { gateway, clock }: Pick<SloDependencies, 'gateway' | 'clock'>,
  place: ResourcePlace,
  indicator: SloIndicator,
  signal: AbortSignal,
): Promise<void> {
  await checkIndicator(gateway, scopeOf(place), indicator, { nowMs: clock.now(), signal });
}

async function recountOf(
  { retention }: Pick<SloDependencies, 'retention'>,
  projectId: string,
  { indicator, window }: Definition,
  now: Date,
): Promise<Recount> {
  const { traces, logs, metrics } = await retention.of(projectId);
  const keptDays = Math.max(traces, logs, metrics);
  const { fromMs, toMs } = backfillRange(indicator, window, { nowMs: now.getTime(), keptDays });
  const to = new Date(toMs);
  return { derived_to: to, backfill_from: new Date(fromMs), backfill_to: to, backfill_at: to };
}

/** Burn alerts are alert rules: creating, changing or removing them requires `alerts:write`. */
async function requireAlerts(
  { access }: Pick<SloDependencies, 'access'>,
  { workspace, caller }: Writer,
  ...definitions: readonly Pick<Definition, 'burn_alerts'>[]
): Promise<void> {
  if (!definitions.some((definition) => definition.burn_alerts)) return;
  const { permissions } = await access.scope(caller, { workspace: workspace.id });
  if (!permissions.has('alerts:write')) throw fail('PERMISSION_DENIED', { permission: 'alerts:write' });
}

/** What is counted again: all of another indicator, and of a longer window the time that is not counted yet. */
function changed(before: Definition, after: Definition, past: Recount, countedFrom: Date): Recount | undefined {
  const isSame = isDeepStrictEqual(before.indicator, after.indicator);
  return isSame && past.backfill_from >= countedFrom ? undefined : past;
}
