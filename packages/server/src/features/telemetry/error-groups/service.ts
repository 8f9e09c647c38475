import type { ErrorGroup, ErrorState } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import { formatNs, type Window } from '../../../platform/time-window.ts';
import { deployWindowMs, listDeploys } from '../../dashboards/annotations/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import { type Decision, type Deploy, isGroupId, newSince, type Position, stateOf } from './rules.ts';
import * as store from './store.ts';
import * as telemetryStore from './telemetry-store.ts';

export type ErrorGroupsDependencies = FeatureDependencies & {
  readonly telemetry: ScopedTelemetry;
  readonly gateway: Gateway;
  readonly limits: Config['errorGroups'];
};

export interface Place {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
  readonly environment: string | undefined;
}

export interface ErrorQuery {
  readonly service?: string | undefined;
  readonly state?: ErrorState | undefined;
  readonly search?: string | undefined;
  readonly sort: 'count' | 'last_seen' | 'first_seen';
}

/** Number of points in a trend. */
const slices = 30;
const maxOccurrences = 20;
const maxVariants = 100;
const dayNs = 86_400_000_000_000n;
const zeroId = /^0*$/;

/** One more than `limit` if there are more. */
export async function list(
  parts: ErrorGroupsDependencies,
  place: Place,
  window: Window,
  query: ErrorQuery,
  page: { readonly after: Position | undefined; readonly limit: number },
  signal: AbortSignal,
) {
  const { rows, sinceNs, warning, present: shown } = await read(parts, place, window, query, page, signal);
  return {
    items: rows.map((row) => ({ rank: row.rank, group: shown(row) })),
    total: rows[0]?.all_total ?? 0,
    since: formatNs(sinceNs),
    sliceMs: Number((window.toNs - window.fromNs) / BigInt(slices)) / 1_000_000,
    warnings: warning === undefined ? [] : [warning],
  };
}

export async function get(
  parts: ErrorGroupsDependencies,
  place: Place,
  window: Window,
  id: string,
  signal: AbortSignal,
) {
  const { telemetry } = parts;

  if (!isGroupId(id)) throw fail('ERROR_GROUP_NOT_FOUND');
  const {
    rows,
    sinceNs,
    present: shown,
  } = await read(parts, place, window, { sort: 'count' }, { limit: 1, only: id }, signal);
  const [row] = rows;
  if (row === undefined) throw fail('ERROR_GROUP_NOT_FOUND');
  const seen = { scope: scopeOf(place), window, sinceNs };
  const [occurrences, variants] = await Promise.all([
    telemetryStore.listOccurrences(telemetry, seen, row, maxOccurrences, signal),
    telemetryStore.listVariants(telemetry, seen, row, maxVariants, signal),
  ]);
  return {
    ...shown(row),
    stack: row.stack,
    occurrences: occurrences.map(({ ns, trace, span, ...one }) => ({
      ...one,
      time: formatNs(BigInt(ns)),
      trace_id: zeroId.test(trace) ? null : trace,
      span_id: zeroId.test(span) ? null : span,
    })),
    variants,
  };
}

/** Sets the state of an error that occurred lately, or that has one. */
export async function setState(
  parts: ErrorGroupsDependencies,
  { workspace, project }: Pick<Place, 'workspace' | 'project'>,
  caller: UserCaller,
  id: string,
  input: { readonly state: ErrorState; readonly comment?: string | undefined },
  origin: Origin,
  signal: AbortSignal,
) {
  const { access, clock, db, limits } = parts;

  if (!isGroupId(id)) throw fail('ERROR_GROUP_NOT_FOUND');
  await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment: undefined });
  const now = dateOf(clock);
  const known = await store.findDecision(db, project.id, id);
  const toNs = BigInt(now.getTime()) * 1_000_000n;
  const window = { fromNs: sinceOf(parts, { fromNs: toNs, toNs }), toNs };
  const place = { workspace, project, environment: undefined };
  const { rows } = await read(parts, place, window, { sort: 'count' }, { limit: 1, only: id }, signal);
  if (known === undefined && rows[0] === undefined) throw fail('ERROR_GROUP_NOT_FOUND');
  const decision: Decision = {
    state: input.state,
    changedAt: now,
    changedBy: caller.user.name,
    comment: input.comment === undefined || input.comment === '' ? null : input.comment,
  };
  await db.transaction().execute(async (trx) => {
    if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
    const before = await store.findDecision(trx, project.id, id);
    if (before === undefined && (await store.countDecisions(trx, project.id)) >= limits.states)
      throw fail('LIMIT_REACHED', { limit: limits.states, resource: 'errors with a state' });
    await store.saveDecision(trx, { projectId: project.id, groupId: id, userId: caller.user.id, ...decision });
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'error_groups.set_state',
        resource: { type: 'error_group', id, name: rows[0]?.type ?? null },
        projectId: project.id,
        before: { state: before?.state ?? 'open' },
        after: { state: decision.state, ...(decision.comment !== null && { comment: decision.comment }) },
      },
      now,
    );
  });
  return { id, ...stateOf(decision, 0) };
}

function scopeOf({ workspace, project, environment }: Place) {
  return {
    workspace: workspace.number,
    project: project.number,
    environment,
  };
}

function sinceOf({ limits }: ErrorGroupsDependencies, { fromNs }: Window) {
  const since = fromNs - BigInt(limits.lookBackDays) * dayNs;
  return since > 0n ? since : 0n;
}

/** The deploys that an error can be new since; a warning if they are not known. */
async function deploysUntil(
  { gateway }: ErrorGroupsDependencies,
  place: Place,
  toMs: number,
  sinceMs: number,
  signal: AbortSignal,
) {
  const { workspace, project, environment } = place;
  const of = { workspace: workspace.number, project: project.number, environment, key: project.key };
  const fromMs = Math.max(sinceMs, toMs - deployWindowMs);
  try {
    const found = await listDeploys(gateway, of, { fromMs, toMs, service: undefined }, signal);
    if (found === undefined)
      return { deploys: [], warning: 'services have too many versions to say which errors are new' };
    const deploys = found.map(
      ({ service, version, time }): Deploy => ({
        service: service ?? '',
        version: version ?? '',
        atMs: Date.parse(time),
      }),
    );
    return { deploys, warning: undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { deploys: [], warning: `it is unknown which errors are new: ${error.message}` };
  }
}

async function read(
  parts: ErrorGroupsDependencies,
  place: Place,
  window: Window,
  query: ErrorQuery,
  { after, limit, only }: { readonly after?: Position | undefined; readonly limit: number; readonly only?: string },
  signal: AbortSignal,
) {
  const { db, telemetry, limits } = parts;

  const decisions = await store.listDecisions(db, place.project.id);
  const sinceNs = sinceOf(parts, window);
  const ms = (ns: bigint) => Number(ns / 1_000_000n);
  const all = [...decisions];
  const filter = {
    service: query.service,
    state: query.state,
    search: query.search,
    sort: query.sort,
    ignored: all.filter(([, { state }]) => state === 'ignored').map(([id]) => id),
    resolved: all
      .filter(([, { state }]) => state === 'resolved')
      .map(([id, { changedAt }]) => ({ id, atMs: changedAt.getTime() })),
  };
  const seen = { scope: scopeOf(place), window, sinceNs };
  const [rows, { deploys, warning }] = await Promise.all([
    telemetryStore.listGroups(telemetry, seen, filter, { slices, after, limit, most: limits.groups }, signal, only),
    deploysUntil(parts, place, ms(window.toNs), ms(sinceNs), signal),
  ]);
  if ((rows[0]?.all_groups ?? 0) > limits.groups)
    throw fail('QUERY_TOO_EXPENSIVE', {
      reason: `the window has more than ${limits.groups} different errors; narrow it, or name a service`,
    });
  return {
    rows,
    sinceNs,
    warning,
    present: (row: telemetryStore.GroupRow) => present(row, decisions.get(row.id), deploys),
  };
}

function present(row: telemetryStore.GroupRow, decision: Decision | undefined, deploys: readonly Deploy[]): ErrorGroup {
  const trend = Array.from({ length: slices }, () => 0);
  for (const [slice, count] of row.trend) trend[slice] = count;
  const ms = (ns: string) => Number(BigInt(ns) / 1_000_000n);
  return {
    id: row.id,
    type: row.type,
    message: row.message,
    frame: row.frame,
    services: row.services,
    versions: row.versions,
    count: row.count,
    first_seen: formatNs(BigInt(row.first_ns)),
    last_seen: formatNs(BigInt(row.last_ns)),
    trend,
    new_since: newSince({ services: row.services, firstSeenMs: ms(row.first_ns) }, deploys),
    ...stateOf(decision, ms(row.last_ns)),
  };
}
