/** Routes that run dashboard queries, and the scope that each one reads. */

import { Readable } from 'node:stream';
import { type dashboardsRoutes, mostRepeatedPanels, type VariableValues } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { type Context, Streamed } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { readableProjects } from '../../identity/access/index.ts';
import type { QueryScope, QueryService } from '../../telemetry/query/index.ts';
import type { DashboardData, VariableRequest } from './data.ts';
import { listEnvironmentKeys, listFlagKeys, listProjectKeys } from './names-store.ts';
import { createOptions } from './options.ts';
import { refuseInvalid } from './refuse-invalid.ts';
import { repeatedPanels } from './repeated.ts';
import { find } from './service.ts';
import type { DashboardRow } from './store.ts';
import { placeOf } from './variable-rules.ts';

export interface Parts extends Pick<FeatureDependencies, 'db' | 'clock' | 'access'> {
  readonly gateway: Pick<Gateway, 'compiler'>;
  readonly queries: QueryService;
  readonly data: DashboardData;
  readonly limits: Config['dashboards']['limits'];
  readonly dataLimits: Config['dashboards']['data'];
}

interface Asking {
  readonly workspace: WorkspaceRef;
  readonly caller: UserCaller;
}

interface PlaceNames {
  readonly project: string | undefined;
  readonly environment: string | undefined;
}

/** Older cached answers are never returned, whatever the client accepts. */
const maxAcceptedSeconds = 300;

export async function dashboardData(
  parts: Parts,
  { workspace, caller, params, body, request, requestId, signal }: Context<typeof dashboardsRoutes.getDashboardData>,
) {
  const { db, data } = parts;
  const row = await find(db, workspace, params.id);
  const { panels, variables: definitions } = row.model;
  const { variables = {}, panels: ids, from, to } = body;
  const scope = await scopeOfDashboard(parts, { workspace, caller }, row, variables);
  const maxAgeMs = acceptedAge(request.headers['cache-control']);
  const facts = { definitions, variables, from, to, maxAgeMs, requestId };
  const repeated = await repeatedPanels(optionsFor(parts, { workspace, caller }), scope, panels, facts, signal);
  const wanted = ids === undefined ? repeated : repeated.filter(({ id }) => ids.includes(id));
  return streamed(data.lines(scope, { panels: wanted, ...facts }, signal));
}

export async function previewData(
  parts: Parts,
  { workspace, narrowed, caller, body, request, requestId, signal }: Context<typeof dashboardsRoutes.previewDashboard>,
) {
  const { gateway, data, limits } = parts;
  const { panels, definitions, variables = {}, from, to } = body;
  const asked = { workspace: workspace.number, signal };
  // The page sends the copies of panels that repeat.
  const withCopies = { panels: Math.max(limits.panels, mostRepeatedPanels), bytes: 4 * limits.bytes };
  await refuseInvalid({ panels, variables: definitions }, withCopies, gateway.compiler, asked);
  const scope = await scopeFor(parts, { workspace, caller }, namesOf(narrowed), { definitions, variables });
  const maxAgeMs = acceptedAge(request.headers['cache-control']);
  const facts = { definitions, variables, from, to, maxAgeMs, requestId };
  const repeated = await repeatedPanels(optionsFor(parts, { workspace, caller }), scope, panels, facts, signal);
  return streamed(data.lines(scope, { panels: repeated, ...facts }, signal));
}

export async function variableOptions(
  parts: Parts,
  { workspace, narrowed, caller, body, signal }: Context<typeof dashboardsRoutes.listVariableOptions>,
) {
  const { gateway, limits } = parts;
  const { definitions, variables = {}, from, to } = body;
  const asked = { workspace: workspace.number, signal };
  await refuseInvalid({ panels: [], variables: definitions }, limits, gateway.compiler, asked);
  const scope = await scopeFor(parts, { workspace, caller }, namesOf(narrowed), { definitions, variables });
  const options = optionsFor(parts, { workspace, caller });
  return { variables: await options(scope, { definitions, variables, from, to }, signal) };
}

export function scopeOfDashboard(parts: Parts, asking: Asking, row: DashboardRow, variables: VariableValues) {
  const named = { project: row.project_id ?? undefined, environment: row.environment ?? undefined };
  return scopeFor(parts, asking, named, { definitions: row.model.variables, variables });
}

/** The place that was named, unless a variable narrows it. */
function scopeFor(
  { access }: Parts,
  asking: Asking,
  named: PlaceNames,
  { definitions, variables }: Pick<VariableRequest, 'definitions' | 'variables'>,
) {
  const chosen = placeOf(definitions, variables);
  return scopeOf(access, asking, {
    project: chosen.project ?? named.project,
    environment: chosen.environment ?? named.environment,
  });
}

/** Where panels read. Throws `PERMISSION_DENIED` unless the caller may query there, and `NOT_FOUND`. */
async function scopeOf(
  access: Parts['access'],
  { workspace, caller }: Asking,
  place: PlaceNames,
): Promise<QueryScope & { readonly workspace: WorkspaceRef }> {
  const { project, environment } = place;
  const scope = await access.scope(caller, {
    workspace: workspace.id,
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
  });
  if (!scope.permissionsBelow.has('telemetry:query'))
    throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
  return { workspace, project: scope.project, environment: scope.environment?.key ?? environment, caller };
}

export function optionsFor({ db, access, queries, data, dataLimits }: Parts, { workspace, caller }: Asking) {
  return createOptions({
    queries,
    data,
    limits: dataLimits,
    async names(scope, type, limit) {
      const given = scope.project && [scope.project.id];
      if (type === 'project') return listProjectKeys(db, workspace.id, given, limit);
      if (type === 'environment') return listEnvironmentKeys(db, workspace.id, given, limit);
      const readable = await readableProjects(access, db, caller, workspace.id, 'flags:read');
      const of = scope.project?.id;
      if (of === undefined) return listFlagKeys(db, workspace.id, readable, limit);
      return listFlagKeys(db, workspace.id, readable === undefined || readable.includes(of) ? [of] : [], limit);
    },
  });
}

function namesOf({
  project,
  environment,
}: {
  project: ProjectRef | undefined;
  environment: string | undefined;
}): PlaceNames {
  return { project: project?.id, environment };
}

/** Reads the first line before it answers, so that a window that is wrong is an error of the whole request. */
async function streamed(lines: AsyncGenerator<string | Uint8Array, void, undefined>): Promise<Streamed> {
  const first = await lines.next();
  async function* all() {
    if (!first.done) yield first.value;
    yield* lines;
  }
  return new Streamed(Readable.from(all(), { objectMode: false }), {
    headers: { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' },
    trailers: {},
  });
}

/** How old an answer may be, of `Cache-Control: no-cache` or `max-age=<seconds>`; undefined: not said. */
function acceptedAge(header: string | undefined): number | undefined {
  const parts = header?.split(',').map((part) => part.trim().toLowerCase()) ?? [];
  if (parts.includes('no-cache') || parts.includes('no-store')) return 0;
  const seconds = parts.flatMap((part) => /^max-age=(\d{1,6})$/.exec(part)?.[1] ?? [])[0];
  return seconds === undefined ? undefined : Math.min(maxAcceptedSeconds, Number(seconds)) * 1_000;
}
